package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// ChangeKind is in what way a scenario went otherwise than before.
type ChangeKind string

// The kinds of changes, in the order in which they are listed.
const (
	// NewlyFailed: it failed or is invalid, and did not and was not before, or was not there.
	NewlyFailed ChangeKind = "newly_failed"
	StillFailed ChangeKind = "still_failed"
	// Flaky: it passed in some of its runs alone; before it passed too.
	Flaky       ChangeKind = "flaky"
	NewlyPassed ChangeKind = "newly_passed"
	// EndedOtherwise: neither failed, but it passed, or was skipped, broken, not run and so on, and was not before.
	EndedOtherwise ChangeKind = "ended_otherwise"
	Gone           ChangeKind = "gone"
	New            ChangeKind = "new"
	// Slower and Faster: it passed both times, in a time that differs much.
	Slower ChangeKind = "slower"
	Faster ChangeKind = "faster"
)

// changeKinds are all, in the order in which they are listed.
func changeKinds() []ChangeKind {
	return []ChangeKind{NewlyFailed, StillFailed, Flaky, NewlyPassed, EndedOtherwise, Gone, New, Slower, Faster}
}

// Words is how people read it: "newly failed".
func (k ChangeKind) Words() string { return strings.ReplaceAll(string(k), "_", " ") }

// Times that differ much: by half of the shorter one, and by more than what the machine's load makes of it.
const (
	muchFactor  = 1.5
	muchSeconds = 2.0
)

// Change is a scenario that went otherwise than before. All repetitions of one are one.
type Change struct {
	Scenario string     `json:"scenario"`
	Kind     ChangeKind `json:"change"`
	// Old and New are how it ended, the worst of its repetitions; empty where it is not there.
	Old scenarios.Status `json:"old,omitempty"`
	New scenarios.Status `json:"new,omitempty"`
	// OldSeconds and NewSeconds are how long a run took, on average.
	OldSeconds float64 `json:"oldSeconds,omitempty"`
	NewSeconds float64 `json:"newSeconds,omitempty"`
	// What says in a line what was wrong with it; in the new report, where it is there.
	What string `json:"what,omitempty"`
}

// Diff is what differs between two reports.
type Diff struct {
	// Regressions is how many scenarios newly failed.
	Regressions int      `json:"regressions"`
	Changes     []Change `json:"changes"`
}

// DiffReports compares two reports scenario by scenario.
func DiffReports(before, after scenarios.Report) Diff {
	was, is := outcomesOf(before), outcomesOf(after)
	d := Diff{Changes: []Change{}}
	for name, old := range was {
		if change, differs := changeOf(old, is[name]); differs {
			change.Scenario = name
			d.Changes = append(d.Changes, change)
		}
	}
	for name, now := range is {
		if _, there := was[name]; !there {
			change, _ := changeOf(outcome{}, now)
			change.Scenario = name
			d.Changes = append(d.Changes, change)
		}
	}
	rank := changeKinds()
	slices.SortFunc(d.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(slices.Index(rank, a.Kind), slices.Index(rank, b.Kind)), cmp.Compare(a.Scenario, b.Scenario))
	})
	d.Regressions = d.count(NewlyFailed)
	return d
}

func (d Diff) count(kind ChangeKind) (n int) {
	for _, c := range d.Changes {
		if c.Kind == kind {
			n++
		}
	}
	return n
}

// String counts the changes: "1 newly failed, 2 gone".
func (d Diff) String() string {
	var parts []string
	for _, kind := range changeKinds() {
		if n := d.count(kind); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, kind.Words()))
		}
	}
	if len(parts) == 0 {
		return "no differences"
	}
	return strings.Join(parts, ", ")
}

// outcome is how all repetitions of a scenario ended. The zero value is that of one that is not there.
type outcome struct {
	status  scenarios.Status // the worst
	seconds float64          // on average
	runs    int
	failed  int
	flaky   bool
	what    string
}

// outcomesOf are those of the scenarios, by their names without the numbers of repetitions.
func outcomesOf(r scenarios.Report) map[string]outcome {
	all := map[string][]scenarios.Result{}
	for _, s := range r.Scenarios {
		all[baseName(s.Name)] = append(all[baseName(s.Name)], s)
	}
	outcomes := map[string]outcome{}
	for name, results := range all {
		outcomes[name] = outcomeOf(worstFirst(results))
	}
	return outcomes
}

// outcomeOf is that of results, of which the first one is the worst.
func outcomeOf(results []scenarios.Result) outcome {
	o := outcome{status: results[0].Status, runs: len(results), what: cmp.Or(headlineOf(results[0]), results[0].Reason)}
	for _, s := range results {
		o.seconds += s.Seconds / float64(len(results))
		if didFail(s.Status) {
			o.failed++
		}
		if s.Flaky() {
			o.flaky = true
			o.what = cmp.Or(o.what, headlineOf(scenarios.Result{Failures: s.Flaked}))
		}
	}
	if o.failed > 0 && o.runs > 1 {
		o.what = fmt.Sprintf("%d of %s failed: %s", o.failed, words.Plural(o.runs, "run"), o.what)
	}
	return o
}

func didFail(s scenarios.Status) bool { return s == scenarios.Failed || s == scenarios.Invalid }

// changeOf compares how a scenario went; of one of the two it may not be there.
func changeOf(old, now outcome) (c Change, differs bool) {
	c = Change{Old: old.status, New: now.status, OldSeconds: old.seconds, NewSeconds: now.seconds, What: now.what}
	switch {
	case now.runs == 0:
		c.Kind, c.What = Gone, old.what
	case didFail(now.status) && !didFail(old.status):
		c.Kind = NewlyFailed
	case didFail(now.status):
		c.Kind = StillFailed
	case old.runs == 0:
		c.Kind = New
	case didFail(old.status) && now.status == scenarios.Passed:
		c.Kind = NewlyPassed
	case old.status != now.status:
		c.Kind = EndedOtherwise
	case now.flaky:
		c.Kind = Flaky
	case now.status == scenarios.Passed && muchLonger(old.seconds, now.seconds):
		c.Kind = Slower
	case now.status == scenarios.Passed && muchLonger(now.seconds, old.seconds):
		c.Kind = Faster
	default:
		return c, false
	}
	return c, true
}

// muchLonger reports whether b is much longer than a, in seconds.
func muchLonger(a, b float64) bool { return b >= a*muchFactor && b-a >= muchSeconds }
