package explore

import (
	"fmt"
	"strings"
)

// settings are what a Service asks of its load balancer.
type settings struct {
	local, sticky, dual bool
	ranges              int // how many source ranges it has; 0 lets all in
}

// allRanges are those that a Service can have.
var allRanges = []string{"10.0.0.0/8", "192.0.2.0/24"}

// spec writes settings as a part of the spec of a new Service.
func (s settings) spec() string {
	var b strings.Builder
	if s.local {
		b.WriteString(", externalTrafficPolicy: Local")
	}
	if s.sticky {
		b.WriteString(", sessionAffinity: ClientIP")
	}
	if s.dual {
		b.WriteString(", ipFamilyPolicy: RequireDualStack, ipFamilies: [IPv4, IPv6]")
	}
	if s.ranges > 0 {
		b.WriteString(", loadBalancerSourceRanges: " + rangesOf(s.ranges))
	}
	return b.String()
}

func rangesOf(n int) string {
	if n == 0 {
		return "null"
	}
	return "[" + strings.Join(allRanges[:n], ", ") + "]"
}

// askFor lets what settings ask for be put to the test at the end.
func (m *model) askFor(s settings) {
	for p, asked := range map[part]bool{partHealth: s.local, partAffinity: s.sticky, partFamilies: s.dual, partSources: s.ranges > 0} {
		if asked {
			m.ask(p)
		}
	}
}

// changing is an op that gives a Service other settings.
type changing struct{ named }

func (o changing) legal(m *model) bool { return m.services[o.name].wanted() }

// set applies a change to the settings.
func (o changing) set(m *model, change func(*settings)) {
	s := m.services[o.name]
	change(&s.settings)
	m.askFor(s.settings)
}

// patch is the step that changes the spec.
func (o changing) patch(format string, args ...any) []string {
	return []string{fmt.Sprintf("patch: {target: service/%s, patch: {spec: {%s}}}", o.name, fmt.Sprintf(format, args...))}
}

// changeRanges lets other clients in.
type changeRanges struct {
	changing
	ranges int
}

func (o changeRanges) legal(m *model) bool {
	return o.changing.legal(m) && m.services[o.name].settings.ranges != o.ranges
}

func (o changeRanges) apply(m *model) {
	m.ask(partSources)
	o.set(m, func(s *settings) { s.ranges = o.ranges })
}

func (o changeRanges) steps(*model) []string {
	return o.patch("loadBalancerSourceRanges: %s", rangesOf(o.ranges))
}

// changeAffinity asks for affinity where there was none, and the other way round.
type changeAffinity struct{ changing }

func (o changeAffinity) apply(m *model) {
	m.ask(partAffinity)
	o.set(m, func(s *settings) { s.sticky = !s.sticky })
}

func (o changeAffinity) steps(m *model) []string {
	if m.services[o.name].settings.sticky {
		return o.patch("sessionAffinity: None, sessionAffinityConfig: null")
	}
	return o.patch("sessionAffinity: ClientIP")
}

// changePolicy changes the external traffic policy to the other one.
type changePolicy struct{ changing }

func (o changePolicy) apply(m *model) {
	m.ask(partHealth)
	o.set(m, func(s *settings) { s.local = !s.local })
}

func (o changePolicy) steps(m *model) []string {
	if m.services[o.name].settings.local {
		return o.patch("externalTrafficPolicy: Cluster")
	}
	return o.patch("externalTrafficPolicy: Local")
}

// changeFamilies lets a Service have both families, or IPv4 alone.
type changeFamilies struct{ changing }

func (o changeFamilies) apply(m *model) {
	m.ask(partFamilies)
	o.set(m, func(s *settings) { s.dual = !s.dual })
	s := m.services[o.name]
	s.doubtful, s.unsettled = true, true
}

func (o changeFamilies) steps(m *model) []string {
	if m.services[o.name].settings.dual {
		return append([]string{beforeBack}, o.patch(`ipFamilyPolicy: SingleStack, ipFamilies: [IPv4], clusterIPs: ["${services[\"%s\"].spec.clusterIP}"]`, o.name)...)
	}
	return o.patch("ipFamilyPolicy: RequireDualStack, ipFamilies: [IPv4, IPv6]")
}
