package fault_test

import (
	"encoding/json"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// TestExamples: each effect has an example, which the cloud takes as it is written.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, effect := range fault.Effects() {
		rule, operations, ok := fault.Example(effect)
		if !ok || operations == "" {
			t.Errorf("%s: an example %v, operations %q", effect, ok, operations)
			continue
		}
		raw, err := json.Marshal(rule)
		if err != nil {
			t.Fatal(err)
		}
		read, err := fault.Parse(raw)
		if err != nil {
			t.Errorf("%s: %v in %s", effect, err, raw)
		}
		var has map[string]json.RawMessage
		if raw, err = json.Marshal(read.Effect); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &has); err != nil || has[effect] == nil || len(has) != 1 {
			t.Errorf("the example of %s has the effect %s", effect, raw)
		}
	}
	if _, _, ok := fault.Example("explode"); ok {
		t.Error("an effect that does not exist has an example")
	}
}
