package explore

import "fmt"

// addAddress gives a VM a public IPv6 address. The VM keeps the addresses that it has.
type addAddress struct{ named }

func (o addAddress) legal(m *model) bool {
	v := m.vms[o.name]
	return v.active() && v.known && !v.wide
}

func (o addAddress) apply(m *model) {
	m.vms[o.name].wide = true
	m.ask(partAddresses)
}

func (o addAddress) steps(*model) []string {
	return []string{fmt.Sprintf(`cloud: {operation: AddInstanceAddress, args: {id: '%s', scope: public, family: 6}}`, vmOf(o.name))}
}

// moveVM gives a VM another public address, and takes the first one away.
type moveVM struct{ named }

func (o moveVM) legal(m *model) bool {
	v := m.vms[o.name]
	return v.active() && v.known && !v.moved && !v.bare
}

func (o moveVM) apply(m *model) {
	m.vms[o.name].moved = true
	m.ask(partAddresses)
}

func (o moveVM) steps(*model) []string {
	return []string{
		fmt.Sprintf(`cloud: {operation: AddInstanceAddress, args: {id: '%s', scope: public}}`, vmOf(o.name)),
		fmt.Sprintf(`cloud: {operation: RemoveInstanceAddress, args: {id: '%s', address: '${instances.filter(vm, vm.name == "%s")[0].addresses.filter(a, a.scope == "public")[0].address}'}}`, vmOf(o.name), o.name),
	}
}

// addToldVM creates a VM whose kubelet was started with --node-ip. The VM gets this address a moment later, as its second private one. A
// CCM that has looked at the VM before must look again.
type addToldVM struct {
	noSimpler
	name string
}

func (o addToldVM) about() string { return o.name }

func (o addToldVM) legal(m *model) bool { return m.vms[o.name] == nil }

func (o addToldVM) apply(m *model) {
	m.doubt()
	m.vms[o.name] = &vm{state: vmRunning, doubtful: true}
	m.told++
}

func (o addToldVM) steps(m *model) []string {
	address := fmt.Sprintf(`${networks[0].cidrs.filter(c, c.contains("."))[0].split(".").slice(0, 2).join(".")}.100.%d`, m.told+1)
	return []string{
		fmt.Sprintf(`cloud: {operation: CreateInstance, args: {name: %s, labels: {sim.simcloud.dev/node: light, sim.simcloud.dev/node-ip: '%s'}}}`, o.name, address),
		fmt.Sprintf(`cloud: {operation: AddInstanceAddress, args: {id: '%s', scope: private, address: '%s'}}`, vmOf(o.name), address),
	}
}

func (o addToldVM) cleanup() []string { return []string{callVM("DeleteInstance", o.name)} }

// addTwin lets another client have a VM in a network of its own, with the private address that a VM of the cluster has.
type addTwin struct {
	noSimpler
	name string // of the cluster's VM
}

func (addTwin) about() string { return "foreign network" }

func (o addTwin) legal(m *model) bool {
	return m.vms[o.name].there() && m.foreign&foreignNetworkMade == 0
}

func (addTwin) apply(m *model) { m.foreign |= foreignNetworkMade }

func (o addTwin) steps(*model) []string {
	return []string{
		fmt.Sprintf(`cloud: {operation: CreateNetwork, args: {name: foreign, cidrs: '${networks.filter(n, n.id == instances.filter(vm, vm.name == "%s")[0].network)[0].cidrs}'}}`, o.name),
		`cloud: {operation: CreateInstance, args: {name: foreign, network: '` + foreignNetwork + `', noPublicAddress: true, labels: {sim.simcloud.dev/node: none}}}`,
		fmt.Sprintf(`cloud: {operation: AddInstanceAddress, args: {id: '%s', scope: private, address: '${instances.filter(vm, vm.name == "%s")[0].addresses.filter(a, a.scope == "private")[0].address}'}}`, vmOf("foreign"), o.name),
	}
}

// foreignNetwork is the id of the other client's network.
const foreignNetwork = `${networks.filter(n, n.name == "foreign")[0].id}`

func (addTwin) cleanup() []string {
	return []string{callVM("DeleteInstance", "foreign"), `cloud: {operation: DeleteNetwork, args: {id: '` + foreignNetwork + `'}}`}
}
