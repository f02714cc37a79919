package fault_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// TestUnknownOperationOfDialect: a rule for an operation that does not exist is refused, with those that may be meant.
func TestUnknownOperationOfDialect(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"hcloud:add_targt":       "did you mean hcloud:add_target or ",
		"hcloud:target_add":      "hcloud:add_target",
		"hcloud:balancer_create": "hcloud:create_load_balancer",
		"hcloud:9":               `"hcloud:9" matches no operation of a dialect, such as hcloud:add_target`,
		"add_target":             "matches no operation of the cloud",
		"hcloud:AddTarget*":      "matches no operation of a dialect",
	} {
		rule := fault.Rule{Match: fault.Match{Operation: text}, Effect: fault.Effect{Hang: &fault.Hang{}}}
		if err := rule.Validate(); simcloud.CodeOf(err) != simcloud.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", text, err, want)
		}
	}
}

// TestOperationsOfDialects: rules for them are judged by what they stand for in the cloud.
func TestOperationsOfDialects(t *testing.T) {
	t.Parallel()
	if all := fault.DialectOperations(); !slices.IsSorted(all) || !slices.Contains(all, "hcloud:add_target") {
		t.Errorf("the operations of dialects are %v", all)
	}
	for text, field := range map[string]string{
		`{"match": {"operation": "hcloud:add_target"}, "effect": {"hang": {}}}`:                                               "",
		`{"match": {"operation": "hcloud:*_target", "resource": "load_balancer/lb-1"}, "effect": {"state": {"to": "error"}}}`: "",
		`{"match": {"operation": "hcloud:list_servers"}, "effect": {"page": {"lie": "drop"}}}`:                                "",
		`{"match": {"operation": "hcloud:add_target"}, "effect": {"page": {"lie": "drop"}}}`:                                  "effect.page",
		`{"match": {"operation": "hcloud:list_servers", "labels": "a"}, "effect": {"hang": {}}}`:                              "match.operation",
		`{"match": {"operation": "hcloud:add_target", "resource": "instance/i-1"}, "effect": {"hang": {}}}`:                   "match.resource",
	} {
		_, err := fault.Parse([]byte(text))
		if field == "" && err != nil || field != "" && (err == nil || !strings.Contains(err.Error(), field)) {
			t.Errorf("%s: got %v, want an error of %q", text, err, field)
		}
	}
}
