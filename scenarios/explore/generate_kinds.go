package explore

import "slices"

// kind is a kind of move that histories have.
type kind struct {
	// name is what files call it, and messages.
	name   string
	weight int
	areas  []Area // it belongs to one of them; none: to all
	needs  string // a capability; empty: none
	// disrupts is whether something goes wrong.
	disrupts bool
	// served is whether it is about what the CCM has made.
	served bool
	// draw draws one, which may be about nothing and so not be legal.
	draw func(g *generation) Op
	// prepare adds what makes one legal; nil where that is nothing in particular.
	prepare func(g *generation)
}

// isOf reports whether a kind belongs to one of the areas.
func (k kind) isOf(areas []Area) bool {
	return len(k.areas) == 0 || slices.ContainsFunc(k.areas, func(a Area) bool { return slices.Contains(areas, a) })
}

// kinds are all kinds of moves.
func kinds() []kind {
	return slices.Concat(machineKinds(), serviceKinds(), routeKinds(), ccmKinds(), faultKinds())
}

// machineKinds are what happens to VMs and their Nodes.
func machineKinds() []kind {
	lifecycle := []Area{Lifecycle, Nodes}
	stop := func(g *generation) { g.add(stopVM{named: of(g.node())}, wait{}) }
	hush := func(g *generation) { g.add(silence{of(g.node())}, wait{}) }
	return []kind{
		{name: "addVM", weight: 3, draw: func(g *generation) Op { return addVM{name: g.newNode()} }},
		{name: "addUnseenVM", weight: 1, areas: lifecycle, draw: func(g *generation) Op { return addUnseenVM{name: g.newNode()} }},
		{name: "deleteVM", weight: 2, draw: func(g *generation) Op { return deleteVM{of(g.node())} }},
		{name: "stopVM", weight: 3, areas: lifecycle, draw: func(g *generation) Op { return stopVM{of(g.node()), g.oneIn(3)} }},
		{name: "startVM", weight: 1, areas: lifecycle, prepare: stop, draw: func(g *generation) Op { return startVM{of(g.node())} }},
		{name: "silence", weight: 4, areas: lifecycle, draw: func(g *generation) Op { return silence{of(g.node())} }},
		{name: "speak", weight: 1, areas: lifecycle, prepare: hush, draw: func(g *generation) Op { return speak{of(g.node())} }},
		{name: "wait", weight: 1, draw: func(*generation) Op { return wait{} }},
	}
}

// serviceKinds are what happens to Services and their load balancers.
func serviceKinds() []kind {
	service := []Area{Services}
	return []kind{
		{name: "exclude", weight: 1, areas: service, draw: func(g *generation) Op { return exclude{of(g.node())} }},
		{name: "addService", weight: 3, areas: service, draw: drawAddService},
		{name: "deleteService", weight: 3, areas: service, draw: func(g *generation) Op { return deleteService{of(g.service())} }},
		{name: "replaceService", weight: 3, areas: service, draw: func(g *generation) Op { return replaceService{of(g.service())} }},
		{name: "changeType", weight: 2, areas: service, draw: func(g *generation) Op { return changeType{of(g.service())} }},
		{name: "changePorts", weight: 2, areas: service, draw: drawChangePorts},
		{name: "slowBalancers", weight: 1, areas: service, draw: func(*generation) Op { return slowBalancers{} }},
		{name: "dropBalancer", weight: 4, areas: service, served: true, draw: func(g *generation) Op { return dropBalancer{of(g.service())} }},
		{name: "foreignTarget", weight: 4, areas: service, served: true, draw: func(g *generation) Op { return foreignTarget{name: g.service()} }},
		{name: "foreignBalancer", weight: 1, areas: service, draw: func(*generation) Op { return foreignBalancer{} }},
	}
}

// routeKinds are what happens to routes.
func routeKinds() []kind {
	route := []Area{Routes}
	return []kind{
		{name: "foreignRoute", weight: 2, areas: route, draw: func(*generation) Op { return foreignRoute{} }},
		{name: "dropRoute", weight: 2, areas: route, served: true, draw: func(g *generation) Op { return dropRoute{of(g.node())} }},
	}
}

// ccmKinds are what happens to the CCM's process, its token and its rights, and to the API server.
func ccmKinds() []kind {
	return []kind{
		{name: "restartCCM", weight: 1, draw: func(*generation) Op { return ccmDo{verb: "restart"} }},
		{name: "newToken", weight: 1, needs: "tokenRenewal", draw: func(*generation) Op { return newToken{} }},
		{name: "downCCM", weight: 2, disrupts: true, draw: func(g *generation) Op {
			return ccmDo{verb: oneOf(g.dice, "stop", "kill", "pause")}
		}},
		{name: "killAt", weight: 4, areas: []Area{Services, Routes}, disrupts: true, draw: drawKillAt},
		{name: "forbid", weight: 2, disrupts: true, draw: func(g *generation) Op { return oneOf(g.dice, forbids()...) }},
		{name: "restartAPI", weight: 1, disrupts: true, draw: func(*generation) Op { return restartAPI{} }},
	}
}

// faultKinds are what goes wrong with the CCM's calls.
func faultKinds() []kind {
	nodes := []Area{Nodes, Lifecycle}
	return []kind{
		{name: "instanceReads", weight: 10, areas: nodes, disrupts: true, draw: func(g *generation) Op { return g.fault(instanceReads()) }},
		{name: "instanceLists", weight: 3, areas: nodes, disrupts: true, draw: func(g *generation) Op { return g.fault(instanceLists()) }},
		{name: "balancerCalls", weight: 6, areas: []Area{Services}, disrupts: true, draw: func(g *generation) Op { return g.fault(balancerCalls()) }},
		{name: "balancerStates", weight: 2, areas: []Area{Services}, disrupts: true, draw: func(g *generation) Op { return g.fault(balancerStates(g.able)) }},
		{name: "routeCalls", weight: 3, areas: []Area{Routes}, disrupts: true, draw: func(g *generation) Op { return g.fault(routeCalls()) }},
		{name: "anyCalls", weight: 2, disrupts: true, draw: func(g *generation) Op { return g.fault(anyCalls()) }},
	}
}

// newNode is a name that no machine has had.
func (g *generation) newNode() string { return nodeName(max(len(g.model.vms), g.reserved) + 1) }

// node is one of the machines that are there.
func (g *generation) node() string { return g.among(g.model.vmsThat((*vm).there)) }

// service is one of the Services that are there.
func (g *generation) service() string {
	return g.among(g.model.servicesThat((*service).wanted))
}

func drawAddService(g *generation) Op {
	return addService{name: serviceName(max(len(g.model.services), g.reserved) + 1), ports: g.between(1, 2), local: g.oneIn(3)}
}

func drawChangePorts(g *generation) Op {
	return changePorts{named: of(g.service()), port: oneOf(g.dice, 81, 8080)}
}

func drawKillAt(g *generation) Op {
	return killAt{
		operation: oneOf(g.dice, killOperations()...),
		after:     g.oneIn(2),
	}
}

func forbids() []forbid {
	return []forbid{
		{verbs: "delete", resources: "nodes"},
		{verbs: "update, patch", resources: "nodes"},
		{verbs: "update, patch", resources: "nodes/status"},
		{verbs: "update, patch", resources: "services/status"},
		{verbs: "create, patch", resources: "events"},
	}
}
