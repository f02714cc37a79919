package scenarios

import (
	"strings"
	"testing"
)

func TestKnownFailureMistakes(t *testing.T) {
	t.Parallel()
	good := KnownFailure{Scenario: "one", Issue: "acme/ccm#12", Why: "It asks once."}
	for _, issue := range []string{"acme/ccm#12", "a.b/c-d_e#1", "https://example.org/issues/7?x=1#note_2", "http://127.0.0.1:80"} {
		k := good
		k.Issue = issue
		if found := k.Mistakes(); len(found) > 0 {
			t.Errorf("%s: %v", issue, found)
		}
	}
	for says, change := range map[string]func(*KnownFailure){
		"scenario is empty": func(k *KnownFailure) { k.Scenario = "" },
		"why is empty":      func(k *KnownFailure) { k.Why = " \n" },
		`issue is ""`:       func(k *KnownFailure) { k.Issue = "" },
		`issue is "#12"`:    func(k *KnownFailure) { k.Issue = "#12" },
		`issue is "acme/ccm#0": want the URL of an issue, or owner/repository#number`: func(k *KnownFailure) { k.Issue = "acme/ccm#0" },
		`issue is "javascript:alert(1)"`:                                              func(k *KnownFailure) { k.Issue = "javascript:alert(1)" },
		`issue is "https://a/b) [c](d"`:                                               func(k *KnownFailure) { k.Issue = "https://a/b) [c](d" },
	} {
		k := good
		change(&k)
		if found := k.Mistakes(); len(found) != 1 || !strings.HasPrefix(found[0], says) {
			t.Errorf("%+v: %q, want %q", k, found, says)
		}
	}
}

// TestKnownFailureCovers: an entry with a text covers failures that all have it, whatever the line breaks.
func TestKnownFailureCovers(t *testing.T) {
	t.Parallel()
	k := KnownFailure{Scenario: "one", Issue: "acme/ccm#1", Says: "asks\n once"}
	this := []Failure{{Headline: "it asks once and\nstops"}, {Oracle: "leak", Because: "A CCM that asks\nonce leaks."}, {Expression: "asks  once"}}
	other := Failure{Headline: "it asks twice", Values: []string{"asks once"}}
	if !k.Covers(this) {
		t.Error("failures that all have the text are not covered")
	}
	if k.Covers(append(this, other)) {
		t.Error("a further failure without the text is covered")
	}
	if k.Says = ""; !k.Covers([]Failure{other}) {
		t.Error("an entry without a text does not cover whatever fails")
	}
}

func TestKnownFailureLink(t *testing.T) {
	t.Parallel()
	for issue, want := range map[string]string{"acme/ccm#12": "https://github.com/acme/ccm/issues/12", "https://example.org/7": "https://example.org/7"} {
		if got := (KnownFailure{Issue: issue}).Link(); got != want {
			t.Errorf("%s leads to %s, want %s", issue, got, want)
		}
	}
}

// TestKnownFailuresOf: a name of a file stands for all that its matrix makes of it, one with values
// for that alone, and both for their repetitions.
func TestKnownFailuresOf(t *testing.T) {
	t.Parallel()
	known := KnownFailures{{Scenario: "lb[how=kill]", Issue: "1"}, {Scenario: "lb", Issue: "2"}, {Scenario: "ro", Issue: "3"}}
	kill, pause := &Scenario{Name: "lb[how=kill]", Base: "lb"}, &Scenario{Name: "lb[how=pause]", Base: "lb"}
	for s, want := range map[*Scenario]string{kill: "1", kill.Repeated(2): "1", pause: "2", pause.Repeated(3): "2"} {
		if got := known.Of(s); got == nil || got.Issue != want {
			t.Errorf("%s: %v, want entry %s", s.Name, got, want)
		}
	}
	if got := known.Of(&Scenario{Name: "route", Base: "route"}); got != nil {
		t.Errorf("a scenario that is not listed: %v", got)
	}
}
