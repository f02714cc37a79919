package simcloud

import (
	"fmt"
	"net/netip"
)

// SecurityGroup is a list of rules for what instances and load balancers take and
// send. What has no group takes everything; what has groups takes what a rule
// of any of them lets in. The data plane enforces rules for ingress. It keeps
// to connections that begin: those that are there go on as they began.
type SecurityGroup struct {
	Meta
	Description string `json:"description,omitempty"`
	// Network is the network of the instances and load balancers that can have the
	// group; empty: any.
	Network ID                  `json:"network,omitempty"`
	Rules   []SecurityGroupRule `json:"rules"`
}

// SecurityGroupRule is one rule of a security group. No two rules of a group are
// the same, apart from id and description.
type SecurityGroupRule struct {
	ID ID `json:"id"`
	SecurityGroupRuleSpec
}

// SecurityGroupRuleSpec describes a rule to add. Exactly one of CIDR and Group is set.
type SecurityGroupRuleSpec struct {
	// Direction is whether the rule is for what comes or for what goes; empty means ingress.
	Direction Direction `json:"direction,omitempty"`
	// Protocol is what the rule is for; empty means any.
	Protocol RuleProtocol `json:"protocol,omitempty"`
	// FromPort and ToPort are the first and the last port of tcp and udp; both 0 mean
	// all. Of icmp they are type and code, each -1 for any; both 0 mean all.
	FromPort int `json:"fromPort,omitempty"`
	ToPort   int `json:"toPort,omitempty"`
	// CIDR is where traffic comes from, for egress where it goes.
	CIDR string `json:"cidr,omitempty"`
	// Group is a security group in place of a range: all that has the group. It may
	// be the group of the rule itself.
	Group       ID     `json:"group,omitempty"`
	Description string `json:"description,omitempty"`
}

// Direction is which way traffic goes.
type Direction string

// The directions of a rule.
const (
	// Ingress is to what has the group.
	Ingress Direction = "ingress"
	// Egress is from what has the group. Rules for it are kept, and the data plane
	// does not enforce them: in it nothing begins at an instance.
	Egress Direction = "egress"
)

// RuleProtocol is the protocol of a rule of a security group.
type RuleProtocol string

// The protocols of a rule.
const (
	RuleAny  RuleProtocol = "any"
	RuleTCP  RuleProtocol = "tcp"
	RuleUDP  RuleProtocol = "udp"
	RuleICMP RuleProtocol = "icmp"
)

// DefaultSecurityGroup is the name of the group that a network has for instances without groups, in clouds
// where Config.DefaultSecurityGroups is on.
const DefaultSecurityGroup = "default"

// MaxSecurityGroups is how many security groups an instance or a load balancer takes.
const MaxSecurityGroups = 16

// DefaultSecurityGroupRules is how many rules a security group takes where Config does not say.
const DefaultSecurityGroupRules = 500

// SecurityGroupSpec describes a security group to create.
type SecurityGroupSpec struct {
	Name        string                  `json:"name"`
	Description string                  `json:"description,omitempty"`
	Labels      map[string]string       `json:"labels,omitempty"`
	Network     ID                      `json:"network,omitempty"` // empty means any
	Rules       []SecurityGroupRuleSpec `json:"rules,omitempty"`
}

// SecurityGroupUpdate changes what is not nil.
type SecurityGroupUpdate struct {
	Name        *string `json:"name,omitempty"`
	Description *string `json:"description,omitempty"`
	// Labels replaces all labels.
	Labels *map[string]string `json:"labels,omitempty"`
}

// SecurityGroupRules are rules to add.
type SecurityGroupRules struct {
	Rules []SecurityGroupRuleSpec `json:"rules"`
}

// SecurityGroupRuleIDs are rules to remove.
type SecurityGroupRuleIDs struct {
	Rules []ID `json:"rules"`
}

// Normal returns the rule in its one spelling, with nothing left to be guessed.
func (r SecurityGroupRuleSpec) Normal() SecurityGroupRuleSpec {
	if r.Direction == "" {
		r.Direction = Ingress
	}
	if r.Protocol == "" {
		r.Protocol = RuleAny
	}
	if prefix, err := netip.ParsePrefix(r.CIDR); err == nil {
		r.CIDR = prefix.String()
	}
	return r
}

// Traffic returns what the rule lets through, without a description. It is equal for
// rules that are the same, however they are spelled.
func (r SecurityGroupRuleSpec) Traffic() SecurityGroupRuleSpec {
	r = r.Normal()
	r.Description = ""
	if r.FromPort != 0 || r.ToPort != 0 {
		return r
	}
	switch r.Protocol {
	case RuleTCP, RuleUDP:
		r.ToPort = maxPort
	case RuleICMP:
		r.FromPort, r.ToPort = -1, -1
	case RuleAny:
	}
	return r
}

// Covers reports whether the rule is for a port of a protocol, tcp or udp.
func (r SecurityGroupRuleSpec) Covers(protocol Protocol, port int) bool {
	if r = r.Traffic(); r.Protocol == RuleAny {
		return true
	}
	return string(r.Protocol) == string(protocol) && r.FromPort <= port && port <= r.ToPort
}

const (
	maxPort = 65535
	// maxICMP is the highest type and code of ICMP.
	maxICMP = 255
	// maxRuleDescription is how many bytes a rule or group can say about itself.
	maxRuleDescription = 255
)

// Validate checks the spec.
func (s SecurityGroupSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	f.describes("description", s.Description)
	f.labels("labels", s.Labels)
	f.rules(s.Rules)
	return InvalidFields(string(KindSecurityGroup), f)
}

// Validate checks the update.
func (u SecurityGroupUpdate) Validate() error {
	var f fieldErrors
	f.nameAndLabels(u.Name, u.Labels)
	if u.Description != nil {
		f.describes("description", *u.Description)
	}
	return InvalidFields(string(KindSecurityGroup), f)
}

// Validate checks the rules.
func (r SecurityGroupRules) Validate() error {
	var f fieldErrors
	if len(r.Rules) == 0 {
		f.add("rules", "must not be empty: give the rules to add")
	}
	f.rules(r.Rules)
	return InvalidFields(string(KindSecurityGroup), f)
}

// Validate checks that there are ids, each once.
func (r SecurityGroupRuleIDs) Validate() error {
	var f fieldErrors
	if len(r.Rules) == 0 {
		f.add("rules", "must not be empty: give the ids of the rules to remove")
	}
	f.distinct("rules", r.Rules)
	return InvalidFields(string(KindSecurityGroup), f)
}

func (f *fieldErrors) describes(field, text string) {
	if len(text) > maxRuleDescription {
		f.add(field, "has %d bytes: must have at most %d", len(text), maxRuleDescription)
	}
	f.printable(field, text)
}

func (f *fieldErrors) rules(rules []SecurityGroupRuleSpec) {
	for i, rule := range rules {
		f.rule(fmt.Sprintf("rules[%d].", i), rule)
	}
}

func (f *fieldErrors) rule(path string, r SecurityGroupRuleSpec) {
	if r.Direction != "" {
		oneOf(f, path+"direction", r.Direction, Ingress, Egress)
	}
	if r.Protocol != "" {
		oneOf(f, path+"protocol", r.Protocol, RuleAny, RuleTCP, RuleUDP, RuleICMP)
	}
	f.rulePorts(path, r)
	if (r.CIDR == "") == (r.Group == "") {
		f.add(path+"cidr", "exactly one of cidr and group must be set")
	}
	if r.CIDR != "" {
		f.cidr(path+"cidr", r.CIDR)
	}
	f.describes(path+"description", r.Description)
}

func (f *fieldErrors) rulePorts(path string, r SecurityGroupRuleSpec) {
	switch r.Protocol {
	case RuleTCP, RuleUDP:
		f.within(path+"fromPort", r.FromPort, 0, maxPort)
		f.within(path+"toPort", r.ToPort, 0, maxPort)
		if r.ToPort < r.FromPort {
			f.add(path+"toPort", "%d is below fromPort, %d", r.ToPort, r.FromPort)
		}
	case RuleICMP:
		f.within(path+"fromPort", r.FromPort, -1, maxICMP)
		f.within(path+"toPort", r.ToPort, -1, maxICMP)
	default:
		if r.FromPort != 0 || r.ToPort != 0 {
			f.add(path+"fromPort", "may only be set when protocol is tcp, udp or icmp, as may toPort")
		}
	}
}

func (f *fieldErrors) within(field string, n, lowest, highest int) {
	if n < lowest || n > highest {
		f.add(field, "%d must be between %d and %d", n, lowest, highest)
	}
}

// securityGroups checks the groups that something is to have.
func (f *fieldErrors) securityGroups(ids []ID) {
	const field = "securityGroups"
	if len(ids) > MaxSecurityGroups {
		f.add(field, "%d groups are too many: at most %d", len(ids), MaxSecurityGroups)
	}
	f.distinct(field, ids)
}
