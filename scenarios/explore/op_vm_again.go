package explore

import "fmt"

// replaceVM puts another VM of the same name in the place of one, on which no machine runs. The Node is told by its
// providerID, whose VM is gone: it has to go, though a VM has its name.
type replaceVM struct {
	noSimpler
	name string
}

func (o replaceVM) about() string { return o.name }

func (o replaceVM) legal(m *model) bool {
	v := m.vms[o.name]
	return v.there() && v.known && !v.cut
}

func (o replaceVM) apply(m *model) {
	m.vms[o.name] = &vm{state: vmRunning, unborn: true, orphan: true}
}

func (o replaceVM) steps(*model) []string {
	return []string{
		callVM("DeleteInstance", o.name),
		fmt.Sprintf(`cloud: {operation: CreateInstance, args: {name: %s, labels: {sim.simcloud.dev/node: none}}}`, o.name),
	}
}

func (o replaceVM) cleanup() []string { return []string{callVM("DeleteInstance", o.name)} }

// returnVM deletes a VM and, when its Node is gone, creates one of the same name whose machine becomes a Node.
type returnVM struct {
	noSimpler
	name string
}

func (o returnVM) about() string { return o.name }

func (o returnVM) legal(m *model) bool {
	v := m.vms[o.name]
	return m.healthy() && v.there() && v.known && !v.cut
}

func (o returnVM) apply(m *model) {
	m.doubt()
	m.vms[o.name] = &vm{state: vmRunning, again: true}
}

func (o returnVM) steps(*model) []string {
	return []string{
		callVM("DeleteInstance", o.name),
		expectation(promiseOf(partGone).because, convergence, fmt.Sprintf(`!("%s" in nodes)`, o.name)),
		fmt.Sprintf(`cloud: {operation: CreateInstance, args: {name: %s, labels: {sim.simcloud.dev/node: light}}}`, o.name),
	}
}

func (o returnVM) cleanup() []string { return []string{callVM("DeleteInstance", o.name)} }

// rebootVM lets a VM begin again, without a word to its Node.
type rebootVM struct{ named }

func (o rebootVM) legal(m *model) bool { return m.vms[o.name].active() && !m.zoneDown }

func (o rebootVM) apply(*model) {}

func (o rebootVM) steps(*model) []string { return []string{callVM("RebootInstance", o.name)} }

// resizeVM gives a VM another type, and lets its Node register again: only a new Node is labelled with what its VM is now.
type resizeVM struct {
	noSimpler
	name string
}

func (o resizeVM) about() string { return o.name }

func (o resizeVM) legal(m *model) bool {
	v := m.vms[o.name]
	return m.healthy() && v.active() && v.known && !m.zoneDown
}

func (o resizeVM) apply(m *model) {
	m.doubt()
	was := m.vms[o.name]
	m.vms[o.name] = &vm{state: vmRunning, again: true, bare: was.bare, moved: was.moved, wide: was.wide}
}

func (o resizeVM) steps(*model) []string {
	return []string{
		callVM("StopInstance", o.name),
		fmt.Sprintf(`cloud: {operation: ResizeInstance, args: {id: '%s', type: '${instances.filter(vm, vm.name == "%s")[0].type == "large" ? "medium" : "large"}'}}`, vmOf(o.name), o.name),
		"delete: node/" + o.name,
		beforeBack,
		callVM("StartInstance", o.name),
	}
}

func (resizeVM) cleanup() []string { return nil }
