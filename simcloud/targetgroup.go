package simcloud

import (
	"fmt"
	"slices"
)

// TargetGroup is a set of targets with a port and a health check of its own. A listener
// that names it forwards to it, and not to the targets of its load balancer.
type TargetGroup struct {
	Meta
	Network  ID       `json:"network"`
	Protocol Protocol `json:"protocol"`
	// Port is where a target takes connections that has no port of its own.
	Port int `json:"port"`
	// HealthCheck asks each target at its own port, unless the check has a port.
	HealthCheck   *HealthCheck  `json:"healthCheck,omitempty"`
	ProxyProtocol bool          `json:"proxyProtocol,omitempty"`
	Targets       []GroupTarget `json:"targets"`
	// LoadBalancer is the one whose listeners name the group; empty: none does. A
	// group is of one load balancer at a time.
	LoadBalancer ID `json:"loadBalancer,omitempty"`
	// PartOf is the load balancer with which the group is deleted; empty: none. Only its listeners can name
	// the group: those of another one answer Conflict.
	PartOf ID `json:"partOf,omitempty"`
	// Options are settings of other clouds' groups. The cloud keeps and returns them, and does not interpret them.
	Options map[string]string `json:"options,omitempty"`
}

// Fits reports whether listeners of a protocol can name the group: it takes all their transports.
func (g TargetGroup) Fits(listener Protocol) bool {
	takes := g.Protocol.Transports()
	return !slices.ContainsFunc(listener.Transports(), func(p Protocol) bool { return !slices.Contains(takes, p) })
}

// GroupTarget is an instance or an address, and a port, to which a group forwards; together they are
// unique in it. When the instance is deleted, its target stays, unhealthy, until a client removes it.
type GroupTarget struct {
	GroupTargetSpec
	Health TargetHealth `json:"health"`
	// Reported is what the data plane has last reported of the target while its
	// instance ran; empty: nothing, or there is no data plane. See ReportGroupTargetHealth.
	Reported TargetHealth `json:"reported,omitempty"`
}

// GroupTargetSpec describes a target of a group.
type GroupTargetSpec struct {
	Instance ID `json:"instance,omitempty"`
	// Address is in place of an instance: see TargetSpec.Address.
	Address string `json:"address,omitempty"`
	// Port is where the target takes connections; 0 in a request means the port of the group. Answers always have it.
	Port   int `json:"port,omitempty"`
	Weight int `json:"weight,omitempty"` // 0 means 1
	// Options are settings of other clouds' targets, at most 8. The cloud keeps and returns them, and does not interpret
	// them. They do not tell targets apart.
	Options map[string]string `json:"options,omitempty"`
}

// GroupTargetKey is what identifies a target in its group.
type GroupTargetKey struct {
	Instance ID
	Address  string
	Port     int
}

// TargetGroupSpec describes a target group to create.
type TargetGroupSpec struct {
	Name          string            `json:"name"`
	Labels        map[string]string `json:"labels,omitempty"`
	Network       ID                `json:"network,omitempty"` // empty means the cloud's first
	Protocol      Protocol          `json:"protocol"`
	Port          int               `json:"port"`
	HealthCheck   *HealthCheck      `json:"healthCheck,omitempty"`
	ProxyProtocol bool              `json:"proxyProtocol,omitempty"`
	Targets       []GroupTargetSpec `json:"targets,omitempty"`
	Options       map[string]string `json:"options,omitempty"`
	// PartOf is a load balancer of the same network, with which the group is deleted; empty: none. Conflict: a
	// listener of another load balancer names the group. Locked: the load balancer is being deleted.
	PartOf ID `json:"partOf,omitempty"`
}

// TargetGroupUpdate changes what is not nil.
type TargetGroupUpdate struct {
	Name *string `json:"name,omitempty"`
	// Labels replaces all labels.
	Labels *map[string]string `json:"labels,omitempty"`
	// HealthCheck replaces the whole check.
	HealthCheck *HealthCheck `json:"healthCheck,omitempty"`
	// NoHealthCheck, if true, takes the check away: the targets are healthy while their instances run.
	NoHealthCheck bool  `json:"noHealthCheck,omitempty"`
	ProxyProtocol *bool `json:"proxyProtocol,omitempty"`
	// Options replaces all options.
	Options *map[string]string `json:"options,omitempty"`
	// Targets replaces all targets. Those that stay keep their health. It answers as AddGroupTargets does.
	Targets *[]GroupTargetSpec `json:"targets,omitempty"`
	// PartOf replaces the load balancer with which the group is deleted; an empty one keeps the group.
	PartOf *ID `json:"partOf,omitempty"`
}

// GroupTargets are targets to add to a group or to remove from it. Weights and
// options are ignored when targets are removed.
type GroupTargets struct {
	Targets []GroupTargetSpec `json:"targets"`
}

// Validate checks the spec.
func (s TargetGroupSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	f.labels("labels", s.Labels)
	f.listenerProtocol("protocol", s.Protocol)
	f.port("port", s.Port)
	if s.HealthCheck != nil {
		f.groupCheck("healthCheck.", *s.HealthCheck)
	}
	f.proxyProtocol("proxyProtocol", s.ProxyProtocol, s.Protocol)
	f.groupTargets(s.Targets, s.Port)
	f.options("options", s.Options)
	return InvalidFields(string(KindTargetGroup), f)
}

// Validate checks the update.
func (u TargetGroupUpdate) Validate() error {
	var f fieldErrors
	f.nameAndLabels(u.Name, u.Labels)
	if u.HealthCheck != nil {
		f.groupCheck("healthCheck.", *u.HealthCheck)
		if u.NoHealthCheck {
			f.add("noHealthCheck", "may not be set with healthCheck")
		}
	}
	f.newOptions(u.Options)
	if u.Targets != nil {
		f.groupTargets(*u.Targets, 0)
	}
	return InvalidFields(string(KindTargetGroup), f)
}

// Validate checks the targets.
func (g GroupTargets) Validate() error {
	var f fieldErrors
	if len(g.Targets) == 0 {
		f.add("targets", "must not be empty: give at least one target")
	}
	f.groupTargets(g.Targets, 0)
	return InvalidFields(string(KindTargetGroup), f)
}

// groupCheck checks the health check of a group, whose port may be that of each target.
func (f *fieldErrors) groupCheck(path string, h HealthCheck) {
	if h.Port != 0 {
		f.port(path+"port", h.Port)
	}
	f.checkSettings(path, h)
}

// groupTargets checks the targets of a group with a port, which is 0 where it is not known.
func (f *fieldErrors) groupTargets(targets []GroupTargetSpec, port int) {
	first := map[GroupTargetKey]int{}
	for i, target := range targets {
		path := fmt.Sprintf("targets[%d].", i)
		f.destinationOf(path, target.Instance, target.Address)
		if target.Port != 0 {
			f.port(path+"port", target.Port)
		}
		f.nonNegative(path+"weight", target.Weight)
		f.texts(path+"options", target.Options, textLimits{what: "options", count: 8, key: 64, value: 1024}) // a group can have 1,000 targets
		key := target.At(port)
		if other, twice := first[key]; twice {
			f.add(path+targetField(target.Address), "%s is targets[%d] already, with the same port", target.Key(), other)
		}
		first[key] = i
	}
}

// At is the key of the target in a group with a port, which is the target's if it
// has none of its own.
func (s GroupTargetSpec) At(port int) GroupTargetKey {
	if s.Port != 0 {
		port = s.Port
	}
	return GroupTargetKey{Instance: s.Instance, Address: PlainAddress(s.Address), Port: port}
}
