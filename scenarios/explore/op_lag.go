package explore

import (
	"fmt"
	"slices"
	"strings"
)

// Sieve's patterns: the API server shows the CCM what is old.

// laggedResources are what it can show late.
func laggedResources() []string { return []string{"nodes", "services", "nodes, services"} }

// lagKinds are how it is behind.
func lagKinds() []string { return []string{"stale", "unobserved"} }

// lagAPI lets the CCM see what there is now, and nothing later.
type lagAPI struct {
	plain
	kind, resources string
}

func (lagAPI) about() string { return "lag" }

func (lagAPI) legal(m *model) bool { return !m.lagging }

func (lagAPI) apply(m *model) {
	m.lagging = true
	m.doubt()
}

func (o lagAPI) steps(*model) []string {
	return []string{fmt.Sprintf("kube: {%s: {resources: [%s]}}", o.kind, o.resources)}
}

// mostBack is how many seconds a CCM goes back at most.
const mostBack = 30

// travelAPI lets the CCM start again, and see the state of some seconds ago.
type travelAPI struct {
	plain
	resources string
	back      int
}

func (travelAPI) about() string { return "lag" }

func (o travelAPI) legal(m *model) bool {
	return !m.lagging && ccmDo{verb: "restart"}.legal(m) && (o.resources == "services" || m.forgivesOldNodes()) && (o.resources == "nodes" || m.forgivesOldServices())
}

// forgivesOldNodes reports whether a CCM that sees Nodes as they were, after it has seen them as they are, does nothing that it
// is blamed for. Upstream's service controller takes the targets away whose Nodes an old list lacks, and its node
// lifecycle controller deletes Nodes by name, so that an old one costs a new one of its name.
func (m *model) forgivesOldNodes() bool {
	again := m.vmsThat(func(v *vm) bool { return v.there() && v.again })
	return len(again) == 0 && len(m.servicesThat((*service).wanted)) == 0
}

// forgivesOldServices is the same of Services. Upstream's service controller writes a status by the name of the Service: the address of an
// old one is written to the new one of its name, and is then lost.
func (m *model) forgivesOldServices() bool {
	return len(m.servicesThat(func(s *service) bool { return s.here && s.again })) == 0
}

func (travelAPI) apply(m *model) {
	ccmDo{verb: "restart"}.apply(m)
	m.lagging = true
}

func (o travelAPI) steps(m *model) []string {
	back := fmt.Sprintf(`duration("%ds")`, o.back)
	to := fmt.Sprintf(`'${elapsed > %[1]s ? elapsed - %[1]s : duration("0s")}'`, back)
	travel := fmt.Sprintf("kube: {timeTravel: {resources: [%s], to: %s}}", o.resources, to)
	return append([]string{travel}, ccmDo{verb: "restart"}.steps(m)...)
}

// catchUpAPI lets the CCM see the present.
type catchUpAPI struct{ plain }

func (catchUpAPI) about() string { return "lag" }

func (catchUpAPI) legal(m *model) bool { return m.lagging }

func (catchUpAPI) apply(m *model) {
	m.lagging = false
	m.doubt()
}

func (catchUpAPI) steps(*model) []string { return []string{"kube: catchUp"} }

// lagged draws resources of the areas.
func (g *generation) lagged() string {
	if !slices.Contains(g.areas, Services) {
		return "nodes"
	}
	return oneOf(g.dice, laggedResources()...)
}

// canLag reports whether the API server can show the CCM these resources late.
func (gr grammar) canLag(resources string) bool {
	return gr.lags && (slices.Contains(gr.areas, Services) || !strings.Contains(resources, "services"))
}
