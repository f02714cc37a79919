package elbv2

import (
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/ec2"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type describeGroupsRequest struct {
	Balancer string   `aws:"LoadBalancerArn"`
	ARNs     []string `aws:"TargetGroupArns"`
	Names    []string `aws:"Names"`
	pages
}

type targetGroups struct {
	Groups     []targetGroup `aws:"TargetGroups"`
	NextMarker string        `aws:"NextMarker"`
}

// targetGroup is a target group as an answer has it.
type targetGroup struct {
	ARN           string   `aws:"TargetGroupArn"`
	Name          string   `aws:"TargetGroupName"`
	Protocol      string   `aws:"Protocol"`
	Port          int      `aws:"Port"`
	VPCID         string   `aws:"VpcId"`
	Balancers     []string `aws:"LoadBalancerArns"`
	TargetType    string   `aws:"TargetType"`
	IPAddressType string   `aws:"IpAddressType"`
	check
	Matcher *matcher `aws:"Matcher"`
}

// matcher has the status codes of good answers.
type matcher struct {
	Codes string `aws:"HttpCode"`
}

// The types of targets: all of a group are instances, or all are addresses.
const (
	typeInstance = "instance"
	typeAddress  = "ip"
)

// optionType has the type of the targets of a group whose targets are no instances.
const optionType = "target-type"

// typeOf is the type of the targets of a group. One that another API has made is of instances, unless it has an address.
func typeOf(g simcloud.TargetGroup) string {
	if g.Options[optionType] == typeAddress || slices.ContainsFunc(g.Targets, func(t simcloud.GroupTarget) bool { return t.Address != "" }) {
		return typeAddress
	}
	return typeInstance
}

// protocols are those of listeners and target groups.
var protocols = []simcloud.Protocol{simcloud.ProtocolTCP, simcloud.ProtocolUDP, simcloud.ProtocolTCPUDP, simcloud.ProtocolTLS}

// protocolName is what AWS calls a protocol.
func protocolName(p simcloud.Protocol) string { return strings.ToUpper(string(p)) }

// protocolOf reads a protocol of a request.
func protocolOf(name string) (simcloud.Protocol, bool) {
	i := slices.IndexFunc(protocols, func(p simcloud.Protocol) bool { return protocolName(p) == name })
	if i < 0 {
		return "", false
	}
	return protocols[i], true
}

// simulated reports whether the dialect has a target group: another API can make one with another protocol.
func simulated(g simcloud.TargetGroup) bool { return slices.Contains(protocols, g.Protocol) }

func describeGroups(c service.Call, in describeGroupsRequest) (out targetGroups, err error) {
	n := namerOf(c)
	all, err := n.chosenGroups(c, in)
	if err != nil {
		return out, err
	}
	shown, next, err := page(c, all, func(g simcloud.TargetGroup) simcloud.ID { return g.ID }, in.pages, []any{in.Balancer, in.ARNs, in.Names})
	if err != nil {
		return out, err
	}
	out.NextMarker = next
	for _, g := range shown {
		d, err := n.showGroup(c, g)
		if err != nil {
			return out, err
		}
		out.Groups = append(out.Groups, d)
	}
	return out, nil
}

// chosenGroups are the target groups that a request asks for.
func (n namer) chosenGroups(c service.Call, in describeGroupsRequest) ([]simcloud.TargetGroup, error) {
	given := 0
	for _, is := range []bool{in.Balancer != "", len(in.ARNs) > 0, len(in.Names) > 0} {
		if is {
			given++
		}
	}
	if given > 1 {
		return nil, service.Refuse(simcloud.Invalid, "ValidationError", "The request must have at most one of LoadBalancerArn, TargetGroupArns and Names")
	}
	if len(in.ARNs) > 0 {
		return each(unique(in.ARNs), func(arn string) (simcloud.TargetGroup, error) { return n.findGroup(c, arn) })
	}
	var of simcloud.ID
	if in.Balancer != "" {
		lb, err := n.findBalancer(c, in.Balancer)
		if err != nil {
			return nil, err
		}
		of = lb.ID
	}
	all, err := service.All(c, c.Cloud.ListTargetGroups)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(g simcloud.TargetGroup) bool { return !simulated(g) || of != "" && g.LoadBalancer != of })
	return byName(all, in.Names, kindGroup, func(g simcloud.TargetGroup) string { return g.Name })
}

// showGroup is a target group as an answer has it.
func (n namer) showGroup(c service.Call, g simcloud.TargetGroup) (targetGroup, error) {
	d := targetGroup{
		ARN: n.group(g), Name: g.Name, Protocol: protocolName(g.Protocol), Port: g.Port, VPCID: ec2.VPCID(g.Network), TargetType: typeOf(g),
		IPAddressType: typeIPv4, check: checkOf(g),
	}
	if d.web() {
		d.Matcher = &matcher{"200-399"}
	}
	if g.LoadBalancer == "" {
		return d, nil
	}
	lb, err := c.Cloud.GetLoadBalancer(c.Ctx(), g.LoadBalancer)
	if err == nil && visible(lb) {
		d.Balancers = []string{n.balancer(lb)}
	}
	if absent(err) {
		err = nil
	}
	return d, err
}
