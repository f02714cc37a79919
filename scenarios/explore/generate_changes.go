package explore

import "pgregory.net/rapid"

// changes are the kinds of what happens to the VMs, the Services and what is in the cloud.
func changes() []kind {
	service, lifecycle, route := []Area{Services}, []Area{Lifecycle, Nodes}, []Area{Routes}
	return []kind{
		{3, nil, func(g *generation) Op { return addVM{name: g.newNode()} }},
		{1, lifecycle, func(g *generation) Op { return addUnseenVM{name: g.newNode()} }},
		{2, nil, func(g *generation) Op { return deleteVM{name: g.node()} }},
		{3, lifecycle, func(g *generation) Op {
			return stopVM{name: g.node(), suspend: rapid.SampledFrom([]bool{false, false, true}).Draw(g.T, "suspend")}
		}},
		{1, lifecycle, func(g *generation) Op { return startVM{name: g.node()} }},
		{4, lifecycle, func(g *generation) Op { return silence{name: g.node()} }},
		{1, lifecycle, func(g *generation) Op { return speak{name: g.node()} }},
		{1, service, func(g *generation) Op { return exclude{name: g.node()} }},
		{3, service, drawAddService},
		{3, service, func(g *generation) Op { return deleteService{name: g.service()} }},
		{3, service, func(g *generation) Op { return replaceService{name: g.service()} }},
		{2, service, func(g *generation) Op { return changeType{name: g.service()} }},
		{2, service, drawChangePorts},
		{1, service, func(*generation) Op { return slowBalancers{} }},
		{4, service, func(g *generation) Op { return dropBalancer{name: g.service()} }},
		{4, service, func(g *generation) Op { return foreignTarget{name: g.service()} }},
		{1, service, func(*generation) Op { return foreignBalancer{} }},
		{2, route, func(*generation) Op { return foreignRoute{} }},
		{2, route, func(g *generation) Op { return dropRoute{name: g.node()} }},
		{1, nil, func(*generation) Op { return ccmDo{verb: "restart"} }},
		{1, nil, func(*generation) Op { return newToken{} }},
	}
}

// newNode is a name that no machine has had.
func (g *generation) newNode() string { return nodeName(len(g.model.vms) + 1) }

// node is one of the machines that are there.
func (g *generation) node() string { return g.among(g.model.vmsThat((*vm).there)) }

// service is one of the Services that are there.
func (g *generation) service() string {
	return g.among(g.model.servicesThat((*service).wanted))
}

func drawAddService(g *generation) Op {
	return addService{
		name:  serviceName(len(g.model.services) + 1),
		ports: rapid.IntRange(1, 2).Draw(g.T, "ports"),
		local: rapid.SampledFrom([]bool{false, false, true}).Draw(g.T, "local"),
	}
}

func drawChangePorts(g *generation) Op {
	return changePorts{name: g.service(), port: rapid.SampledFrom([]int{81, 8080}).Draw(g.T, "port")}
}
