package fault_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// sameRule compares rules by what stands in them.
var sameRule = cmpopts.IgnoreUnexported(fault.Problem{}, fault.Delay{}, fault.Hang{}, fault.Reset{}, fault.Stale{}, fault.Hide{}, fault.OK{})

// FuzzParse: a text is refused, or is a rule that its own JSON gives again and a cloud takes.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `{"effect": {"hang": {}}}`,
		`{"name": "a", "arm": "label", "match": {"operation": "Create*", "resource": "instance/*", "labels": "a in (b,c)", "zone": "z", "caller": "c*", "project": "p"},
		  "when": {"skip": 1, "times": 2, "every": 3, "probability": 0.5, "after": "1s", "until": "1m"}, "effect": {"error": {"code": "locked", "retryAfter": "2s"}}}`,
		`{"effect": {"sequence": [{"ok": {}}, {"delay": {"duration": "1s", "jitter": "1ms"}}, {"reset": {"when": "after"}}, {"garble": {"body": "html", "status": 503}}]}}`,
		`{"effect": {"stale": {"by": "x"}}}`, `{"effect": {"state": {"to": "error"}}}`, `{"effect": {"lock": {"for": "1h"}}}`, `{"effect": {"page": {"lie": "size", "size": 3}}}`,
		`{"when": {"probability": 1e309}, "effect": {"hide": {"for": "1s"}}}`, `{"effect": {"sequence": [{"sequence": [{}]}]}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rule, err := fault.Parse([]byte(text))
		if err != nil {
			if simcloud.CodeOf(err) != simcloud.Invalid {
				t.Errorf("%q: %v is not Invalid", text, err)
			}
			return
		}
		raw, err := json.Marshal(rule)
		if err != nil {
			t.Fatal(err)
		}
		again, err := fault.Parse(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if diff := cmp.Diff(rule, again, sameRule); diff != "" {
			t.Errorf("%s (-rule +its JSON):\n%s", text, diff)
		}
		set := fault.New(fault.Config{})
		if _, err := set.AddFault(t.Context(), rule); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	})
}

// TestEveryEffectIsDocumented: the page has a section for each effect, by its name.
func TestEveryEffectIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range fault.Effects() {
		if !slices.Contains(strings.Split(string(page), "\n"), "## "+name) {
			t.Errorf("docs/faults.md has no section %q", name)
		}
	}
}
