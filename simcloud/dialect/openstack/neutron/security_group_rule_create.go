package neutron

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// ruleRequest has one rule or several.
type ruleRequest struct {
	Rule  *ruleSpec   `json:"security_group_rule"`
	Rules *[]ruleSpec `json:"security_group_rules"`
}

// ruleSpec is a rule to add.
type ruleSpec struct {
	GroupID        string   `json:"security_group_id"`
	Direction      string   `json:"direction"`
	Ethertype      string   `json:"ethertype"`
	Protocol       protocol `json:"protocol"`
	PortRangeMin   *int     `json:"port_range_min"`
	PortRangeMax   *int     `json:"port_range_max"`
	RemoteIPPrefix *string  `json:"remote_ip_prefix"`
	RemoteGroupID  *string  `json:"remote_group_id"`
	Description    string   `json:"description"`
	ProjectID      string   `json:"project_id"`
	TenantID       string   `json:"tenant_id"`
}

// protocol is a name or a number, which may also be a JSON number.
type protocol string

// UnmarshalJSON implements json.Unmarshaler.
func (p *protocol) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(raw, []byte(`"`)) {
		var text string
		err := json.Unmarshal(raw, &text)
		*p = protocol(text)
		return err
	}
	if !bytes.Equal(raw, []byte("null")) {
		*p = protocol(raw)
	}
	return nil
}

// protocols are the names and numbers of those that the cloud knows.
var protocols = map[protocol]simcloud.RuleProtocol{
	"": simcloud.RuleAny, "any": simcloud.RuleAny, "0": simcloud.RuleAny,
	"tcp": simcloud.RuleTCP, "6": simcloud.RuleTCP,
	"udp": simcloud.RuleUDP, "17": simcloud.RuleUDP,
	"icmp": simcloud.RuleICMP, "1": simcloud.RuleICMP,
	"icmpv6": simcloud.RuleICMP, "ipv6-icmp": simcloud.RuleICMP, "58": simcloud.RuleICMP,
}

// createGroupRules adds one rule, or several at once.
func createGroupRules(c service.Call, in ruleRequest) (any, *simcloud.Meta, error) {
	switch {
	case in.Rule != nil && in.Rules == nil:
		shown, meta, err := addGroupRules(c, []ruleSpec{*in.Rule})
		if err != nil {
			return nil, nil, err
		}
		return map[string]any{"security_group_rule": shown[0]}, meta, nil
	case in.Rules == nil || in.Rule != nil:
		return nil, nil, service.Wrong("security_group_rule", "must be an object, or security_group_rules a list of them")
	}
	shown, meta, err := addGroupRules(c, *in.Rules)
	return map[string]any{"security_group_rules": shown}, meta, err
}

// groupAddition is the rules of a request that one group gets.
type groupAddition struct {
	group simcloud.SecurityGroup
	rules []simcloud.SecurityGroupRuleSpec
	// places are those of the rules in the request.
	places []int
}

// addGroupRules adds the rules of a request, those of one group by one change of the cloud, and returns them in the order of the request.
func addGroupRules(c service.Call, specs []ruleSpec) ([]groupRule, *simcloud.Meta, error) {
	additions, err := groupAdditions(c, specs)
	if err != nil {
		return nil, nil, err
	}
	shown, meta := make([]groupRule, len(specs)), (*simcloud.Meta)(nil)
	for _, a := range additions {
		changed, err := c.Cloud.AddSecurityGroupRules(c.Ctx(), a.group.ID, simcloud.SecurityGroupRules{Rules: a.rules})
		if err != nil {
			return nil, nil, err
		}
		added := changed.Resource.Rules[len(changed.Resource.Rules)-len(a.rules):]
		for i, place := range a.places {
			shown[place] = newGroupRule(changed.Resource, added[i])
		}
		meta = &changed.Resource.Meta
	}
	return shown, meta, nil
}

// groupAdditions are the rules of a request by their groups, in the order in which the request names those.
func groupAdditions(c service.Call, specs []ruleSpec) ([]*groupAddition, error) {
	var all []*groupAddition
	known := map[string]*groupAddition{}
	for place, spec := range specs {
		if err := ownProject(c, spec.ProjectID, spec.TenantID); err != nil {
			return nil, err
		}
		to, read := known[spec.GroupID]
		if !read {
			g, err := groupAt(c, spec.GroupID)
			if err != nil {
				return nil, err
			}
			to = &groupAddition{group: g}
			known[spec.GroupID], all = to, append(all, to)
		}
		rule, err := spec.rule(c)
		if err != nil {
			return nil, err
		}
		if err := to.free(rule); err != nil {
			return nil, err
		}
		to.rules, to.places = append(to.rules, rule), append(to.places, place)
	}
	return all, nil
}

// free refuses a rule that the group has, or gets by the same request.
func (a *groupAddition) free(rule simcloud.SecurityGroupRuleSpec) error {
	for _, have := range a.group.Rules {
		if have.Traffic() == rule.Traffic() {
			return refuse(simcloud.AlreadyExists, http.StatusConflict, "SecurityGroupRuleExists",
				"Security group rule already exists. Rule id is %s.", service.SecurityGroupRules.UUID(have.ID))
		}
	}
	for _, other := range a.rules {
		if other.Traffic() == rule.Traffic() {
			return refuse(simcloud.AlreadyExists, http.StatusConflict, "DuplicateSecurityGroupRuleInPost", "Duplicate Security Group Rule in POST.")
		}
	}
	return nil
}

// groupAt returns the group of an id.
func groupAt(c service.Call, uuid string) (simcloud.SecurityGroup, error) {
	id := service.SecurityGroups.ID(uuid)
	g, err := c.Cloud.GetSecurityGroup(c.Ctx(), id)
	if id == "" || simcloud.CodeOf(err) == simcloud.NotFound {
		return g, missing("SecurityGroupNotFound", "Security group", uuid)
	}
	return g, err
}

// rule is the rule of the cloud that a request asks for.
func (s ruleSpec) rule(c service.Call) (rule simcloud.SecurityGroupRuleSpec, err error) {
	rule = simcloud.SecurityGroupRuleSpec{Direction: simcloud.Direction(s.Direction), Description: s.Description}
	if rule.Direction != simcloud.Ingress && rule.Direction != simcloud.Egress {
		return rule, service.Wrong("security_group_rule.direction", "%q is not allowed: must be ingress or egress", clip(s.Direction))
	}
	ethertype, err := s.version()
	if err != nil {
		return rule, err
	}
	if rule.Protocol, err = s.known(ethertype); err != nil {
		return rule, err
	}
	if rule.FromPort, rule.ToPort, err = s.ports(rule.Protocol); err != nil {
		return rule, err
	}
	rule.CIDR, rule.Group, err = s.remote(c, ethertype)
	return rule, err
}

// version is the version of IP that a rule is for.
func (s ruleSpec) version() (string, error) {
	for _, known := range []string{ethertypeIPv4, ethertypeIPv6} {
		if strings.EqualFold(cmp.Or(s.Ethertype, ethertypeIPv4), known) {
			return known, nil
		}
	}
	return "", service.Wrong("security_group_rule.ethertype", "%q is not allowed: must be IPv4 or IPv6", clip(s.Ethertype))
}

// known is the protocol of a rule.
func (s ruleSpec) known(ethertype string) (simcloud.RuleProtocol, error) {
	name := protocol(strings.ToLower(string(s.Protocol)))
	known, ok := protocols[name]
	if !ok {
		return "", refuse(simcloud.Invalid, http.StatusBadRequest, "SecurityGroupRuleInvalidProtocol",
			"Security group rule protocol %s not supported. simcloud has any, tcp, udp, icmp and ipv6-icmp, and their numbers.", clip(string(s.Protocol)))
	}
	if slices.Contains([]protocol{"icmpv6", "ipv6-icmp", "58"}, name) && ethertype != ethertypeIPv6 {
		return "", refuse(simcloud.Invalid, http.StatusBadRequest, "SecurityGroupEthertypeConflictWithProtocol",
			"Invalid ethertype %s for protocol %s.", ethertype, name)
	}
	return known, nil
}

// maxPort is the last port.
const maxPort = 65535

// ports are the first and the last port of a rule, or the type and the code of ICMP.
func (s ruleSpec) ports(of simcloud.RuleProtocol) (from, to int, err error) {
	switch {
	case s.PortRangeMin == nil && s.PortRangeMax == nil:
		return 0, 0, nil
	case of == simcloud.RuleAny:
		return 0, 0, refuse(simcloud.Invalid, http.StatusBadRequest, "SecurityGroupProtocolRequiredWithPorts", "Must also specify protocol if port range is given.")
	case of == simcloud.RuleICMP:
		return s.icmp()
	case s.PortRangeMin == nil || s.PortRangeMax == nil || *s.PortRangeMin > *s.PortRangeMax:
		return 0, 0, refuse(simcloud.Invalid, http.StatusBadRequest, "SecurityGroupInvalidPortRange", "For TCP/UDP protocols, port_range_min must be <= port_range_max")
	case *s.PortRangeMin < 1 || *s.PortRangeMax > maxPort:
		return 0, 0, refuse(simcloud.Invalid, http.StatusBadRequest, "SecurityGroupInvalidPortValue",
			"Invalid value for port %d to %d: must be between 1 and %d", *s.PortRangeMin, *s.PortRangeMax, maxPort)
	}
	return *s.PortRangeMin, *s.PortRangeMax, nil
}

// icmp are the type and the code of a rule; -1 for all.
func (s ruleSpec) icmp() (kind, code int, err error) {
	const last = 255
	if s.PortRangeMin == nil {
		return 0, 0, refuse(simcloud.Invalid, http.StatusBadRequest, "SecurityGroupMissingIcmpType",
			"ICMP code (port-range-max) %d is provided but ICMP type (port-range-min) is missing.", *s.PortRangeMax)
	}
	kind, code = *s.PortRangeMin, -1
	if s.PortRangeMax != nil {
		code = *s.PortRangeMax
	}
	if kind < 0 || kind > last || code < -1 || code > last {
		return 0, 0, refuse(simcloud.Invalid, http.StatusBadRequest, "SecurityGroupInvalidIcmpValue",
			"Invalid value for ICMP type %d or code %d: must be between 0 and %d", kind, code, last)
	}
	if kind == 0 && code == 0 { // in the cloud both 0 are all
		return 0, 0, service.Wrong("security_group_rule.port_range_max", "0 is not allowed with type 0: simcloud cannot tell it from all; leave it out")
	}
	return kind, code, nil
}

// remote is where traffic comes from, or where it goes: a range or a group. Without both it is everywhere.
func (s ruleSpec) remote(c service.Call, ethertype string) (cidr string, group simcloud.ID, err error) {
	prefix, remote := deref(s.RemoteIPPrefix), deref(s.RemoteGroupID)
	switch {
	case prefix != "" && remote != "":
		return "", "", refuse(simcloud.Invalid, http.StatusBadRequest, "SecurityGroupMultipleRemoteEntites", "Only one of remote_ip_prefix or remote_group_id or remote_address_group_id may be provided.")
	case prefix != "":
		cidr, err = rangeOf(prefix, ethertype)
		return cidr, "", err
	case remote == "":
		return everything[ethertype], "", nil
	case ethertype != ethertypeIPv4:
		return "", "", service.Wrong("security_group_rule.ethertype", "IPv6 is not allowed with remote_group_id: simcloud has such rules for both versions at once; use IPv4")
	}
	g, err := groupAt(c, remote)
	return "", g.ID, err
}

// rangeOf reads a range, which may be one address.
func rangeOf(text, ethertype string) (string, error) {
	prefix, err := netip.ParsePrefix(text)
	if addr, errAddr := netip.ParseAddr(text); errAddr == nil {
		prefix, err = netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	if err != nil {
		return "", service.Wrong("security_group_rule.remote_ip_prefix", "%q is not allowed: must be an IP address or a CIDR", clip(text))
	}
	if prefix.Addr().Is4() != (ethertype == ethertypeIPv4) {
		return "", refuse(simcloud.Invalid, http.StatusBadRequest, "SecurityGroupRuleParameterConflict", "Conflicting value ethertype %s for CIDR %s", ethertype, prefix)
	}
	return prefix.Masked().String(), nil
}
