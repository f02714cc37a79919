package expr

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDenials: an expression denies the keys that it is true without. What must have a key denies none.
func TestDenials(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`!tainted(nodes["a"], "x/t")`:                                                             "taint x/t",
		`tainted(nodes["a"], "x/t") == false`:                                                     "taint x/t",
		`tainted(nodes["a"], "x/t") != true`:                                                      "taint x/t",
		`false == tainted(nodes["a"], "x/t")`:                                                     "taint x/t",
		`tainted(nodes["a"], "x/t")`:                                                              "",
		`!!tainted(nodes["a"], "x/t")`:                                                            "",
		`tainted(nodes["a"], "x/t") || !tainted(nodes["a"], ns)`:                                  "",
		`nodes.all(n, !tainted(nodes[n], "x/t") && tainted(nodes[n], "x/u"))`:                     "taint x/t",
		`!nodes.exists(n, tainted(nodes[n], "x/t"))`:                                              "taint x/t",
		`nodes.filter(n, tainted(nodes[n], "x/t")).size() == 0`:                                   "taint x/t",
		`0 == size(nodes.filter(n, tainted(nodes[n], "x/t")))`:                                    "taint x/t",
		`nodes.filter(n, tainted(nodes[n], "x/t")).size() < 2`:                                    "taint x/t",
		`nodes.filter(n, tainted(nodes[n], "x/t")).size() == 2`:                                   "",
		`nodes.filter(n, tainted(nodes[n], "x/t")).size() > 0`:                                    "",
		`nodes.filter(n, !tainted(nodes[n], "x/t")).size() >= 2`:                                  "taint x/t",
		`elapsed > duration("1s") ? !tainted(nodes["a"], "x/t") : label(nodes["a"], "x/l") == ""`: "taint x/t, label x/l",

		`!nodes["a"].spec.taints.exists(t, t.key == "x/t" && t.effect == "NoSchedule")`: "taint x/t",
		`nodes["a"].spec.?taints.orValue([]).all(t, t.key != "x/t")`:                    "taint x/t",
		`nodes["a"].spec.taints.filter(t, t.key in ["x/t", "x/u"]).size() == 0`:         "taint x/t, taint x/u",
		`!("x/t" in nodes["a"].spec.taints.map(t, t.key))`:                              "taint x/t",
		`nodes["a"].spec.taints.exists(t, t.key == "x/t")`:                              "",
		`nodes["a"].spec.taints.all(t, t.effect != "NoExecute")`:                        "",
		`nodes["a"].spec.taints.all(i, t, t.key != "x/t")`:                              "taint x/t",
		`nodes["a"].status.conditions.all(t, t.type != "x/t")`:                          "",

		`!("x/l" in nodes["a"].metadata.labels)`:                                        "label x/l",
		`!("x/l" in instances[0].labels)`:                                               "label x/l",
		`!("x/a" in services["web"].metadata.?annotations.orValue({}))`:                 "annotation x/a",
		`!("web" in services) && !("10.0.0.1" in addresses(nodes["a"], "InternalIP"))`:  "",
		`!has(services["web"].metadata.annotations.a)`:                                  "annotation a",
		`!has(services["web"].metadata.annotations) && !has(services["web"].spec.type)`: "",
		`!services["web"].metadata.annotations[?"x/a"].hasValue()`:                      "annotation x/a",
		`services["web"].metadata.annotations[?"x/a"].orValue("") == ""`:                "annotation x/a",
		`services["web"].metadata.annotations[?"x/a"].orValue("no") != "yes"`:           "annotation x/a",
		`services["web"].metadata.annotations[?"x/a"].orValue("") == "yes"`:             "",
		`services["web"].metadata.annotations["x/a"] != "yes"`:                          "",
		`nodes["a"].metadata.labels.all(k, k != "x/l")`:                                 "label x/l",
		`!nodes["a"].metadata.labels.exists(k, v, k == "x/l" && v == "1")`:              "label x/l",
		`nodes["a"].metadata.labels.all(k, v, v != "x/l")`:                              "",

		`label(nodes["a"], "x/l") == ""`:                                "label x/l",
		`"gone" != label(nodes["a"], "x/l")`:                            "label x/l",
		`label(nodes["a"], "x/l") != instances[0].type`:                 "label x/l",
		`!label(nodes["a"], "x/l").startsWith("old-")`:                  "label x/l",
		`label(nodes["a"], "x/l") != ""`:                                "",
		`label(nodes["a"], "x/l") == "here"`:                            "",
		`label(nodes["a"], "x/l") != label(nodes["b"], "x/l")`:          "",
		`label(nodes["a"], "x/l") == instances[0].type`:                 "",
		`calls.all(c, c.code == "" && !("x/l" in c.message.split("")))`: "",
	} {
		if got := deniedBy(t, source, true); got != want {
			t.Errorf("%s denies %q, want %q", source, got, want)
		}
	}
	if got := deniedBy(t, `tainted(nodes["a"], "x/t") || label(nodes["a"], "x/l") == ""`, false); got != "taint x/t" {
		t.Errorf("what must never be true denies %q", got)
	}
}

func deniedBy(t *testing.T, source string, wanted bool) string {
	t.Helper()
	c, err := NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	e, issues := c.Compile(source)
	if len(issues) > 0 {
		t.Fatalf("%s: %s", source, issues[0].Message)
	}
	var all []string
	for _, d := range e.Denials(wanted) {
		all = append(all, fmt.Sprintf("%s %s", d.Kind, d.Key))
	}
	return strings.Join(all, ", ")
}

// TestDenialsHavePlaces: a denial is where its key is, wherever that is in the expression.
func TestDenialsHavePlaces(t *testing.T) {
	t.Parallel()
	c, err := NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	e, _ := c.Compile("nodes.size() > 0\n&& nodes.all(n, !tainted(nodes[n], \"x/t\"))")
	e.PlaceOf = func(line, column int) string { return fmt.Sprintf("%d:%d", line, column) }
	if diff := cmp.Diff([]Denial{{"taint", "x/t", "2:35"}}, e.Denials(true)); diff != "" {
		t.Errorf("denials (-want +got):\n%s", diff)
	}
}
