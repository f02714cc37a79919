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
	// lags is whether the API server shows the CCM what is old.
	lags bool
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
	cut := func(g *generation) { g.add(zoneDown{of(g.node())}, wait{}) }
	return []kind{
		{name: "addVM", weight: 3, draw: func(g *generation) Op { return addVM{name: g.newNode(), bare: g.oneIn(4)} }},
		{name: "addToldVM", weight: 1, areas: []Area{Nodes}, needs: "severalAddresses", draw: func(g *generation) Op { return addToldVM{name: g.newNode()} }},
		{name: "resizeVM", weight: 2, areas: []Area{Nodes}, prepare: (*generation).heal, draw: func(g *generation) Op { return resizeVM{name: g.node()} }},
		{name: "addAddress", weight: 1, areas: []Area{Nodes}, needs: "severalAddresses", draw: func(g *generation) Op { return addAddress{of(g.node())} }},
		{name: "addUnseenVM", weight: 1, areas: lifecycle, draw: func(g *generation) Op { return addUnseenVM{name: g.newNode()} }},
		{name: "deleteVM", weight: 2, draw: func(g *generation) Op { return deleteVM{of(g.node())} }},
		{name: "stopVM", weight: 3, areas: lifecycle, draw: func(g *generation) Op { return stopVM{of(g.node()), g.oneIn(3)} }},
		{name: "startVM", weight: 1, areas: lifecycle, prepare: stop, draw: func(g *generation) Op { return startVM{of(g.node())} }},
		{name: "silence", weight: 4, areas: lifecycle, draw: func(g *generation) Op { return silence{of(g.node())} }},
		{name: "speak", weight: 1, areas: lifecycle, prepare: hush, draw: func(g *generation) Op { return speak{of(g.node())} }},
		{name: "replaceVM", weight: 2, areas: lifecycle, draw: func(g *generation) Op { return replaceVM{name: g.node()} }},
		{name: "returnVM", weight: 2, areas: lifecycle, prepare: (*generation).heal, draw: func(g *generation) Op { return returnVM{name: g.node()} }},
		{name: "rebootVM", weight: 1, areas: lifecycle, draw: func(g *generation) Op { return rebootVM{of(g.node())} }},
		{name: "moveVM", weight: 2, areas: []Area{Nodes}, needs: "severalAddresses", draw: func(g *generation) Op { return moveVM{of(g.node())} }},
		{name: "zoneDown", weight: 2, areas: lifecycle, draw: func(g *generation) Op { return zoneDown{of(g.node())} }},
		{name: "zoneUp", weight: 1, areas: lifecycle, prepare: cut, draw: func(*generation) Op { return zoneUp{} }},
		{name: "wait", weight: 1, draw: func(*generation) Op { return wait{} }},
	}
}

// serviceKinds are what happens to Services and their load balancers.
func serviceKinds() []kind {
	area := []Area{Services}
	exclusion := func(g *generation) { g.add(exclude{of(g.node())}, wait{}) }
	return []kind{
		{name: "exclude", weight: 1, areas: area, draw: func(g *generation) Op { return exclude{of(g.node())} }},
		{name: "include", weight: 1, areas: area, prepare: exclusion, draw: func(g *generation) Op { return include{of(g.node())} }},
		{name: "addService", weight: 3, areas: area, draw: drawAddService},
		{name: "deleteService", weight: 3, areas: area, draw: func(g *generation) Op { return deleteService{of(g.service())} }},
		{name: "replaceService", weight: 3, areas: area, prepare: (*generation).heal, draw: func(g *generation) Op { return replaceService{of(g.service())} }},
		{name: "changeType", weight: 2, areas: area, draw: func(g *generation) Op { return changeType{of(g.service())} }},
		{name: "changePorts", weight: 2, areas: area, draw: drawChangePorts},
		{name: "changeRanges", weight: 2, areas: area, needs: "sourceRanges", draw: func(g *generation) Op {
			return changeRanges{changing{of(g.service())}, g.between(0, len(allRanges))}
		}},
		{name: "changeAffinity", weight: 1, areas: area, needs: "sessionAffinity", draw: func(g *generation) Op { return changeAffinity{changing{of(g.service())}} }},
		{name: "changePolicy", weight: 1, areas: area, needs: "trafficPolicyLocal", draw: func(g *generation) Op { return changePolicy{changing{of(g.service())}} }},
		{name: "changeFamilies", weight: 1, areas: area, needs: "dualStack", draw: func(g *generation) Op { return changeFamilies{changing{of(g.service())}} }},
		{name: "changeDeleted", weight: 2, areas: area, served: true, prepare: deleteInVain, draw: func(g *generation) Op {
			return changeDeleted{of(g.among(g.model.servicesThat(func(s *service) bool { return s.deleting })))}
		}},
		{name: "serviceElsewhere", weight: 1, areas: area, draw: func(g *generation) Op { return serviceElsewhere{name: g.service()} }},
		{name: "slowBalancers", weight: 1, areas: area, draw: func(*generation) Op { return slowBalancers{} }},
		{name: "dropBalancer", weight: 4, areas: area, served: true, draw: func(g *generation) Op { return dropBalancer{of(g.service())} }},
		{name: "dropTarget", weight: 2, areas: area, served: true, draw: func(g *generation) Op { return dropTarget{of(g.service())} }},
		{name: "dropListener", weight: 2, areas: area, served: true, draw: func(g *generation) Op { return dropListener{of(g.service())} }},
		{name: "foreignTarget", weight: 4, areas: area, served: true, draw: func(g *generation) Op { return foreignTarget{name: g.service()} }},
		{name: "foreignBalancer", weight: 1, areas: area, draw: func(*generation) Op { return foreignBalancer{} }},
		{name: "foreignAddress", weight: 1, areas: area, draw: func(*generation) Op { return foreignAddress{} }},
		{name: "breakBalancer", weight: 2, areas: area, served: true, needs: "errorState", draw: func(g *generation) Op { return breakBalancer{of(g.service())} }},
		{name: "rivalAddress", weight: 2, areas: area, served: true, needs: wantsAddress.needs(), prepare: (*generation).heal, draw: func(g *generation) Op { return rivalService{name: g.service(), wants: wantsAddress} }},
		{name: "rivalBalancer", weight: 2, areas: area, served: true, needs: wantsBalancer.needs(), prepare: (*generation).heal, draw: func(g *generation) Op { return rivalService{name: g.service(), wants: wantsBalancer} }},
		{name: "nameTaken", weight: 2, areas: area, served: true, needs: "sameNames", prepare: (*generation).heal, draw: func(g *generation) Op { return nameTaken{name: g.service()} }},
	}
}

// routeKinds are what happens to routes.
func routeKinds() []kind {
	route := []Area{Routes}
	return []kind{
		{name: "foreignRoute", weight: 2, areas: route, draw: func(*generation) Op { return foreignRoute{} }},
		{name: "fullTable", weight: 2, areas: route, prepare: (*generation).heal, draw: func(g *generation) Op { return fullTable{name: g.newNode()} }},
		{name: "addTwin", weight: 1, areas: route, draw: func(g *generation) Op { return addTwin{name: g.node()} }},
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
		{name: "delayAPI", weight: 2, disrupts: true, draw: func(g *generation) Op { return oneOf(g.dice, delays()...) }},
		{name: "lagAPI", weight: 2, disrupts: true, lags: true, draw: func(g *generation) Op {
			return lagAPI{kind: oneOf(g.dice, lagKinds()...), resources: g.lagged()}
		}},
		{name: "travelAPI", weight: 1, disrupts: true, lags: true, draw: func(g *generation) Op {
			return travelAPI{resources: g.lagged(), back: oneOf(g.dice, 2, 10, mostBack)}
		}},
		{name: "restartAPI", weight: 1, disrupts: true, draw: func(*generation) Op { return restartAPI{} }},
	}
}

// faultKinds are what goes wrong with the CCM's calls.
func faultKinds() []kind {
	nodes := []Area{Nodes, Lifecycle}
	return []kind{
		{name: "instanceReads", weight: 10, areas: nodes, disrupts: true, draw: func(g *generation) Op { return g.fault(instanceReads()) }},
		{name: "instanceLists", weight: 3, areas: nodes, disrupts: true, draw: func(g *generation) Op { return g.fault(instanceLists()) }},
		{name: "smallPages", weight: 1, areas: nodes, draw: func(*generation) Op { return smallPages{} }},
		{name: "stalls", weight: 2, areas: nodes, disrupts: true, draw: func(g *generation) Op { return g.fault(stalls()) }},
		{name: "balancerCalls", weight: 6, areas: []Area{Services}, disrupts: true, draw: func(g *generation) Op { return g.fault(balancerCalls()) }},
		{name: "deleteRefused", weight: 2, areas: []Area{Services}, draw: func(g *generation) Op {
			return deleteRefused{name: g.service(), rule: g.fault(balancerDeletes())}
		}},
		{name: "balancerStates", weight: 2, areas: []Area{Services}, disrupts: true, draw: func(g *generation) Op { return g.fault(balancerStates(g.able)) }},
		{name: "routeCalls", weight: 3, areas: []Area{Routes}, disrupts: true, draw: func(g *generation) Op { return g.fault(routeCalls()) }},
		{name: "anyCalls", weight: 2, disrupts: true, draw: func(g *generation) Op { return g.fault(anyCalls()) }},
	}
}

// deleteInVain deletes a Service that is served while no CCM runs: it stays.
func deleteInVain(g *generation) {
	g.add(ccmDo{verb: "stop"}, deleteService{of(g.among(g.model.servicesThat(func(s *service) bool { return s.wanted() && s.served })))})
}

// newNode is a name that no machine has had. One name in four begins as another one does.
func (g *generation) newNode() string {
	n := max(len(g.model.vms), g.reserved) + 1
	if alike := nodeName(10 * g.between(1, 3)); g.oneIn(4) && g.model.vms[alike] == nil {
		return alike
	}
	return nodeName(n)
}

// node is one of the machines that are there.
func (g *generation) node() string { return g.among(g.model.vmsThat((*vm).there)) }

// service is one of the Services that are there.
func (g *generation) service() string {
	return g.among(g.model.servicesThat((*service).wanted))
}

func drawAddService(g *generation) Op {
	o := addService{name: serviceName(max(len(g.model.services), g.reserved) + 1), ports: g.between(1, 2), local: g.oneIn(3)}
	o.sticky = g.able["sessionAffinity"] && g.oneIn(6)
	o.dual = g.able["dualStack"] && g.oneIn(6)
	if g.able["sourceRanges"] && g.oneIn(6) {
		o.ranges = g.between(1, len(allRanges))
	}
	return o
}

func drawChangePorts(g *generation) Op {
	return changePorts{named: of(g.service()), port: oneOf(g.dice, 80, 81, 8080), ports: g.between(1, 2)}
}

func drawKillAt(g *generation) Op {
	return killAt{
		operation: oneOf(g.dice, killOperations()...),
		after:     g.oneIn(2),
	}
}

// delays are of Nodes: what a CCM sees late of a Service it may hold for the one that is there now.
func delays() []delayAPI {
	return []delayAPI{
		{verb: "watch", resource: "nodes"},
		{verb: "get", resource: "nodes"},
		{verb: "patch", resource: "nodes"},
		{verb: "patch", resource: "nodes/status"},
		{verb: "watch", resource: "services"},
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
