package elbv2

import (
	"cmp"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type describeListenersRequest struct {
	Balancer string   `aws:"LoadBalancerArn"`
	ARNs     []string `aws:"ListenerArns"`
	pages
}

type listeners struct {
	Listeners  []listener `aws:"Listeners"`
	NextMarker string     `aws:"NextMarker"`
}

// listener is a listener as an answer has it. The CCM uses the port and the first action without a look.
type listener struct {
	ARN          string        `aws:"ListenerArn"`
	Balancer     string        `aws:"LoadBalancerArn"`
	Port         int           `aws:"Port"`
	Protocol     string        `aws:"Protocol"`
	Certificates []certificate `aws:"Certificates"`
	Policy       string        `aws:"SslPolicy"`
	ALPN         []string      `aws:"AlpnPolicy"`
	Actions      []action      `aws:"DefaultActions"`
}

type certificate struct {
	ARN string `aws:"CertificateArn"`
}

// action is what a listener does. A network load balancer forwards to one target group.
type action struct {
	Type  string `aws:"Type,required"`
	Group string `aws:"TargetGroupArn"`
	Order *int   `aws:"Order"`
}

// typeForward is the type of all actions.
const typeForward = "forward"

// The options of a listener that the cloud keeps for the dialect.
const (
	optionCertificate = "aws-certificate"
	optionPolicy      = "aws-ssl-policy"
	optionALPN        = "aws-alpn-policy"
)

// firstPolicy is what a TLS listener has for which the client names none.
const firstPolicy = "ELBSecurityPolicy-2016-08"

// place is a listener with its load balancer.
type place struct {
	balancer simcloud.LoadBalancer
	listener simcloud.Listener
}

func describeListeners(c service.Call, in describeListenersRequest) (out listeners, err error) {
	n := namerOf(c)
	all, err := n.chosenListeners(c, in)
	if err != nil {
		return out, err
	}
	shown, next, err := page(c, all, func(p place) simcloud.ID { return p.balancer.ID + "/" + p.listener.ID }, in.pages, []any{in.Balancer, in.ARNs})
	if err != nil {
		return out, err
	}
	out.NextMarker = next
	for _, p := range shown {
		d, err := n.showListener(c, p.balancer, p.listener)
		if err != nil {
			return out, err
		}
		out.Listeners = append(out.Listeners, d)
	}
	return out, nil
}

// chosenListeners are the listeners that a request asks for.
func (n namer) chosenListeners(c service.Call, in describeListenersRequest) ([]place, error) {
	if (in.Balancer == "") == (len(in.ARNs) == 0) {
		return nil, service.Refuse(simcloud.Invalid, "ValidationError", "The request must have one of LoadBalancerArn and ListenerArns")
	}
	if in.Balancer == "" {
		return each(unique(in.ARNs), func(arn string) (place, error) {
			lb, l, err := n.findListener(c, arn)
			return place{lb, l}, err
		})
	}
	lb, err := n.findBalancer(c, in.Balancer)
	var all []place
	for _, l := range lb.Listeners {
		all = append(all, place{lb, l})
	}
	return all, err
}

// showListener is a listener as an answer has it. One that another API has made may forward to no group.
func (n namer) showListener(c service.Call, lb simcloud.LoadBalancer, l simcloud.Listener) (listener, error) {
	d := listener{
		ARN: n.listener(lb, l), Balancer: n.balancer(lb), Port: l.Port, Protocol: protocolName(l.Protocol), Policy: l.Options[optionPolicy],
		Actions: []action{{Type: typeForward}},
	}
	if l.Options[optionCertificate] != "" {
		d.Certificates = []certificate{{l.Options[optionCertificate]}}
	}
	if l.Options[optionALPN] != "" {
		d.ALPN = []string{l.Options[optionALPN]}
	}
	if l.TargetGroup == "" {
		return d, nil
	}
	g, err := c.Cloud.GetTargetGroup(c.Ctx(), l.TargetGroup)
	d.Actions[0].Group = n.group(g)
	return d, err
}

// settings are what a request says of a listener beside its port and protocol.
type settings struct {
	Certificates []certificate `aws:"Certificates"`
	Policy       string        `aws:"SslPolicy"`
	ALPN         []string      `aws:"AlpnPolicy"`
	Actions      []action      `aws:"DefaultActions"`
}

// options are those of a listener with the settings.
func (s settings) options(p simcloud.Protocol) (map[string]string, error) {
	if p != simcloud.ProtocolTLS {
		if len(s.Certificates) > 0 || s.Policy != "" || len(s.ALPN) > 0 {
			return nil, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "A listener with the protocol %s cannot have a certificate, a security policy or an ALPN policy", protocolName(p))
		}
		return map[string]string{}, nil
	}
	switch {
	case len(s.Certificates) != 1 || s.Certificates[0].ARN == "":
		return nil, service.Refuse(simcloud.Invalid, "ValidationError", "A certificate must be specified for a listener with the protocol TLS: exactly one")
	case len(s.ALPN) > 1:
		return nil, service.Refuse(simcloud.Invalid, "ValidationError", "AlpnPolicy has %d policies: must have at most one", len(s.ALPN))
	case !strings.HasPrefix(s.Certificates[0].ARN, "arn:"):
		return nil, service.Refuse(simcloud.Invalid, "CertificateNotFound", "Certificate ARN '%s' is not valid", query.Clip(s.Certificates[0].ARN))
	}
	all := map[string]string{optionCertificate: s.Certificates[0].ARN, optionPolicy: cmp.Or(s.Policy, firstPolicy)}
	if len(s.ALPN) == 1 {
		all[optionALPN] = s.ALPN[0]
	}
	return all, nil
}

// suitable are the protocols of target groups that a listener of a protocol can forward to.
var suitable = map[simcloud.Protocol][]simcloud.Protocol{
	simcloud.ProtocolTCP: {simcloud.ProtocolTCP, simcloud.ProtocolTCPUDP}, simcloud.ProtocolTLS: {simcloud.ProtocolTCP, simcloud.ProtocolTLS},
	simcloud.ProtocolUDP: {simcloud.ProtocolUDP, simcloud.ProtocolTCPUDP}, simcloud.ProtocolTCPUDP: {simcloud.ProtocolTCPUDP},
}

// group is the target group that the settings forward to, which must suit the listener.
func (s settings) group(c service.Call, n namer, lb simcloud.LoadBalancer, p simcloud.Protocol) (g simcloud.TargetGroup, err error) {
	switch {
	case len(s.Actions) != 1:
		return g, service.Refuse(simcloud.Invalid, "InvalidLoadBalancerAction", "DefaultActions has %d actions: must have exactly one", len(s.Actions))
	case s.Actions[0].Type != typeForward || s.Actions[0].Group == "":
		return g, service.Refuse(simcloud.Invalid, "InvalidLoadBalancerAction", "The action of a network load balancer must have the type %s and a TargetGroupArn", typeForward)
	}
	if g, err = n.findGroup(c, s.Actions[0].Group); err != nil {
		return g, err
	}
	switch {
	case !slices.Contains(suitable[p], g.Protocol):
		return g, service.Refuse(simcloud.Invalid, "IncompatibleProtocols", "A listener with the protocol %s cannot forward to a target group with the protocol %s", protocolName(p), protocolName(g.Protocol))
	case g.Network != lb.Network:
		return g, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "The target group '%s' is not in the VPC of the load balancer", s.Actions[0].Group)
	case g.LoadBalancer != "" && g.LoadBalancer != lb.ID:
		return g, service.Refuse(simcloud.Conflict, "TargetGroupAssociationLimit", "The target group '%s' is associated with another load balancer", s.Actions[0].Group)
	default:
		return g, nil
	}
}
