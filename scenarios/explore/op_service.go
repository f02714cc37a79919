package explore

import "fmt"

// addService makes a Service of the type LoadBalancer.
type addService struct {
	name                string
	ports               int // 1 or 2
	local, sticky, dual bool
	ranges              int
}

func (o addService) about() string { return o.name }

func (o addService) legal(m *model) bool { return m.services[o.name] == nil }

func (o addService) apply(m *model) {
	initialising := m.initialising()
	m.services[o.name] = &service{here: true, balanced: true, doubtful: initialising, settings: o.settings()}
	m.askFor(o.settings())
}

func (o addService) settings() settings {
	return settings{local: o.local, sticky: o.sticky, dual: o.dual, ranges: o.ranges}
}

func (o addService) steps(*model) []string {
	spec := fmt.Sprintf("type: LoadBalancer, selector: {app: %s}, ports: %s", o.name, ports(80, o.ports))
	return []string{applyService(o.name, spec+o.settings().spec())}
}

func (o addService) cleanup() []string { return nil } // finally deletes all Services first

func (o addService) simpler() []Op {
	var simpler []Op
	for _, change := range []func(*addService){
		func(s *addService) { s.local, s.sticky, s.dual, s.ranges = false, false, false, 0 },
		func(s *addService) { s.local = false }, func(s *addService) { s.sticky = false },
		func(s *addService) { s.dual = false }, func(s *addService) { s.ranges = 0 }, func(s *addService) { s.ports = 1 },
	} {
		s := o
		if change(&s); s != o {
			simpler = append(simpler, s)
		}
	}
	return simpler
}

func applyService(name, spec string) string {
	return fmt.Sprintf(`apply: |
  apiVersion: v1
  kind: Service
  metadata: {name: %s, namespace: $NAMESPACE}
  spec: {%s}`, name, spec)
}

// ports writes n ports of a Service.
func ports(first, n int) string {
	if n == 1 {
		return fmt.Sprintf("[{name: a, port: %d}]", first)
	}
	return fmt.Sprintf("[{name: a, port: %d}, {name: b, port: %d}]", first, first+363)
}

// changePorts gives a Service other ports than it had.
type changePorts struct {
	named
	port, ports int
}

func (o changePorts) legal(m *model) bool { return m.services[o.name].wanted() }

func (o changePorts) apply(*model) {}

func (o changePorts) steps(*model) []string {
	return []string{fmt.Sprintf("patch: {target: service/%s, patch: {spec: {ports: %s}}}", o.name, ports(o.port, o.ports))}
}

// changeType makes a Service one that needs no load balancer.
type changeType struct{ named }

func (o changeType) legal(m *model) bool { return m.services[o.name].wanted() }

func (o changeType) apply(m *model) { m.services[o.name].balanced = false }

func (o changeType) steps(*model) []string {
	return []string{fmt.Sprintf("patch: {target: service/%s, patch: {spec: {type: ClusterIP, loadBalancerSourceRanges: null}}}", o.name)}
}

// deleteService deletes a Service.
type deleteService struct{ named }

func (o deleteService) legal(m *model) bool { s := m.services[o.name]; return s != nil && s.here }

func (o deleteService) apply(m *model) {
	s := m.services[o.name]
	s.here, s.deleting = false, s.served && (m.ccm == ccmStopped || m.ccm == ccmPaused)
}

func (o deleteService) steps(*model) []string {
	return []string{fmt.Sprintf("delete: service/%s", o.name)}
}

// replaceService deletes a Service and makes another one of its name as soon as it is gone.
type replaceService struct{ named }

func (o replaceService) legal(m *model) bool { return m.recovering() && m.services[o.name].wanted() }

func (o replaceService) apply(m *model) {
	m.services[o.name] = &service{here: true, balanced: true, again: true, doubtful: !m.healthy() || m.initialising()}
}

func (o replaceService) steps(*model) []string {
	return []string{
		fmt.Sprintf("delete: service/%s", o.name),
		expectation(becauseServiceGone, unhurried, fmt.Sprintf(`!("%s" in services)`, o.name)),
		applyService(o.name, fmt.Sprintf("type: LoadBalancer, selector: {app: %s}, ports: %s", o.name, ports(80, 1))),
	}
}

// changeDeleted changes a Service that is deleted and still there, because no CCM has taken its load balancer away.
type changeDeleted struct{ named }

func (o changeDeleted) legal(m *model) bool { s := m.services[o.name]; return s != nil && s.deleting }

func (o changeDeleted) apply(*model) {}

func (o changeDeleted) steps(*model) []string {
	return []string{fmt.Sprintf("patch: {target: service/%s, patch: {spec: {ports: %s}}}", o.name, ports(8081, 2))}
}

// nudge changes a Service in a way that means nothing. A CCM looks at it then,
// which upstream's service controller does not do by itself when another client has
// changed its load balancer, and not at once after errors. A Service that nothing of that has met is not touched: it
// would repair what the history is to show. Nor is one touched while a Node may not be initialised yet: that Node comes too
// late for the look, and may be too early for another one.
type nudge struct{ named }

func (o nudge) legal(m *model) bool {
	s := m.services[o.name]
	return s.wanted() && s.doubtful && m.healthy() && !m.initialising()
}

func (o nudge) apply(m *model) {
	m.services[o.name].nudges++
	m.services[o.name].doubtful = m.services[o.name].unsettled
}

func (o nudge) steps(m *model) []string {
	return []string{touch("service", o.name, m.services[o.name].nudges)}
}
