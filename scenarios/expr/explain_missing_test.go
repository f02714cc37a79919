package expr

import (
	"slices"
	"testing"
)

// TestExplainMissing: an object that is gone is named, where the others are compared with what was captured of all.
func TestExplainMissing(t *testing.T) {
	s := explainSnapshot(t)
	s.Captured["uids"] = map[string]any{"node-1": "u", "node-2": "u", "node-3": "u"}
	for source, says := range map[string]bool{
		`nodes.size() == 3 && nodes.all(name, !has(nodes[name].metadata.uid) || nodes[name].metadata.uid == uids[name])`: true,
		`nodes.size() == 3 && nodes.all(name, "node-1" in nodes)`:                                                        false,
		`nodes.size() == 3 && uids.all(name, uids[name] == "u")`:                                                         false,
	} {
		c, err := NewCompiler()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Declare("uids", Type{}); err != nil {
			t.Fatal(err)
		}
		e, issues := c.Compile(source)
		if e == nil {
			t.Fatal(issues)
		}
		if lines := Explain(e, s); slices.Contains(lines, "nodes lacks node-3, which uids has") != says {
			t.Errorf("%s: %q", source, lines)
		}
		if lines := ExplainTrue(e, s); slices.Contains(lines, "nodes lacks node-3, which uids has") {
			t.Errorf("%s, unwanted: %q", source, lines)
		}
	}
}
