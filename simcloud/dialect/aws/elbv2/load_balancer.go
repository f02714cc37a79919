package elbv2

import (
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/ec2"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/elb"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type describeRequest struct {
	ARNs  []string `aws:"LoadBalancerArns"`
	Names []string `aws:"Names"`
	pages
}

type descriptions struct {
	LoadBalancers []description `aws:"LoadBalancers"`
	NextMarker    string        `aws:"NextMarker"`
}

// description is a load balancer as an answer has it. The CCM uses the VPC, the state and the subnets without a look.
type description struct {
	ARN           string    `aws:"LoadBalancerArn"`
	DNSName       string    `aws:"DNSName"`
	Created       time.Time `aws:"CreatedTime"`
	Name          string    `aws:"LoadBalancerName"`
	Scheme        string    `aws:"Scheme"`
	VPCID         string    `aws:"VpcId"`
	State         state     `aws:"State"`
	Type          string    `aws:"Type"`
	Zones         []zone    `aws:"AvailabilityZones"`
	Groups        []string  `aws:"SecurityGroups"`
	IPAddressType string    `aws:"IpAddressType"`
}

type state struct {
	Code   string `aws:"Code"`
	Reason string `aws:"Reason"`
}

// The words for what the dialect has of each.
const (
	typeNetwork   = "network"
	typeIPv4      = "ipv4"
	typeDualStack = "dualstack"
)

func describe(c service.Call, in describeRequest) (out descriptions, err error) {
	s, err := showerOf(c)
	if err != nil {
		return out, err
	}
	all, err := s.chosen(c, in)
	if err != nil {
		return out, err
	}
	shown, next, err := page(c, all, func(lb simcloud.LoadBalancer) simcloud.ID { return lb.ID }, in.pages, []any{in.ARNs, in.Names})
	out.NextMarker = next
	for _, lb := range shown {
		out.LoadBalancers = append(out.LoadBalancers, s.show(lb))
	}
	return out, err
}

// chosen are the load balancers that a request asks for.
func (s shower) chosen(c service.Call, in describeRequest) ([]simcloud.LoadBalancer, error) {
	if len(in.ARNs) > 0 && len(in.Names) > 0 {
		return nil, service.Refuse(simcloud.Invalid, "ValidationError", "The request has both LoadBalancerArns and Names: must have one of them")
	}
	if len(in.ARNs) > 0 {
		return each(unique(in.ARNs), func(arn string) (simcloud.LoadBalancer, error) { return s.findBalancer(c, arn) })
	}
	all, err := service.All(c, c.Cloud.ListLoadBalancers)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(lb simcloud.LoadBalancer) bool { return !visible(lb) })
	return byName(all, in.Names, kindBalancer, func(lb simcloud.LoadBalancer) string { return lb.Name })
}

// byName returns the items that have one of the names, or all when there are no names.
func byName[T any](all []T, names []string, kind string, name func(T) string) ([]T, error) {
	if len(names) == 0 {
		return all, nil
	}
	for _, wanted := range names {
		if !slices.ContainsFunc(all, func(item T) bool { return name(item) == wanted }) {
			return nil, service.Refuse(simcloud.NotFound, codeMissing[kind], "The %ss '[%s]' do not exist", titles[kind], query.Clip(strings.Join(names, ", ")))
		}
	}
	return slices.DeleteFunc(all, func(item T) bool { return !slices.Contains(names, name(item)) }), nil
}

// each finds what texts lead to.
func each[T any](texts []string, find func(string) (T, error)) ([]T, error) {
	var all []T
	for _, text := range texts {
		found, err := find(text)
		if err != nil {
			return nil, err
		}
		all = append(all, found)
	}
	return all, nil
}

// unique returns the texts, each once.
func unique(texts []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(texts)))
}

// visible reports whether the edition has a load balancer. One that is being deleted does not exist.
func visible(lb simcloud.LoadBalancer) bool {
	return lb.State != simcloud.LoadBalancerDeleting && lb.Class == elb.ClassNetwork
}

// findName returns the load balancer that has a name.
func findName(c service.Call, name string) (simcloud.LoadBalancer, error) {
	all, err := simcloud.ListAll(c.Ctx(), c.Cloud.ListLoadBalancers, simcloud.ListOptions{Name: name, PageSize: simcloud.MaxPageSize})
	if err != nil {
		return simcloud.LoadBalancer{}, err
	}
	if i := slices.IndexFunc(all, visible); i >= 0 {
		return all[i], nil
	}
	return simcloud.LoadBalancer{}, missing(kindBalancer)
}

// shower shows load balancers.
type shower struct {
	namer
	places []ec2.Place
}

func showerOf(c service.Call) (s shower, err error) {
	s.namer = namerOf(c)
	s.places, err = ec2.Places(c)
	return s, err
}

// show is a load balancer as an answer has it.
func (s shower) show(lb simcloud.LoadBalancer) description {
	d := description{
		ARN: s.balancer(lb), DNSName: lb.Hostname, Created: lb.Created, Name: lb.Name, Scheme: elb.SchemeOf(lb), VPCID: ec2.VPCID(lb.Network),
		State: stateOf(lb), Type: typeNetwork, Zones: s.zones(lb), IPAddressType: addressTypeOf(lb),
	}
	for _, id := range lb.SecurityGroups {
		d.Groups = append(d.Groups, string(id))
	}
	return d
}

// stateOf is where a load balancer is in its life. One that changes is active, as the CCM takes no hostname from others.
func stateOf(lb simcloud.LoadBalancer) state {
	switch lb.State {
	case simcloud.LoadBalancerProvisioning:
		return state{Code: "provisioning"}
	case simcloud.LoadBalancerError:
		return state{Code: "failed", Reason: lb.StatusText}
	default:
		return state{Code: "active"}
	}
}

// dnsName is the name of a new load balancer. The CCM takes what ends in .elb.amazonaws.com for a classic one.
func (n namer) dnsName(name string) string {
	return name + "-" + simcloud.HostnameNumber + ".elb." + string(n.region) + ".amazonaws.com"
}
