package cloud

import (
	"bytes"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// TestExplainedExamplesWork: each effect is explained, with an example that a cloud takes as it is printed.
func TestExplainedExamplesWork(t *testing.T) {
	t.Parallel()
	_, c := simtest.Open(t)
	for _, effect := range fault.Effects() {
		e, err := explain(effect)
		if err != nil {
			t.Fatal(err)
		}
		if e.Doc == "" || e.Operations == "" {
			t.Errorf("%s is not explained: %+v", effect, e)
		}
		for _, f := range e.Fields {
			if f.Doc == "" {
				t.Errorf("%s.%s has no doc comment", effect, f.Name)
			}
		}
		var out bytes.Buffer
		if err := e.print(&out); err != nil {
			t.Fatal(err)
		}
		_, example, _ := strings.Cut(out.String(), "\nEXAMPLE, for simcloud fault add -f FILE\n")
		rules, err := readRules("the example", strings.NewReader(example))
		if err != nil {
			t.Fatalf("%s: %v in\n%s", effect, err, example)
		}
		added, err := c.AddFault(t.Context(), rules[0])
		if err != nil {
			t.Fatalf("%s: %v", effect, err)
		}
		want, _, _ := fault.Example(effect)
		if got := flow(added.Effect); got != flow(want.Effect) {
			t.Errorf("%s: the effect is %s, want %s", effect, got, flow(want.Effect))
		}
		if err := c.ClearFaults(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
