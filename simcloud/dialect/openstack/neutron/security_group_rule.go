package neutron

import (
	"net/http"
	"net/netip"
	"slices"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// groupRule is a rule of a security group.
type groupRule struct {
	ID                   string  `json:"id"`
	Description          string  `json:"description"`
	ProjectID            string  `json:"project_id"`
	TenantID             string  `json:"tenant_id"`
	RevisionNumber       uint64  `json:"revision_number"`
	CreatedAt            string  `json:"created_at"`
	UpdatedAt            string  `json:"updated_at"`
	GroupID              string  `json:"security_group_id"`
	Direction            string  `json:"direction"`
	Ethertype            string  `json:"ethertype"`
	Protocol             *string `json:"protocol"`
	PortRangeMin         *int    `json:"port_range_min"`
	PortRangeMax         *int    `json:"port_range_max"`
	RemoteIPPrefix       *string `json:"remote_ip_prefix"`
	RemoteGroupID        *string `json:"remote_group_id"`
	RemoteAddressGroupID *string `json:"remote_address_group_id"`
}

// The versions of IP of rules.
const (
	ethertypeIPv4 = "IPv4"
	ethertypeIPv6 = "IPv6"
)

// get makes a rule an item of a list. It has no tags.
func (r groupRule) get() standard {
	return standard{ID: r.ID, Description: r.Description, ProjectID: r.ProjectID, TenantID: r.TenantID, RevisionNumber: r.RevisionNumber}
}

// newGroupRule is a rule of a group, which has the times of the group.
func newGroupRule(g simcloud.SecurityGroup, rule simcloud.SecurityGroupRule) groupRule {
	of := standardOf(service.SecurityGroups.UUID(g.ID), g.Meta)
	shown := groupRule{
		ID: service.SecurityGroupRules.UUID(rule.ID), GroupID: of.ID, Description: rule.Description, Direction: string(rule.Direction),
		ProjectID: of.ProjectID, TenantID: of.TenantID, RevisionNumber: of.RevisionNumber, CreatedAt: of.CreatedAt, UpdatedAt: of.CreatedAt,
		Ethertype: ethertypeIPv4,
	}
	if prefix, err := netip.ParsePrefix(rule.CIDR); err == nil && prefix.Addr().Is6() {
		shown.Ethertype = ethertypeIPv6
	}
	shown.Protocol = protocolName(rule.Protocol, shown.Ethertype)
	shown.PortRangeMin, shown.PortRangeMax = portRange(rule.SecurityGroupRuleSpec)
	if !letsAllOut(rule.SecurityGroupRuleSpec) {
		shown.RemoteIPPrefix = textOrNull(rule.CIDR)
	}
	if rule.Group != "" {
		remote := service.SecurityGroups.UUID(rule.Group)
		shown.RemoteGroupID = &remote
	}
	return shown
}

// letsAllOut is whether a rule is one of those that a new group has, which have no prefix.
func letsAllOut(rule simcloud.SecurityGroupRuleSpec) bool {
	return rule.Direction == simcloud.Egress && rule.Protocol == simcloud.RuleAny &&
		(rule.CIDR == everything[ethertypeIPv4] || rule.CIDR == everything[ethertypeIPv6])
}

// protocolName is how Neutron names a protocol; null is any.
func protocolName(protocol simcloud.RuleProtocol, ethertype string) *string {
	switch {
	case protocol == simcloud.RuleAny:
		return nil
	case protocol == simcloud.RuleICMP && ethertype == ethertypeIPv6:
		return textOrNull("ipv6-icmp")
	default:
		return textOrNull(string(protocol))
	}
}

// portRange are the ports of a rule, or the type and the code of ICMP; null are all.
func portRange(rule simcloud.SecurityGroupRuleSpec) (from, to *int) {
	switch {
	case rule.FromPort == 0 && rule.ToPort == 0:
	case rule.Protocol == simcloud.RuleICMP:
		return numberOrNull(rule.FromPort), numberOrNull(rule.ToPort)
	default:
		return &rule.FromPort, &rule.ToPort
	}
	return nil, nil
}

// numberOrNull is a type or a code of ICMP, of which the cloud has -1 for all.
func numberOrNull(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}

// allGroupRules are those of all groups of the project.
func allGroupRules(c service.Call) ([]groupRule, error) {
	groups, err := allSecurityGroups(c)
	var all []groupRule
	for _, g := range groups {
		all = append(all, g.Rules...)
	}
	return all, err
}

func groupRuleFilters() filters[groupRule] {
	text := func(of func(groupRule) *string) func(groupRule) []string {
		return one(func(r groupRule) string { return deref(of(r)) })
	}
	number := func(of func(groupRule) *int) func(groupRule) []string {
		return func(r groupRule) []string {
			if n := of(r); n != nil {
				return []string{strconv.Itoa(*n)}
			}
			return nil
		}
	}
	return filters[groupRule]{
		"security_group_id": one(func(r groupRule) string { return r.GroupID }),
		"direction":         one(func(r groupRule) string { return r.Direction }),
		"ethertype":         one(func(r groupRule) string { return r.Ethertype }),
		"protocol":          text(func(r groupRule) *string { return r.Protocol }),
		"remote_ip_prefix":  text(func(r groupRule) *string { return r.RemoteIPPrefix }),
		"remote_group_id":   text(func(r groupRule) *string { return r.RemoteGroupID }),
		"port_range_min":    number(func(r groupRule) *int { return r.PortRangeMin }),
		"port_range_max":    number(func(r groupRule) *int { return r.PortRangeMax }),
	}
}

// ruleAt finds a rule by its id, and its group.
func ruleAt(c service.Call) (simcloud.SecurityGroup, simcloud.SecurityGroupRule, error) {
	groups, err := service.All(c, c.Cloud.ListSecurityGroups)
	if err != nil {
		return simcloud.SecurityGroup{}, simcloud.SecurityGroupRule{}, err
	}
	id := service.SecurityGroupRules.ID(c.UUID)
	for _, g := range groups {
		i := slices.IndexFunc(g.Rules, func(r simcloud.SecurityGroupRule) bool { return r.ID == id })
		if i >= 0 {
			return g, g.Rules[i], nil
		}
	}
	return simcloud.SecurityGroup{}, simcloud.SecurityGroupRule{}, noRule(c.UUID)
}

func noRule(uuid string) error {
	return refuse(simcloud.NotFound, http.StatusNotFound, "SecurityGroupRuleNotFound", "Security group rule %s does not exist", clip(uuid))
}

func getGroupRule(c service.Call) (any, error) {
	g, rule, err := ruleAt(c)
	if err != nil {
		return nil, err
	}
	return map[string]any{"security_group_rule": newGroupRule(g, rule)}, nil
}

func deleteGroupRule(c service.Call) (any, *simcloud.Meta, error) {
	g, rule, err := ruleAt(c)
	if err != nil {
		return nil, nil, err
	}
	changed, err := c.Cloud.RemoveSecurityGroupRules(c.Ctx(), g.ID, simcloud.SecurityGroupRuleIDs{Rules: []simcloud.ID{rule.ID}})
	return nil, &changed.Resource.Meta, err
}
