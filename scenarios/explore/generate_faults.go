package explore

import "github.com/simcloud-dev/simcloud/scenarios"

// faults are operations and what may happen to them.
type faults struct {
	operations, effects []string
	times               []int // 0: for as long as the rule is there
}

// fault draws a rule with one effect, which may last, or with many one after the
// other: most CCMs get most of them right, and one of them is enough to show that they do not.
func (g *generation) fault(of faults) arm {
	operation, effects := oneOf(g.dice, of.operations...), shuffled(g.dice, of.effects)
	if g.oneIn(2) {
		return arm{operation: operation, effects: effects[0], times: oneOf(g.dice, of.times...)}
	}
	return armOneByOne(operation, effects[:min(len(effects), g.between(4, 12))])
}

// instanceReads never say that a VM is gone: a CCM may believe it.
func instanceReads() faults {
	return faults{
		operations: []string{"*Instance*", "GetInstance", "ListInstances"},
		effects:    answers(),
		times:      []int{0}, // what passes, clients try again by themselves
	}
}

// instanceLists are lists that lie, but leave nothing out that was there for a
// while: who knows VMs by lists alone would rightly take it for gone.
func instanceLists() faults {
	return faults{
		operations: []string{"ListInstances"},
		effects:    []string{"{page: {lie: size, size: 1}}", "{page: {lie: duplicate}}", "{stale: {by: 3s}}"},
		times:      []int{0, 0, 3},
	}
}

// stalls are answers that never come. A CCM gives up after some time.
func stalls() faults {
	return faults{operations: []string{"*Instance*"}, effects: []string{"{hang: {}}"}, times: []int{1}}
}

func balancerCalls() faults {
	return faults{
		operations: []string{"CreateLoadBalancer", "CreateFloatingIP", "DeleteLoadBalancer", "DeleteFloatingIP", "*LoadBalancer*", "*FloatingIP*", "*Target", "*Listener"},
		effects: append(answers(), "{error: {code: locked, retryAfter: 1s}}", "{error: {code: conflict}}", "{error: {code: quota_exceeded}}",
			"{delay: {duration: 2s}}"),
		times: []int{1, 2, 1},
	}
}

// balancerDeletes are refusals to delete what something else still uses.
func balancerDeletes() faults {
	return faults{
		operations: []string{"DeleteFloatingIP", "DeleteLoadBalancer", "Delete*"},
		effects:    []string{"{error: {code: in_use}}", "{error: {code: conflict}}", "{error: {code: locked, retryAfter: 1s}}"},
		times:      []int{1, 2},
	}
}

// balancerStates are effects on load balancers themselves.
func balancerStates(able scenarios.CapabilitySet) faults {
	effects := []string{"{state: {to: error}}", "{lock: {for: 3s}}", "{state: {to: active, after: 3s}}"}
	if !able["errorState"] { // none would leave it again
		effects = effects[1:]
	}
	return faults{operations: []string{"CreateLoadBalancer"}, effects: effects, times: []int{1, 2}}
}

func routeCalls() faults {
	return faults{
		operations: []string{"CreateRoute", "DeleteRoute", "*Route*"},
		effects:    append(answers(), "{error: {code: conflict}}", "{error: {code: locked, retryAfter: 1s}}", "{error: {code: quota_exceeded}}", "{delay: {duration: 2s}}"),
		times:      []int{1, 3, 0},
	}
}

func anyCalls() faults {
	return faults{operations: []string{"*"}, effects: answers(), times: []int{0, 3}}
}

// answers are effects that any call can have.
func answers() []string {
	return []string{
		"{error: {code: unauthenticated}}", "{error: {code: unavailable}}", "{error: {code: rate_limited, retryAfter: 1s}}",
		"{reset: {when: after}}", "{reset: {when: before}}", "{garble: {body: html}}", "{garble: {body: \"null\"}}",
		"{error: {code: forbidden}}", "{error: {code: internal}}", "{error: {code: timeout}}",
		"{garble: {body: bare-404}}", "{garble: {body: empty}}", "{garble: {body: truncated}}",
	}
}

// allFaults are all that there can be.
func allFaults() []faults {
	return []faults{instanceReads(), instanceLists(), stalls(), balancerCalls(), balancerDeletes(), balancerStates(scenarios.CapabilitySet{"errorState": true}), routeCalls(), anyCalls()}
}
