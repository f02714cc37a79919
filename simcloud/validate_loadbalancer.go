package simcloud

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Validate checks the spec, its listeners and its targets.
func (s LoadBalancerSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	f.labels("labels", s.Labels)
	f.printable("class", s.Class)
	if s.Scheme != "" {
		oneOf(&f, "scheme", s.Scheme, SchemePublic, SchemeInternal)
	}
	if s.Algorithm != "" {
		oneOf(&f, "algorithm", s.Algorithm, RoundRobin, LeastConnections)
	}
	f.affinity("affinity", s.Affinity)
	if s.Hostname != "" {
		const longest = math.MaxUint64 // what the number can come to
		f.dnsName("hostname", strings.ReplaceAll(s.Hostname, HostnameNumber, strconv.FormatUint(longest, 10)))
	}
	f.vips("addresses", s)
	f.publicFamilies("publicFamilies", s)
	f.placements("placements", s)
	f.nonNegative("maxTargets", s.MaxTargets)
	f.nonNegative("maxListeners", s.MaxListeners)
	f.networks("networks", s.Networks)
	f.securityGroups(s.SecurityGroups)
	f.options("options", s.Options)
	if s.PublicDisabled && s.Scheme == SchemeInternal {
		f.add("publicDisabled", "may only be set when scheme is public: an internal load balancer has no public addresses")
	}
	for i, l := range s.Listeners {
		path := fmt.Sprintf("listeners[%d].", i)
		f.listener(path, l)
		f.vacant(path+"port", l, s.Listeners[:i])
	}
	targets := map[ID]int{}
	for i, t := range s.Targets {
		path := fmt.Sprintf("targets[%d].", i)
		f.target(path, t)
		if first, taken := targets[t.Key()]; taken {
			f.add(path+targetField(t.Address), "%s is targets[%d] already", t.Key(), first)
		}
		targets[t.Key()] = i
	}
	return InvalidFields(string(KindLoadBalancer), f)
}

// vacant checks that no listener before has the port.
func (f *fieldErrors) vacant(path string, l ListenerSpec, before []ListenerSpec) {
	for first, other := range before {
		if transport := l.Protocol.Shared(other.Protocol); transport != "" && l.Port == other.Port {
			f.add(path, "%s port %d is taken by listeners[%d]", transport, l.Port, first)
			return
		}
	}
}

// vips checks the addresses that a load balancer is to have.
func (f *fieldErrors) vips(path string, s LoadBalancerSpec) {
	if len(s.Addresses) > 0 && s.Scheme != SchemeInternal {
		f.add(path, "may only be set when scheme is internal: a public load balancer gets its addresses from pools")
	}
	f.perFamily(path, s.Addresses)
}

// perFamily checks addresses, of which there is at most one of each family.
func (f *fieldErrors) perFamily(path string, addresses []string) {
	first := map[bool]int{}
	for i, text := range addresses {
		field := fmt.Sprintf("%s[%d]", path, i)
		addr, err := netip.ParseAddr(text)
		if err != nil {
			f.add(field, "%q is not an IP address", text)
			continue
		}
		if other, taken := first[addr.Is4()]; taken {
			f.add(field, "%s is of the same family as %s[%d]: at most one of each family is allowed", text, path, other)
		}
		first[addr.Is4()] = i
	}
}

// publicFamilies checks the families of which a load balancer is to have a public address.
func (f *fieldErrors) publicFamilies(path string, s LoadBalancerSpec) {
	if len(s.PublicFamilies) > 0 && s.Scheme == SchemeInternal {
		f.add(path, "may only be set when scheme is public: an internal load balancer has addresses of its network")
	}
	f.families(path, s.PublicFamilies)
}

// families checks families of addresses, each of which is named once.
func (f *fieldErrors) families(path string, all []int) {
	for i, family := range all {
		field := fmt.Sprintf("%s[%d]", path, i)
		switch first := slices.Index(all, family); {
		case family != 4 && family != 6:
			f.add(field, "%d is no address family: must be 4 or 6", family)
		case first < i:
			f.add(field, "%d is %s[%d] already", family, path, first)
		}
	}
}

// Validate checks the update.
func (u LoadBalancerUpdate) Validate() error {
	var f fieldErrors
	f.nameAndLabels(u.Name, u.Labels)
	if u.Algorithm != nil {
		oneOf(&f, "algorithm", *u.Algorithm, RoundRobin, LeastConnections)
	}
	if u.Affinity != nil {
		f.affinity("affinity", *u.Affinity)
	}
	f.ptrs("ptrs", u.PTRs)
	if u.Class != nil {
		f.printable("class", *u.Class)
	}
	if u.MaxTargets != nil {
		f.nonNegative("maxTargets", *u.MaxTargets)
	}
	if u.MaxListeners != nil {
		f.nonNegative("maxListeners", *u.MaxListeners)
	}
	if u.SecurityGroups != nil {
		f.securityGroups(*u.SecurityGroups)
	}
	if u.Placements != nil {
		f.newPlacements("placements", *u.Placements)
	}
	f.newOptions(u.Options)
	return InvalidFields(string(KindLoadBalancer), f)
}

// Validate checks the spec.
func (s ListenerSpec) Validate() error {
	var f fieldErrors
	f.listener("", s)
	return InvalidFields(string(KindLoadBalancer), f)
}

// Validate checks the configuration.
func (c ListenerConfig) Validate() error {
	var f fieldErrors
	f.listenerConfig("", c)
	return InvalidFields(string(KindLoadBalancer), f)
}

// Validate checks the spec.
func (s TargetSpec) Validate() error {
	var f fieldErrors
	f.target("", s)
	return InvalidFields(string(KindLoadBalancer), f)
}

func (f *fieldErrors) affinity(path string, a Affinity) {
	f.nonNegative(path+".timeoutSeconds", a.TimeoutSeconds)
	if !a.ClientIP && a.TimeoutSeconds != 0 {
		f.add(path+".timeoutSeconds", "may only be set when affinity is clientIP")
	}
}

func (f *fieldErrors) listener(path string, l ListenerSpec) {
	f.listenerProtocol(path+"protocol", l.Protocol)
	f.port(path+"port", l.Port)
	f.listenerConfig(path, l.ListenerConfig)
	f.proxyProtocol(path+"proxyProtocol", l.ProxyProtocol, l.Protocol)
}

func (f *fieldErrors) listenerProtocol(field string, p Protocol) {
	oneOf(f, field, p, ProtocolTCP, ProtocolUDP, ProtocolTCPUDP, ProtocolHTTP, ProtocolHTTPS, ProtocolTLS, ProtocolSCTP)
}

func (f *fieldErrors) proxyProtocol(field string, on bool, p Protocol) {
	if on && p.Shared(ProtocolTCP) == "" {
		f.add(field, "may only be set with a protocol over TCP")
	}
}

func (f *fieldErrors) listenerConfig(path string, c ListenerConfig) {
	f.destination(path, c)
	for i, cidr := range c.AllowedCIDRs {
		f.cidr(fmt.Sprintf("%sallowedCIDRs[%d]", path, i), cidr)
	}
	f.nonNegative(path+"idleTimeoutSeconds", c.IdleTimeoutSeconds)
	f.labels(path+"labels", c.Labels)
	f.distinct(path+"documents", c.Documents)
	f.options(path+"options", c.Options)
}

// destination checks where a listener forwards to: the targets of its load balancer, or a group, which has the settings itself.
func (f *fieldErrors) destination(path string, c ListenerConfig) {
	if c.TargetGroup == "" {
		f.port(path+"targetPort", c.TargetPort)
		if c.HealthCheck != nil {
			f.healthCheck(path+"healthCheck.", *c.HealthCheck)
		}
		return
	}
	for _, field := range []struct {
		name string
		set  bool
	}{
		{"targetPort", c.TargetPort != 0}, {"healthCheck", c.HealthCheck != nil}, {"proxyProtocol", c.ProxyProtocol},
	} {
		if field.set {
			f.add(path+field.name, "may only be set without targetGroup: set it in the target group")
		}
	}
}

// newOptions checks the options of an update, if it has any.
func (f *fieldErrors) newOptions(options *map[string]string) {
	if options != nil {
		f.options("options", *options)
	}
}

func (f *fieldErrors) options(field string, options map[string]string) {
	f.texts(field, options, textLimits{what: "options", count: 32, key: 128, value: 1024})
}

func (f *fieldErrors) target(path string, t TargetSpec) {
	f.destinationOf(path, t.Instance, t.Address)
	f.nonNegative(path+"weight", t.Weight)
	f.labels(path+"labels", t.Labels)
}
