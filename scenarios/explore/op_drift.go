package explore

import "fmt"

// dropBalancer deletes the load balancer of a Service behind the CCM's back.
type dropBalancer struct{ named }

func (o dropBalancer) legal(m *model) bool {
	s := m.services[o.name]
	return s.wanted() && s.served && !s.shared && !m.slow
}

func (o dropBalancer) apply(m *model) { m.services[o.name].served = false }

func (o dropBalancer) steps(*model) []string {
	return []string{fmt.Sprintf("cloud: {operation: DeleteLoadBalancer, args: {id: '%s'}}", balancerOf(o.name))}
}

// balancerOf is the id of the load balancer that a Service's address is of.
func balancerOf(name string) string {
	return fmt.Sprintf(`${loadBalancers.filter(lb, lb.vips.exists(v, v.address == reachable(services["%s"])[0]))[0].id}`, name)
}

// dropRoute deletes the route of a Node behind the CCM's back.
type dropRoute struct{ named }

func (o dropRoute) legal(m *model) bool {
	v := m.vms[o.name]
	return v.there() && v.routed
}

func (o dropRoute) apply(m *model) { m.vms[o.name].routed = false }

func (o dropRoute) steps(*model) []string {
	return []string{fmt.Sprintf(`cloud: {operation: DeleteRoute, args: {id: "${routeTables[0].id}", route: '${routeTables[0].routes.filter(r, r.destination == nodes["%s"].spec.podCIDR)[0].id}'}}`, o.name)}
}

// foreignTarget lets another client add a target to the load balancer of a Service,
// a VM that is not of the cluster.
type foreignTarget struct {
	noSimpler
	name string // of the Service
}

func (foreignTarget) about() string { return "foreign target" }

func (o foreignTarget) legal(m *model) bool {
	s := m.services[o.name]
	return s.wanted() && s.served && !s.shared && !m.slow
}

func (o foreignTarget) apply(m *model) { m.services[o.name].shared = true }

func (o foreignTarget) steps(*model) []string {
	return []string{
		fmt.Sprintf("cloud: {operation: CreateInstance, args: {name: %s, labels: {sim.simcloud.dev/node: none}}}", o.vm()),
		fmt.Sprintf(`cloud: {operation: CreateTarget, args: {id: '%s', instance: '${instances.filter(vm, vm.name == "%s")[0].id}'}}`, balancerOf(o.name), o.vm()),
	}
}

func (o foreignTarget) vm() string { return "outside-" + o.name }

func (o foreignTarget) cleanup() []string { return []string{callVM("DeleteInstance", o.vm())} }

// foreignRoute lets another client add a route outside of the cluster's range.
type foreignRoute struct{ noSimpler }

func (foreignRoute) about() string { return "foreign route" }

func (foreignRoute) legal(m *model) bool { return m.foreign&foreignRouteMade == 0 }

func (foreignRoute) apply(m *model) { m.foreign |= foreignRouteMade }

func (foreignRoute) steps(*model) []string {
	return []string{`cloud: {operation: CreateRoute, args: {id: "${routeTables[0].id}", name: office, destination: 192.168.50.0/24, nextHop: {address: 10.0.0.9}}}`}
}

func (foreignRoute) cleanup() []string {
	return []string{`cloud: {operation: DeleteRoute, args: {id: "${routeTables[0].id}", route: '${routeTables[0].routes.filter(r, r.destination == "192.168.50.0/24")[0].id}'}}`}
}

// foreignBalancer lets another client have a load balancer in the project.
type foreignBalancer struct{ noSimpler }

func (foreignBalancer) about() string { return "foreign load balancer" }

func (foreignBalancer) legal(m *model) bool { return m.foreign&foreignBalancerMade == 0 }

func (foreignBalancer) apply(m *model) { m.foreign |= foreignBalancerMade }

func (foreignBalancer) steps(*model) []string {
	return []string{`cloud: {operation: CreateLoadBalancer, args: {name: shop, listeners: [{protocol: tcp, port: 80, targetPort: 30080}]}}`}
}

func (foreignBalancer) cleanup() []string {
	return []string{`cloud: {operation: DeleteLoadBalancer, args: {id: '${loadBalancers.filter(lb, lb.name == "shop")[0].id}'}}`}
}
