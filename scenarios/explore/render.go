package explore

import (
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// script is a history as a scenario file.
type script struct {
	text []byte
	// ops has for each step of the scenario the index of its op.
	ops []int
}

// title is what a file says of itself. It may quote a CCM or the cloud.
type title struct {
	name        string
	description string
	comment     []string // lines before the document
}

// write writes a legal history as a scenario.
func (h History) write(t title) script {
	var b strings.Builder
	for _, line := range t.comment {
		b.WriteString(strings.TrimRight("# "+escape.Line(line), " ") + "\n")
	}
	fmt.Fprintf(&b, "apiVersion: simcloud.dev/v1alpha1\nkind: Scenario\nmetadata:\n  name: %s\n  labels: {tier: explored}\nspec:\n  description: >-\n    %s\n",
		t.name, escape.Line(strings.Join(strings.Fields(t.description), " ")))
	fmt.Fprintf(&b, "  nodes: %d\n  light: true\n  steps:\n", h.Nodes)
	m := newModel(h.Nodes)
	var ops []int
	for i, op := range h.Ops {
		for _, step := range op.steps(m) {
			b.WriteString(listItem(step))
			ops = append(ops, i)
		}
		op.apply(m)
	}
	b.WriteString("  finally:\n")
	for _, step := range h.finally(m) {
		b.WriteString(listItem(step))
	}
	return script{[]byte(b.String()), ops}
}

// finally are the steps that remove everything that the history has made.
func (h History) finally(m *model) []string {
	steps := []string{"ccm: start"}
	if h.pauses() {
		steps = append(steps, "ccm: resume")
	}
	if len(m.services) > 0 {
		var names []string
		for _, name := range m.servicesThat(func(*service) bool { return true }) {
			names = append(names, "service/"+name)
		}
		steps = append(steps, fmt.Sprintf("delete: [%s]", strings.Join(names, ", ")),
			expectation(becauseServiceGone, unhurried, "services.size() == 0"))
	}
	for _, op := range h.Ops {
		steps = append(steps, op.cleanup()...)
	}
	return steps
}

// pauses reports whether a failure may leave the CCM paused.
func (h History) pauses() bool {
	for _, op := range h.Ops {
		if op == (ccmDo{verb: "pause"}) {
			return true
		}
	}
	return false
}

// listItem indents a step as an item of the list of steps. A comment stands before it.
func listItem(step string) string {
	var b strings.Builder
	lines := strings.Split(step, "\n")
	for len(lines) > 1 && strings.HasPrefix(lines[0], "#") {
		fmt.Fprintf(&b, "  %s\n", lines[0])
		lines = lines[1:]
	}
	fmt.Fprintf(&b, "  - %s\n", lines[0])
	for _, line := range lines[1:] {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	return b.String()
}
