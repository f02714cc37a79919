package explore

import (
	"fmt"
	"strings"
)

// arm adds a fault rule to the cloud.
type arm struct {
	operation string // a glob
	// effects are effects as YAML, with a line each. The rule has several one
	// after the other, one for each call, and is over then.
	effects string
	times   int // of one effect: how often; 0 for as long as the rule is there
}

// armOneByOne makes a rule that has several effects.
func armOneByOne(operation string, effects []string) arm {
	return arm{operation: operation, effects: strings.Join(effects, "\n")}
}

func (arm) about() string { return "faults" }

func (o arm) legal(*model) bool { return true }

func (o arm) apply(m *model) {
	m.faults = true
	m.lasting = m.lasting || o.times == 0
	m.armed++
	m.doubt()
}

func (o arm) steps(m *model) []string {
	rule := fmt.Sprintf(`name: bad-%d, match: {operation: "%s"}`, m.armed+1, o.operation)
	all := strings.Split(o.effects, "\n")
	switch {
	case len(all) > 1:
		return []string{fmt.Sprintf("fault:\n  %s\n  effect:\n    sequence:\n    - %s",
			strings.Replace(rule, ", ", "\n  ", 1), strings.Join(bare(all), "\n    - "))}
	case o.times > 0:
		return []string{fmt.Sprintf("fault: {%s, when: {times: %d}, effect: %s}", rule, o.times, all[0])}
	default:
		return []string{fmt.Sprintf("fault: {%s, effect: %s}", rule, all[0])}
	}
}

// bare writes effects without the braces, as lists have them.
func bare(effects []string) []string {
	var all []string
	for _, e := range effects {
		all = append(all, strings.TrimSuffix(strings.TrimPrefix(e, "{"), "}"))
	}
	return all
}

func (o arm) cleanup() []string { return nil }

func (o arm) simpler() []Op {
	all := strings.Split(o.effects, "\n")
	if len(all) == 1 {
		return nil
	}
	half := len(all) / 2
	return []Op{armOneByOne(o.operation, all[:half]), armOneByOne(o.operation, all[half:])}
}

// deleteRefused deletes a Service while the cloud refuses to delete what was made for it.
type deleteRefused struct {
	plain
	name string // of the Service
	rule arm
}

func (o deleteRefused) about() string { return o.name }

func (o deleteRefused) legal(m *model) bool { return deleteService{of(o.name)}.legal(m) }

func (o deleteRefused) apply(m *model) {
	o.rule.apply(m)
	deleteService{of(o.name)}.apply(m)
}

func (o deleteRefused) steps(m *model) []string {
	return append(o.rule.steps(m), deleteService{of(o.name)}.steps(m)...)
}

// clearFaults ends all fault rules.
type clearFaults struct{ plain }

func (clearFaults) about() string { return "faults" }

func (clearFaults) legal(m *model) bool { return m.faults }

func (clearFaults) apply(m *model) {
	m.faults, m.lasting = false, false
	m.doubt() // also of Services that came meanwhile
}

func (clearFaults) steps(m *model) []string {
	steps := []string{"clearFaults: all"}
	if m.paged {
		steps = append(steps, smallPages{}.steps(m)...)
	}
	return steps
}

// smallPages lets lists of VMs have pages of one, from now on. It is no failure: a CCM reads all pages.
type smallPages struct{ plain }

func (smallPages) about() string { return "pages" }

// legal: the rule would be applied in the place of one that hides a VM.
func (smallPages) legal(m *model) bool { return !m.paged && !m.faults }

func (smallPages) apply(m *model) { m.paged = true }

func (smallPages) steps(*model) []string {
	return []string{"fault: {name: pages, match: {operation: ListInstances}, effect: {page: {lie: size, size: 1}}}"}
}

// slowBalancers lets load balancers take their time to be made and changed.
type slowBalancers struct{ plain }

func (slowBalancers) about() string { return "slow load balancers" }

func (slowBalancers) legal(m *model) bool { return !m.slow }

func (slowBalancers) apply(m *model) {
	m.slow = true
	m.doubt()
}

func (slowBalancers) steps(*model) []string {
	return []string{"cloud: {operation: UpdateConfig, args: {progressions: {load_balancer: {mode: time, duration: 1s}}}}"}
}
