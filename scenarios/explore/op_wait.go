package explore

import (
	"fmt"
	"strings"
)

// Explanations of steps that wait for the harness and the control plane, which begin with aside, not for the CCM.
const (
	aside         = "This is not about the CCM: "
	becauseSilent = aside + "nothing is heard of these machines, and their Nodes become not ready."
	becauseBoots  = aside + "the machine boots."
)

// wait lets time pass in which a CCM does its periodic work: first the Nodes of
// silent machines have become not ready, which is when a CCM asks for their VMs.
type wait struct{ plain }

func (wait) about() string { return "time" }

func (wait) legal(*model) bool { return true }

func (wait) apply(*model) {}

func (wait) steps(m *model) []string {
	var not []string
	for _, name := range m.vmsThat(func(v *vm) bool { return v.quiet() && !v.unborn }) {
		not = append(not, fmt.Sprintf(`(!("%s" in nodes) || condition(nodes["%[1]s"], "Ready").status != "True")`, name))
	}
	if len(not) == 0 {
		return []string{"sleep: 5s"}
	}
	return []string{expectation(becauseSilent, "20s", strings.Join(not, " && ")), "sleep: 5s"}
}

// expectation writes a step that expects something within a time.
func expectation(because, within, expression string) string {
	return fmt.Sprintf("because: >-\n  %s\nwithin: %s\nexpect: >-\n  %s", because, within, expression)
}
