package explore

import "fmt"

// addVM creates a VM whose machine becomes a Node.
type addVM struct {
	name string
	// bare is whether it has no public address.
	bare bool
}

func (o addVM) about() string { return o.name }

func (o addVM) legal(m *model) bool { return m.vms[o.name] == nil }

func (o addVM) apply(m *model) {
	m.doubt()
	m.vms[o.name] = &vm{state: vmRunning, bare: o.bare}
	if o.bare {
		m.ask(partAddresses)
	}
}

func (o addVM) steps(*model) []string {
	addresses := ""
	if o.bare {
		addresses = "noPublicAddress: true, "
	}
	return []string{fmt.Sprintf(`cloud: {operation: CreateInstance, args: {name: %s, %slabels: {sim.simcloud.dev/node: light}}}`, o.name, addresses)}
}

func (o addVM) cleanup() []string { return []string{callVM("DeleteInstance", o.name)} }

func (o addVM) simpler() []Op {
	if !o.bare {
		return nil
	}
	return []Op{addVM{name: o.name}}
}

// addUnseenVM creates a VM that the cloud's API does not show for some seconds,
// while its Node is there already and not ready: what a new machine looks like
// that boots faster than the cloud's databases agree.
type addUnseenVM struct {
	noSimpler
	name string
}

func (o addUnseenVM) about() string { return o.name }

// Another rule, such as that of small pages, might show the VM in between: who has seen it, and is then told
// that there is none, may believe that it is gone.
func (o addUnseenVM) legal(m *model) bool { return m.vms[o.name] == nil && !m.faults && !m.paged }

func (o addUnseenVM) apply(m *model) {
	m.doubt()
	m.vms[o.name] = &vm{state: vmRunning, unborn: true}
	m.faults, m.lasting = true, true
}

func (o addUnseenVM) steps(*model) []string {
	return []string{
		"# All that is there by now is older than what the fault hides.\n" +
			"sleep: 5s",
		fmt.Sprintf(`fault: {name: unseen-%s, match: {operation: "*Instance*"}, effect: {hide: {for: 4s}}}`, o.name),
		fmt.Sprintf(`cloud: {operation: CreateInstance, args: {name: %s, labels: {sim.simcloud.dev/node: none}}}`, o.name),
		fmt.Sprintf(`apply: |
  apiVersion: v1
  kind: Node
  metadata:
    name: %s
    labels: {kubernetes.io/hostname: %[1]s}
  spec:
    taints: [{key: node.cloudprovider.kubernetes.io/uninitialized, value: "true", effect: NoSchedule}]`, o.name),
		"# Longer than the fault hides it.\n" +
			"sleep: 5s",
	}
}

func (o addUnseenVM) cleanup() []string { return []string{callVM("DeleteInstance", o.name)} }

// deleteVM deletes a VM, and its Node has to go. As long as the Node is not initialised, a CCM may take the VM for one that is
// yet to come, but not for ever.
type deleteVM struct{ named }

func (o deleteVM) legal(m *model) bool {
	v := m.vms[o.name]
	return v.there() && (v.known || !v.orphan)
}

func (o deleteVM) apply(m *model) { m.vms[o.name].state = vmGone }

func (o deleteVM) steps(m *model) []string {
	return afterBoot(m, o.name, callVM("DeleteInstance", o.name))
}

// stopVM switches a VM off, or suspends it. Its Node has to stay.
type stopVM struct {
	named
	suspend bool
}

func (o stopVM) legal(m *model) bool {
	v := m.vms[o.name]
	return v.there() && v.state == vmRunning && !v.silent
}

func (o stopVM) apply(m *model) { m.vms[o.name].state = vmStopped }

func (o stopVM) steps(m *model) []string {
	if o.suspend {
		return afterBoot(m, o.name, callVM("SuspendInstance", o.name))
	}
	return afterBoot(m, o.name, callVM("StopInstance", o.name))
}

// startVM switches a VM on again.
type startVM struct{ named }

// Nothing can be started in a zone that is down.
func (o startVM) legal(m *model) bool {
	v := m.vms[o.name]
	return v.there() && v.state == vmStopped && !m.zoneDown
}

func (o startVM) apply(m *model) { m.vms[o.name].state = vmRunning }

func (o startVM) steps(*model) []string { return []string{callVM("StartInstance", o.name)} }

// silence lets nothing be heard of a machine whose VM runs on.
type silence struct{ named }

// A zone that is down has silenced machines of which nothing is known here.
func (o silence) legal(m *model) bool { return m.vms[o.name].active() && !m.zoneDown }

func (o silence) apply(m *model) { m.vms[o.name].silent = true }

func (o silence) steps(m *model) []string {
	return afterBoot(m, o.name, fmt.Sprintf("machine: {freeze: %s}", o.name))
}

// afterBoot returns steps that wait until the machine of a VM has a Node, and then this step. A VM without a machine is not waited for.
func afterBoot(m *model, name, step string) []string {
	if m.vms[name].known || m.vms[name].orphan {
		return []string{step}
	}
	return []string{expectation(becauseBoots, "20s", fmt.Sprintf(`"%s" in nodes`, name)), step}
}

// speak ends a silence.
type speak struct{ named }

func (o speak) legal(m *model) bool {
	v := m.vms[o.name]
	return v.there() && v.state == vmRunning && v.silent && !m.zoneDown
}

func (o speak) apply(m *model) { m.vms[o.name].silent = false }

func (o speak) steps(*model) []string { return []string{fmt.Sprintf("machine: {thaw: %s}", o.name)} }

// touchNode changes a Node in a way that means nothing, as its kubelet does by writing its status: a CCM that failed to
// initialise the Node tries again then.
type touchNode struct{ named }

func (o touchNode) legal(m *model) bool { return m.vms[o.name].late() && m.healthy() }

func (o touchNode) apply(m *model) {
	m.vms[o.name].touches++
	m.vms[o.name].doubtful = false
}

func (o touchNode) steps(m *model) []string {
	return afterBoot(m, o.name, touch("node", o.name, m.vms[o.name].touches))
}

// touch returns a step that changes an annotation without a meaning. It needs the count of earlier touches: an annotation that
// stays the same is no change.
func touch(kind, name string, before int) string {
	return fmt.Sprintf(`patch: {target: %s/%s, patch: {metadata: {annotations: {example.com/look: again-%d}}}}`, kind, name, before+1)
}

// exclude lets a Node be no target of load balancers.
type exclude struct{ named }

// legal: upstream's service controller makes a load balancer and updates its targets at the same time, each with the Nodes that it has
// begun with. When calls fail for long, the one with the older Nodes may add a target again.
func (o exclude) legal(m *model) bool {
	v := m.vms[o.name]
	return v.there() && v.known && !v.orphan && !v.excluded && !m.faults
}

func (o exclude) apply(m *model) { m.vms[o.name].excluded = true }

func (o exclude) steps(*model) []string {
	return []string{fmt.Sprintf(`patch: {target: node/%s, patch: {metadata: {labels: {node.kubernetes.io/exclude-from-external-load-balancers: "true"}}}}`, o.name)}
}

// include lets an excluded Node be a target again.
type include struct{ named }

// legal: a CCM that sees both changes late, one right after the other, takes the targets away for a moment.
func (o include) legal(m *model) bool {
	v := m.vms[o.name]
	seesLate := m.lagging || m.delayed != "" || m.ccm == ccmPaused
	return v.there() && !v.orphan && v.excluded && !seesLate
}

func (o include) apply(m *model) { m.vms[o.name].excluded = false }

func (o include) steps(*model) []string {
	return []string{beforeBack, fmt.Sprintf(`patch: {target: node/%s, patch: {metadata: {labels: {node.kubernetes.io/exclude-from-external-load-balancers: null}}}}`, o.name)}
}

func callVM(operation, name string) string {
	return fmt.Sprintf(`cloud: {operation: %s, args: {id: '%s'}}`, operation, vmOf(name))
}

// vmOf is the id of the VM of a name.
func vmOf(name string) string {
	return fmt.Sprintf(`${instances.filter(vm, vm.name == "%s")[0].id}`, name)
}
