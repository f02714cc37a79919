package explore

import "fmt"

// dropBalancer deletes the load balancer of a Service behind the CCM's back.
type dropBalancer struct{ named }

func (o dropBalancer) legal(m *model) bool {
	s := m.services[o.name]
	return s.wanted() && s.served && !s.shared && !m.slow
}

func (o dropBalancer) apply(m *model) { m.services[o.name].drift() }

func (o dropBalancer) steps(*model) []string {
	return []string{fmt.Sprintf("cloud: {operation: DeleteLoadBalancer, args: {id: '%s'}}", balancerOf(o.name))}
}

// drift notes that others have changed the load balancer of a Service.
func (s *service) drift() { s.served, s.doubtful = false, true }

// dropTarget takes a target from the load balancer of a Service behind the CCM's back.
type dropTarget struct{ named }

func (o dropTarget) legal(m *model) bool {
	targets := m.vmsThat(func(v *vm) bool { return v.active() && v.known && !v.excluded })
	return dropBalancer(o).legal(m) && len(targets) > 0
}

func (o dropTarget) apply(m *model) { m.services[o.name].drift() }

func (o dropTarget) steps(*model) []string {
	return []string{fmt.Sprintf("cloud: {operation: DeleteTarget, args: {id: '%s', instance: '%s'}}", balancerOf(o.name), partOf(o.name, "targets[0].instance"))}
}

// dropListener takes a port from the load balancer of a Service behind the CCM's back.
type dropListener struct{ named }

func (o dropListener) legal(m *model) bool { return dropBalancer(o).legal(m) }

func (o dropListener) apply(m *model) { m.services[o.name].drift() }

func (o dropListener) steps(*model) []string {
	return []string{fmt.Sprintf("cloud: {operation: DeleteListener, args: {id: '%s', listener: '%s'}}", balancerOf(o.name), partOf(o.name, "listeners[0].id"))}
}

// breakBalancer lets the load balancer of a Service fail: it goes into error, and serves no client.
type breakBalancer struct{ named }

func (o breakBalancer) legal(m *model) bool { return dropBalancer(o).legal(m) }

func (o breakBalancer) apply(m *model) { m.services[o.name].drift() }

func (o breakBalancer) steps(*model) []string {
	return []string{
		fmt.Sprintf(`fault: {name: breaks-%s, match: {operation: FailoverLoadBalancer, caller: "*"}, when: {times: 1}, effect: {state: {to: error}}}`, o.name),
		fmt.Sprintf("cloud: {operation: FailoverLoadBalancer, args: {id: '%s'}}", balancerOf(o.name)),
		"clearFaults: breaks-" + o.name,
	}
}

// balancerOf is the id of the load balancer that a Service's address is of.
func balancerOf(name string) string { return partOf(name, "id") }

// partOf is a part of that load balancer.
func partOf(name, path string) string {
	return fmt.Sprintf("${%s.%s}", balancerExpression(name), path)
}

// balancerExpression is that load balancer.
func balancerExpression(name string) string {
	return fmt.Sprintf(`loadBalancers.filter(lb, lb.vips.exists(v, v.address == reachable(services["%s"])[0]))[0]`, name)
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

func (o foreignTarget) apply(m *model) {
	m.services[o.name].shared, m.services[o.name].doubtful = true, true
}

func (o foreignTarget) steps(*model) []string {
	return []string{
		fmt.Sprintf("cloud: {operation: CreateInstance, args: {name: %s, labels: {sim.simcloud.dev/node: none}}}", o.vm()),
		fmt.Sprintf(`cloud: {operation: CreateTarget, args: {id: '%s', instance: '${instances.filter(vm, vm.name == "%s")[0].id}'}}`, balancerOf(o.name), o.vm()),
	}
}

func (o foreignTarget) vm() string { return "outside-" + o.name }

func (o foreignTarget) cleanup() []string { return []string{callVM("DeleteInstance", o.vm())} }

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

// foreignAddress lets another client reserve an address, which leads nowhere yet.
type foreignAddress struct{ noSimpler }

func (foreignAddress) about() string { return "foreign address" }

func (foreignAddress) legal(m *model) bool { return m.foreign&foreignAddressMade == 0 }

func (foreignAddress) apply(m *model) { m.foreign |= foreignAddressMade }

func (foreignAddress) steps(*model) []string {
	return []string{`cloud: {operation: CreateFloatingIP, args: {name: office}}`}
}

func (foreignAddress) cleanup() []string {
	return []string{`cloud: {operation: DeleteFloatingIP, args: {id: '${floatingIPs.filter(ip, ip.name == "office")[0].id}'}}`}
}

// elsewhere is a namespace that is not the scenario's.
const elsewhere = "explored-elsewhere"

// serviceElsewhere makes a Service of the same name in another namespace.
type serviceElsewhere struct {
	noSimpler
	name string
}

func (serviceElsewhere) about() string { return "another namespace" }

func (o serviceElsewhere) legal(m *model) bool {
	return m.services[o.name].wanted() && m.foreign&elsewhereMade == 0
}

func (serviceElsewhere) apply(m *model) { m.foreign |= elsewhereMade }

func (o serviceElsewhere) steps(*model) []string {
	return []string{fmt.Sprintf(`apply: |
  apiVersion: v1
  kind: Namespace
  metadata: {name: %[1]s}
  ---
  apiVersion: v1
  kind: Service
  metadata: {name: %[2]s, namespace: %[1]s}
  spec: {type: LoadBalancer, selector: {app: other}, ports: %[3]s}`, elsewhere, o.name, ports(8443, 1))}
}

func (serviceElsewhere) cleanup() []string {
	return []string{"delete: namespace/" + elsewhere, expectation(becauseServiceGone, unhurried, fmt.Sprintf(`loadBalancers.all(lb, lb.name == "shop" || lb.listeners.exists(l, l.targetPort == %d))`, otherPort))}
}
