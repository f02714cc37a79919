package explore

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// convergence is how long a CCM may take to put everything right: longer than
// upstream's service controller waits after the few errors of a history.
const convergence = "40s"

// unhurried is how long it may take to initialise a Node, or to remove what a deleted Service had: after
// errors, upstream's node controller waits about as long as they lasted and its service controller
// twice as long each time, and nothing that a history does hurries them. A CCM may take as long to remove a Node that was never
// initialised: its VM might still come.
const unhurried = "90s"

const becauseServiceGone = "When a Service is deleted, a CCM must remove its load balancer, and then its finalizer, so that the Service goes."

// check expects that the CCM has put a part of everything right.
type check struct {
	plain
	part part
}

// part is a part of what a CCM puts right.
type part string

// The parts, in the order in which one needs the other.
const (
	partGone     part = "nodes-gone"
	partNodes    part = "nodes-initialised"
	partZones    part = "node-zones"
	partTypes    part = "node-types"
	partShutdown part = "nodes-shutdown"
	partRoutes   part = "routes"
	partDeleted  part = "services-deleted"
	partAddress  part = "addresses"
	partTargets  part = "targets"

	partAddresses part = "node-addresses"
	partSources   part = "source-ranges"
	partAffinity  part = "affinity"
	partHealth    part = "health-checks"
	partFamilies  part = "families"
)

// patience is how long a CCM may take to put the part right.
func (p part) patience() string {
	if p == partNodes || p == partDeleted || p == partGone {
		return unhurried
	}
	return convergence
}

// promise is what a part has to be like.
type promise struct {
	part       part
	area       Area
	because    string
	expression string
	// needs is the capability without which a CCM does not promise it. What needs one is put to the test when a
	// history has asked for it.
	needs string
}

// unserved holds for a Service that needs no load balancer. A Service that is deleted may lose its load balancer before it goes.
const unserved = `(services[name].spec.type != "LoadBalancer" || has(services[name].metadata.deletionTimestamp))`

// ofBalancer is an expression about the load balancer lb of each Service of type LoadBalancer.
func ofBalancer(expression string) string {
	return `services.all(name, ` + unserved + ` || loadBalancers.exists(lb,
  lb.vips.exists(v, v.address == reachable(services[name])[0])
  && ` + expression + "))"
}

// ready is whether the Node of vm is, which a Node without any condition is not.
const ready = `nodes[vm.hostname].?status.?conditions.orValue([]).exists(c, c.type == "Ready" && c.status == "True")`

// promises are judged by what every CCM makes, not by the names and labels of one.
var promises = sync.OnceValue(func() []promise {
	return []promise{
		{partGone, Lifecycle, "When faults are over, a CCM must delete the Node of each VM that is gone.",
			`nodes.all(name, instances.exists(vm, vm.hostname == name && (!has(nodes[name].spec.providerID) || hasVM(nodes[name], vm))))`, ""},
		{partNodes, Nodes, "When faults are over, a CCM must initialise each Node whose VM the cloud has: set its providerID and take the uninitialized taint off.",
			`nodes.all(name, has(nodes[name].spec.providerID) && !tainted(nodes[name], "node.cloudprovider.kubernetes.io/uninitialized"))`, ""},
		{partZones, Nodes, "When a CCM has initialised a Node, the Node must be labelled with the zone of its VM.",
			`instances.all(vm, !(vm.hostname in nodes) || !hasVM(nodes[vm.hostname], vm)
  || label(nodes[vm.hostname], "topology.kubernetes.io/zone") == zone(vm))`, ""},
		{partTypes, Nodes, "When a CCM has initialised a Node, the Node must be labelled with the type of its VM.",
			`instances.all(vm, !(vm.hostname in nodes) || !hasVM(nodes[vm.hostname], vm)
  || label(nodes[vm.hostname], "node.kubernetes.io/instance-type") == vm.type)`, ""},
		{partShutdown, Lifecycle, "When faults are over, a Node that is not ready must have the shutdown taint when its VM is stopped, and no Node that is ready may have it.",
			`instances.all(vm, !(vm.hostname in nodes) || tainted(nodes[vm.hostname], "node.cloudprovider.kubernetes.io/shutdown") == (vm.state == "stopped")
  || vm.state != "stopped" && !` + ready + `)`, ""},
		{partRoutes, Routes, "When faults are over, a CCM must have made the route to the pods of each Node, which leads to its VM.",
			`instances.all(vm, !(vm.hostname in nodes) || routeTables.exists(table, table.routes.exists(r,
  r.destination == nodes[vm.hostname].spec.podCIDR && r.state == "active" && (r.nextHop.?instance.orValue("") == vm.id
    || nodes[vm.hostname].?status.?addresses.orValue([]).exists(a, a.address == r.nextHop.?address.orValue(""))))))`, ""},
		{partDeleted, Services, becauseServiceGone,
			`services.all(name, !has(services[name].metadata.deletionTimestamp))`, ""},
		{partAddress, Services, "When faults are over, each Service of type LoadBalancer must have an address, at which the load balancer listens on its ports.",
			`services.all(name, ` + unserved + ` || loadBalancers.exists(lb, lb.state == "active"
  && lb.vips.exists(v, v.address == reachable(services[name])[0])
  && services[name].spec.ports.all(p, lb.listeners.exists(l, l.port == p.port && l.targetPort == p.nodePort))))`, ""},
		{partTargets, Services, "When faults are over, each load balancer of a Service must lead to all Nodes that are ready and not excluded, and to no VM that is gone or excluded.",
			`services.all(name, ` + unserved + ` || loadBalancers.exists(lb,
  lb.vips.exists(v, v.address == reachable(services[name])[0])
  && instances.all(vm, !(vm.hostname in nodes) || !` + ready + `
    || lb.targets.exists(t, t.instance == vm.id) == (label(nodes[vm.hostname], "node.kubernetes.io/exclude-from-external-load-balancers") == ""))
  && lb.targets.all(t, instances.exists(vm, vm.id == t.instance))))`, ""},
		{partAddresses, Nodes, "When the addresses of a VM have changed, a CCM must put those of now on its Node.",
			`instances.all(vm, !(vm.hostname in nodes) || !` + ready + `
  || sets.equivalent(addresses(nodes[vm.hostname], "ExternalIP"), vm.addresses.filter(a, a.scope == "public").map(a, a.address)))`, "severalAddresses"},
		{partSources, Services, "A CCM must let in to every listener exactly the sources that spec.loadBalancerSourceRanges names, and all where it names none.",
			ofBalancer(`lb.listeners.all(l, size(services[name].spec.?loadBalancerSourceRanges.orValue([])) == 0 ? "0.0.0.0/0" in sources(lb, l)
    : sets.equivalent(sources(lb, l), services[name].spec.loadBalancerSourceRanges))`), "sourceRanges"},
		{partAffinity, Services, "A CCM must give a load balancer affinity when its Service asks for it, and only then.",
			ofBalancer(`lb.affinity.?clientIP.orValue(false) == (services[name].spec.sessionAffinity == "ClientIP")`), "sessionAffinity"},
		{partHealth, Services, "With externalTrafficPolicy Local every listener must check the healthCheckNodePort at /healthz. With Cluster none may.",
			ofBalancer(`lb.listeners.all(l, services[name].spec.?externalTrafficPolicy.orValue("Cluster") == "Local"
    ? l.healthCheck.protocol == "http" && l.healthCheck.path == "/healthz" && l.healthCheck.port == services[name].spec.healthCheckNodePort
    : !has(l.healthCheck) || l.healthCheck.port in services[name].spec.ports.map(p, p.nodePort))`), "trafficPolicyLocal"},
		{partFamilies, Services, "A CCM must give a Service an address of each of its families, at its load balancer and in its status, and no other.",
			ofBalancer(`reachable(services[name]).size() == services[name].spec.ipFamilies.size()
  && sets.equivalent(lb.vips.map(v, v.address), reachable(services[name]))`), "dualStack"},
	}
})

func promiseOf(p part) promise {
	all := promises()
	return all[slices.IndexFunc(all, func(of promise) bool { return of.part == p })]
}

func (check) about() string { return "checks" }

// legal reports whether a correct CCM passes the check. One that may still look at a Service, or initialise a Node, may fail it.
func (o check) legal(m *model) bool {
	switch {
	case !m.healthy():
		return false
	case o.part == partNodes:
		return len(m.vmsThat((*vm).late)) == 0
	case promiseOf(o.part).area == Services:
		return len(m.servicesThat(func(s *service) bool { return s.wanted() && s.doubtful })) == 0
	default:
		return true
	}
}

func (o check) apply(m *model) {
	switch o.part {
	case partNodes:
		for _, name := range m.vmsThat((*vm).there) {
			m.vms[name].known, m.vms[name].doubtful = true, false
		}
	case partRoutes:
		for _, name := range m.vmsThat(func(v *vm) bool { return v.there() && !v.orphan }) {
			m.vms[name].routed = true
		}
	case partTargets:
		for _, name := range m.servicesThat((*service).wanted) {
			m.services[name].served, m.services[name].doubtful = true, false
		}
	default: // what else is promised makes no op legal
	}
}

func (o check) steps(m *model) []string {
	p := promiseOf(o.part)
	steps := []string{expectation(p.because, o.part.patience(), p.expression)}
	if o.part == partAddresses {
		steps = append(steps, addressesStay()...)
	}
	if m.initialising() && o.part == partNodes && len(m.services) > 0 {
		steps = append(steps, "# When a Node is initialised just as it looks at a Service, upstream's service controller may set the older targets last.\n"+"sleep: 5s")
	}
	return steps
}

// addressesStay are steps that expect each Node to have its addresses in the same order for longer than two periods of a CCM.
func addressesStay() []string {
	const addresses = `node.?status.?addresses.orValue([]).map(a, a.address)`
	return []string{
		"capture: {reported: 'nodes.transformMap(name, node, " + addresses + ")'}",
		"because: >-\n  A CCM must report the same addresses in the same order each time.\nholds: 12s\nexpect: >-\n" +
			"  nodes.transformMap(name, node, " + addresses + ").all(name, now,\n" +
			"  !(name in reported) || now == reported[name] || !sets.equivalent(now, reported[name]))",
	}
}

// Explanations of steps that wait for the harness and the control plane, which begin with aside, not for the CCM.
const (
	aside         = "This is not about the CCM: "
	becauseSilent = aside + "nothing is heard of these machines, and their Nodes become not ready."
	becauseBoots  = aside + "the machine boots."
)

// wait lets time pass in which a CCM does its periodic work: first the Nodes of
// silent machines have become not ready, which is when a CCM asks for their VMs.
type wait struct{ plain }

func (wait) about() string { return "time" }

func (wait) legal(*model) bool { return true }

// apply: what has changed is written and seen, where nothing is in the way.
func (wait) apply(m *model) {
	for _, s := range m.services {
		s.unsettled = s.unsettled && !m.healthy()
	}
}

func (wait) steps(m *model) []string {
	var not []string
	for _, name := range m.vmsThat((*vm).falls) {
		not = append(not, fmt.Sprintf(`(!("%s" in nodes) || condition(nodes["%[1]s"], "Ready").status != "True")`, name))
	}
	if len(not) == 0 {
		return []string{"sleep: 5s"}
	}
	return []string{expectation(becauseSilent, "20s", strings.Join(not, " && ")), "sleep: 5s"}
}

// beforeBack is a step before a change is taken back. A CCM follows the change late when its watch was cut: client-go watches again
// after a second. If the change were taken back in that second, the CCM would seem to do what no one has asked for.
const beforeBack = "sleep: 5s"

// expectation writes a step that expects something within a time.
func expectation(because, within, expression string) string {
	return fmt.Sprintf("because: >-\n  %s\nwithin: %s\nexpect: >-\n  %s", because, within, expression)
}
