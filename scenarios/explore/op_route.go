package explore

import "fmt"

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

// fullTable creates a VM for whose route there is no room, and makes room when the CCM has said that the Node has no network.
type fullTable struct {
	noSimpler
	name string
}

func (o fullTable) about() string { return o.name }

func (o fullTable) legal(m *model) bool { return m.healthy() && m.vms[o.name] == nil }

func (o fullTable) apply(m *model) {
	m.doubt()
	m.vms[o.name] = &vm{state: vmRunning}
}

// steps: a table has room for one route at least, and a route that goes meanwhile makes room, too.
func (o fullTable) steps(*model) []string {
	return []string{
		`cloud: {operation: UpdateRouteTable, args: {id: "${routeTables[0].id}", limit: "${routeTables[0].routes.size() > 0 ? routeTables[0].routes.size() : 1}"}}`,
		fmt.Sprintf(`cloud: {operation: CreateInstance, args: {name: %s, labels: {sim.simcloud.dev/node: light}}}`, o.name),
		expectation("A Node that has no route must not be told to have a network: NetworkUnavailable is True until it has one.", convergence,
			fmt.Sprintf(`"%[1]s" in nodes && (routeTables[0].routes.exists(r, r.destination == nodes["%[1]s"].spec.podCIDR) || condition(nodes["%[1]s"], "NetworkUnavailable").status == "True")`, o.name)),
		roomyTable,
	}
}

func (o fullTable) cleanup() []string { return []string{roomyTable, callVM("DeleteInstance", o.name)} }

// roomyTable is a step that makes room for routes again.
const roomyTable = `cloud: {operation: UpdateRouteTable, args: {id: "${routeTables[0].id}", limit: 500}}`
