package syntax_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

const knownHead = "apiVersion: simcloud.dev/v1alpha1\nkind: KnownFailures\n"

func TestParseKnownFailures(t *testing.T) {
	t.Parallel()
	known, err := syntax.ParseKnownFailures("known.yaml", []byte(knownHead+"known:\n- {scenario: one, issue: 'acme/ccm#1', why: It asks once.}\n- scenario: two[a=b]\n  issue: https://example.org/2\n  why: It does not ask.\n  says: no VM\n"))
	want := scenarios.KnownFailures{
		{Scenario: "one", Issue: "acme/ccm#1", Why: "It asks once.", Place: "known.yaml:4:3"},
		{Scenario: "two[a=b]", Issue: "https://example.org/2", Why: "It does not ask.", Says: "no VM", Place: "known.yaml:5:3"},
	}
	if diff := cmp.Diff(want, known); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for text, says := range map[string]string{
		"": "known.yaml:1: the file declares nothing: want \"apiVersion",
		knownHead + "known: [{scenario: one, issue: a/b, why: x}]\n":                                `known.yaml:3:9: issue is "a/b": want the URL of an issue, or owner/repository#number`,
		knownHead + "known: [{scenario: one, issue: 'a/b#1'}]\n":                                    "known.yaml:3:9: why is empty",
		knownHead + "known: [{scenario: one, issue: 'a/b#1', why: x, until: y}]\n":                  `an entry of known has no key "until"`,
		knownHead + "known: {scenario: one}\n":                                                      "known.yaml:3:8: known is a mapping: want a list",
		knownHead + "known: [{issue: 'a/b#1', why: x}, {scenario: one, issue: 'a/b#1', why: ''}]\n": "scenario is empty: want the name of a scenario\nknown.yaml:3:35: why is empty",
		strings.Replace(knownHead, "KnownFailures", "Known", 1) + "known: []\n":                     `kind is "Known": want KnownFailures`,
		knownHead + "known: []\n---\na: b\n":                                                        "the file has a second document",
	} {
		if _, err := syntax.ParseKnownFailures("known.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), says) || !scenarios.IsBadInput(err) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

// TestCheckKnownFailures: an entry names a scenario, or all of a matrix, and no scenario has two.
func TestCheckKnownFailures(t *testing.T) {
	t.Parallel()
	all := []*scenarios.Scenario{{Name: "late-vm", Base: "late-vm"}, {Name: "lb[how=kill]", Base: "lb"}, {Name: "lb[how=stop]", Base: "lb"}}
	if err := syntax.CheckKnownFailures(scenarios.KnownFailures{{Scenario: "late-vm"}, {Scenario: "lb"}, {Scenario: "lb[how=kill]"}}, all); err != nil {
		t.Error(err)
	}
	err := syntax.CheckKnownFailures(scenarios.KnownFailures{
		{Scenario: "latevm", Place: "k.yaml:4:3"}, {Scenario: "late-vm", Place: "k.yaml:5:3"}, {Scenario: "late-vm", Place: "k.yaml:6:3"}, {Scenario: "lb[how=pause]", Place: "k.yaml:7:3"},
	}, all)
	if err == nil || !scenarios.IsBadInput(err) {
		t.Fatalf("%v, want bad input", err)
	}
	for _, says := range []string{
		`k.yaml:4:3: there is no scenario "latevm" ("late-vm"?): want the name of one`, `k.yaml:6:3: the scenario "late-vm" is there twice: the first entry is at k.yaml:5:3`,
		`k.yaml:7:3: there is no scenario "lb[how=pause]": want lb[how=kill], lb[how=stop], or lb for all of them`,
	} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("%v\nlacks %q", err, says)
		}
	}
}
