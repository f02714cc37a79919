package ec2

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

type authorizeRequest struct {
	named
	Permissions []permissionAsked `aws:"IpPermissions,required"`
}

// permissionAsked is a permission of a request, which stands for as many rules as it has ranges and groups.
type permissionAsked struct {
	Protocol string        `aws:"IpProtocol,required"`
	From     *int          `aws:"FromPort"`
	To       *int          `aws:"ToPort"`
	Ranges   []rangeAsked  `aws:"IpRanges"`
	Ranges6  []range6Asked `aws:"Ipv6Ranges"`
	Groups   []pairAsked   `aws:"Groups"`
}

type rangeAsked struct {
	CIDR        string `aws:"CidrIp,required"`
	Description string `aws:"Description"`
}

type range6Asked struct {
	CIDR        string `aws:"CidrIpv6,required"`
	Description string `aws:"Description"`
}

type pairAsked struct {
	named
	UserID      string `aws:"UserId"`
	Description string `aws:"Description"`
}

type authorized struct {
	Return bool        `aws:"return"`
	Rules  []groupRule `aws:"securityGroupRuleSet"`
}

// groupRule is a rule of a group as EC2 shows it by itself.
type groupRule struct {
	ID          string           `aws:"securityGroupRuleId"`
	GroupID     string           `aws:"groupId"`
	OwnerID     string           `aws:"groupOwnerId"`
	Egress      bool             `aws:"isEgress"`
	Protocol    string           `aws:"ipProtocol"`
	From        int              `aws:"fromPort"`
	To          int              `aws:"toPort"`
	CIDR        string           `aws:"cidrIpv4"`
	CIDR6       string           `aws:"cidrIpv6"`
	Referenced  *referencedGroup `aws:"referencedGroupInfo"`
	Description string           `aws:"description"`
}

type referencedGroup struct {
	ID     string `aws:"groupId"`
	UserID string `aws:"userId"`
}

// authorize adds rules to a group: all or none.
func authorize(c service.Call, in authorizeRequest) (out authorized, _ *simcloud.Meta, err error) {
	g, err := in.group(c)
	if err != nil {
		return out, nil, err
	}
	rules, err := ungroup(c, g, in.Permissions)
	if err != nil {
		return out, nil, err
	}
	there := map[simcloud.SecurityGroupRuleSpec]bool{}
	for _, r := range g.Rules {
		there[r.Traffic()] = true
	}
	for _, r := range rules {
		if there[r.Traffic()] {
			return out, nil, service.Refuse(simcloud.AlreadyExists, "InvalidPermission.Duplicate", "the specified rule \"%s\" already exists", told(r))
		}
	}
	changed, err := c.Cloud.AddSecurityGroupRules(c.Ctx(), g.ID, simcloud.SecurityGroupRules{Rules: rules})
	if err != nil {
		return out, nil, err
	}
	out.Return = true
	for _, r := range changed.Resource.Rules[len(g.Rules):] {
		out.Rules = append(out.Rules, groupRuleOf(g, r))
	}
	return out, &changed.Resource.Meta, nil
}

func groupRuleOf(g simcloud.SecurityGroup, r simcloud.SecurityGroupRule) groupRule {
	account := service.Account(g.Project)
	shown := groupRule{
		ID: string(r.ID), GroupID: string(g.ID), OwnerID: account, Egress: r.Direction == simcloud.Egress, Protocol: protocolOf(r.SecurityGroupRuleSpec),
		From: -1, To: -1, Description: r.Description,
	}
	if traffic := r.Traffic(); traffic.Protocol != simcloud.RuleAny {
		shown.From, shown.To = traffic.FromPort, traffic.ToPort
	}
	switch {
	case r.Group != "":
		shown.Referenced = &referencedGroup{string(r.Group), account}
	case isIPv6(r.CIDR):
		shown.CIDR6 = r.CIDR
	default:
		shown.CIDR = r.CIDR
	}
	return shown
}

type revokeRequest struct {
	named
	Permissions []permissionAsked `aws:"IpPermissions"`
	Rules       []string          `aws:"SecurityGroupRuleId"`
}

// revoke removes rules from a group, by what they let through or by their ids: all or none.
func revoke(c service.Call, in revokeRequest) (out returned, _ *simcloud.Meta, err error) {
	g, err := in.group(c)
	if err != nil {
		return out, nil, err
	}
	if (len(in.Permissions) == 0) == (len(in.Rules) == 0) {
		return out, nil, service.Refuse(simcloud.Invalid, "MissingParameter", "The request must contain one of the parameters ipPermissions and securityGroupRuleIds")
	}
	asked, err := ungroup(c, g, in.Permissions)
	if err != nil {
		return out, nil, err
	}
	ids, err := matching(g, asked, in.Rules)
	if err != nil {
		return out, nil, err
	}
	changed, err := c.Cloud.RemoveSecurityGroupRules(c.Ctx(), g.ID, simcloud.SecurityGroupRuleIDs{Rules: ids})
	if err != nil {
		return out, nil, err
	}
	return returned{true}, &changed.Resource.Meta, nil
}

// matching are the rules of a group that a request is for. One that the group does not have is an error.
func matching(g simcloud.SecurityGroup, asked []simcloud.SecurityGroupRuleSpec, named []string) (ids []simcloud.ID, _ error) {
	for _, id := range named {
		if !slices.ContainsFunc(g.Rules, func(r simcloud.SecurityGroupRule) bool { return string(r.ID) == id && r.Direction != simcloud.Egress }) {
			return nil, service.Refuse(simcloud.NotFound, "InvalidSecurityGroupRuleId.NotFound", "The security group rule ID '%s' does not exist", query.Clip(id))
		}
		ids = append(ids, simcloud.ID(id))
	}
	for _, spec := range asked {
		i := slices.IndexFunc(g.Rules, func(r simcloud.SecurityGroupRule) bool { return r.Traffic() == spec.Traffic() })
		if i < 0 {
			return nil, service.Refuse(simcloud.NotFound, "InvalidPermission.NotFound", "The specified rule does not exist in this security group: \"%s\"", told(spec))
		}
		ids = append(ids, g.Rules[i].ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// told is a rule in EC2's words.
func told(r simcloud.SecurityGroupRuleSpec) string {
	r = r.Traffic()
	peer := cmp.Or(r.CIDR, string(r.Group))
	if r.Protocol == simcloud.RuleAny {
		return "peer: " + peer + ", ALL, ALLOW"
	}
	return fmt.Sprintf("peer: %s, %s, from port: %d, to port: %d, ALLOW", peer, strings.ToUpper(string(r.Protocol)), r.FromPort, r.ToPort)
}

// ungroup returns the rules that permissions stand for.
func ungroup(c service.Call, g simcloud.SecurityGroup, asked []permissionAsked) (all []simcloud.SecurityGroupRuleSpec, _ error) {
	for i, p := range asked {
		at := fmt.Sprintf("IpPermissions.%d.", i+1)
		rule, err := p.traffic(at)
		if err != nil {
			return nil, err
		}
		if len(p.Ranges)+len(p.Ranges6)+len(p.Groups) == 0 {
			return nil, service.Refuse(simcloud.Invalid, "MissingParameter", "%sIpRanges, Ipv6Ranges or Groups must have an element", at)
		}
		peers, err := p.peers(c, g, at)
		if err != nil {
			return nil, err
		}
		for _, peer := range peers {
			rule.CIDR, rule.Group, rule.Description = peer.CIDR, peer.Group, peer.Description
			all = append(all, rule)
		}
	}
	return all, nil
}

// peers are what the rules of a permission are for: rules with that alone.
func (p permissionAsked) peers(c service.Call, g simcloud.SecurityGroup, at string) (all []simcloud.SecurityGroupRuleSpec, _ error) {
	for i, r := range p.Ranges {
		cidr, err := block(fmt.Sprintf("%sIpRanges.%d.CidrIp", at, i+1), r.CIDR, netip.Addr.Is4)
		if err != nil {
			return nil, err
		}
		all = append(all, simcloud.SecurityGroupRuleSpec{CIDR: cidr, Description: r.Description})
	}
	for i, r := range p.Ranges6 {
		cidr, err := block(fmt.Sprintf("%sIpv6Ranges.%d.CidrIpv6", at, i+1), r.CIDR, netip.Addr.Is6)
		if err != nil {
			return nil, err
		}
		all = append(all, simcloud.SecurityGroupRuleSpec{CIDR: cidr, Description: r.Description})
	}
	for _, pair := range p.Groups {
		if pair.UserID != "" && pair.UserID != service.Account(g.Project) {
			return nil, service.Refuse(simcloud.NotFound, "InvalidGroup.NotFound", "The account '%s' has no security groups here", query.Clip(pair.UserID))
		}
		other, err := pair.group(c)
		if err != nil {
			return nil, err
		}
		all = append(all, simcloud.SecurityGroupRuleSpec{Group: other.ID, Description: pair.Description})
	}
	return all, nil
}

// block reads a range of addresses, whose host part EC2 drops.
func block(field, text string, is func(netip.Addr) bool) (string, error) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil || !is(prefix.Addr()) {
		return "", service.Refuse(simcloud.Invalid, "InvalidParameterValue", "%s: CIDR block %s is malformed", field, query.Clip(text))
	}
	return prefix.Masked().String(), nil
}

// traffic is what a permission lets through, from anywhere.
func (p permissionAsked) traffic(at string) (rule simcloud.SecurityGroupRuleSpec, err error) {
	switch strings.ToLower(p.Protocol) {
	case allProtocols:
		return simcloud.SecurityGroupRuleSpec{Protocol: simcloud.RuleAny}, nil
	case protocolTCP, "6":
		rule.Protocol = simcloud.RuleTCP
	case protocolUDP, "17":
		rule.Protocol = simcloud.RuleUDP
	case protocolICMP, "1", icmpOfIPv6, "58":
		rule.Protocol = simcloud.RuleICMP
		if err := p.family(at); err != nil {
			return rule, err
		}
	default:
		return rule, service.Refuse(simcloud.Invalid, "InvalidParameterValue",
			"%sIpProtocol is '%s': must be one of -1, tcp, udp, icmp, icmpv6 and their numbers; others are not simulated", at, query.Clip(p.Protocol))
	}
	if p.From == nil || p.To == nil {
		return rule, service.Refuse(simcloud.Invalid, "MissingParameter", "%sFromPort and ToPort are required for the protocol %s", at, p.Protocol)
	}
	rule.FromPort, rule.ToPort = *p.From, *p.To
	if rule.Protocol == simcloud.RuleICMP {
		return rule, p.icmp(at)
	}
	return rule, p.ports(at)
}

// family: the two editions of ICMP are for ranges of their own.
func (p permissionAsked) family(at string) error {
	six := strings.EqualFold(p.Protocol, icmpOfIPv6) || p.Protocol == "58"
	if six && len(p.Ranges)+len(p.Groups) > 0 || !six && len(p.Ranges6) > 0 {
		return service.Refuse(simcloud.Invalid, "InvalidParameterValue",
			"%sIpProtocol is '%s': icmp is simulated with IpRanges and Groups, icmpv6 with Ipv6Ranges", at, p.Protocol)
	}
	return nil
}

// ports checks the ports of tcp and udp.
func (p permissionAsked) ports(at string) error {
	const most = 65535
	switch {
	case *p.From == 0 && *p.To == 0:
		return service.Refuse(simcloud.Invalid, "InvalidParameterValue", "%sFromPort: the port 0 alone is not simulated", at)
	case *p.From < 0 || *p.To > most || *p.From > *p.To:
		return service.Refuse(simcloud.Invalid, "InvalidParameterValue",
			"Invalid value for portRange: %sFromPort is %d and ToPort %d, must be between 0 and %d, the first at most the second", at, *p.From, *p.To, most)
	}
	return nil
}

// icmp checks type and code.
func (p permissionAsked) icmp(at string) error {
	const most = 255
	switch {
	case *p.From == 0 && *p.To == 0:
		return service.Refuse(simcloud.Invalid, "InvalidParameterValue", "%sFromPort: type 0 with code 0 alone is not simulated, with code -1 it is", at)
	case *p.From < -1 || *p.From > most || *p.To < -1 || *p.To > most:
		return service.Refuse(simcloud.Invalid, "InvalidParameterValue",
			"ICMP type (%d) or code (%d) is out of range: %sFromPort and ToPort must be between -1 and %d", *p.From, *p.To, at, most)
	}
	return nil
}
