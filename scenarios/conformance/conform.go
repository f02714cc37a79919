package conformance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// Verdict is how a CCM stands against the clauses.
type Verdict struct {
	Subject string    `json:"subject"`
	Started time.Time `json:"started"`
	// Seconds is how long the run took, with what was run again to shorten failures.
	Seconds float64 `json:"seconds"`
	Seed    uint64  `json:"seed"`
	// Capabilities are what the CCM was declared to be able to do.
	Capabilities []string `json:"capabilities"`
	Score        Score    `json:"score"`
	// Causes are the failures that several clauses have in common.
	Causes []Cause       `json:"causes,omitempty"`
	Areas  []AreaVerdict `json:"areas"`
	// Unsimulated are the calls of the CCM for what simcloud does not simulate: see [report.Unsimulated].
	Unsimulated []string `json:"unsimulated,omitempty"`
	// SkipOracles are the oracles that the profile of the CCM leaves out.
	SkipOracles []string `json:"skipOracles,omitempty"`
}

// Score counts clauses.
type Score struct {
	Passed int `json:"passed"`
	// KnownFailures are those that failed as is known, and nothing else of which failed.
	KnownFailures int `json:"knownFailures"`
	// Applicable are the clauses that passed or failed, be it known or not.
	Applicable int `json:"applicable"`
	// NotApplicable are those that need a capability that was not declared, and
	// NotChecked those of which nothing is known, because their scenarios could not be run here.
	NotApplicable int `json:"notApplicable"`
	NotChecked    int `json:"notChecked"`
	// Undecided are those of which a scenario is undecided: it failed after the CCM had asked for what simcloud does not simulate.
	Undecided int `json:"undecided"`
	// NotRun are those of which a scenario was not selected, though none of the others failed.
	NotRun int `json:"notRun"`
	// Interrupted is how many scenarios were not run, or not to their end, because the run ended before: the
	// other numbers are not those of a whole run.
	Interrupted int `json:"interrupted,omitempty"`
}

// Percent is the share of the applicable clauses that passed, rounded down; 0 when none applies.
func (s Score) Percent() int { return 100 * s.Passed / max(1, s.Applicable) }

// Failed is how many of the applicable clauses failed in a way that is not known.
func (s Score) Failed() int { return s.Applicable - s.Passed - s.KnownFailures }

// String says the score in words.
func (s Score) String() string {
	text := fmt.Sprintf("%d of %d applicable clauses (%d %%)", s.Passed, s.Applicable, s.Percent())
	if s.KnownFailures > 0 {
		text += ", " + words.Plural(s.KnownFailures, "known failure")
	}
	if s.NotApplicable > 0 {
		text += fmt.Sprintf(", %d not applicable", s.NotApplicable)
	}
	if s.NotChecked > 0 {
		text += fmt.Sprintf(", %d not checked", s.NotChecked)
	}
	if s.Undecided > 0 {
		text += fmt.Sprintf(", %d undecided", s.Undecided)
	}
	if s.NotRun > 0 {
		text += fmt.Sprintf(", %d not run", s.NotRun)
	}
	if s.Interrupted > 0 {
		text += fmt.Sprintf(", interrupted: %s not run", words.Plural(s.Interrupted, "scenario"))
	}
	return text
}

func (s *Score) add(status ClauseStatus) {
	switch status {
	case ClausePassed:
		s.Passed++
		s.Applicable++
	case ClauseFailed:
		s.Applicable++
	case ClauseKnownFailed:
		s.KnownFailures++
		s.Applicable++
	case ClauseNotApplicable:
		s.NotApplicable++
	case ClauseNotChecked:
		s.NotChecked++
	case ClauseUndecided:
		s.Undecided++
	case ClauseNotRun:
		s.NotRun++
	}
}

// ClauseStatus is how a clause stands.
type ClauseStatus string

// How a clause can stand.
const (
	// ClausePassed: all of its scenarios that were run passed, and there is one.
	ClausePassed ClauseStatus = "passed"
	// ClauseFailed: one of its scenarios failed.
	ClauseFailed ClauseStatus = "failed"
	// ClauseKnownFailed: one of its scenarios failed as is known, and none in another way.
	ClauseKnownFailed ClauseStatus = "known_failure"
	// ClauseNotApplicable: all of its scenarios need something that the CCM does not declare.
	ClauseNotApplicable ClauseStatus = "not_applicable"
	// ClauseNotChecked: those that apply could not be run here, or not to their end.
	ClauseNotChecked ClauseStatus = "not_checked"
	// ClauseUndecided: one of its scenarios is undecided, and none failed.
	ClauseUndecided ClauseStatus = "undecided"
	// ClauseNotRun: one of its scenarios was not selected, and none of the others failed.
	ClauseNotRun ClauseStatus = "not_run"
)

// AreaVerdict is how an area stands.
type AreaVerdict struct {
	// Name is the area's label, and what is chosen by.
	Name    string          `json:"name"`
	Title   string          `json:"title"`
	Score   Score           `json:"score"`
	Clauses []ClauseVerdict `json:"clauses"`
}

// ClauseVerdict is how a clause stands.
type ClauseVerdict struct {
	ID     string       `json:"id"`
	Case   string       `json:"case"`
	Must   string       `json:"must"`
	Source string       `json:"source"`
	Status ClauseStatus `json:"status"`
	// Reason says why the clause was not applicable, undecided, not checked or not run, or not in full.
	Reason    string            `json:"reason,omitempty"`
	Scenarios []ScenarioVerdict `json:"scenarios,omitempty"`
}

// ScenarioVerdict is how a scenario of a clause went.
type ScenarioVerdict struct {
	Name    string           `json:"name"`
	Status  scenarios.Status `json:"status"`
	Seconds float64          `json:"seconds"`
	// Reason says why it was not run, or not to its end, or is undecided.
	Reason string `json:"reason,omitempty"`
	// Lacks are the capabilities that it needs and that were not declared.
	Lacks []string `json:"lacks,omitempty"`
	// Known is the entry of the list of known failures about it, when it failed, or passed all the same.
	Known *scenarios.KnownFailure `json:"known,omitempty"`
	// Failure is the first one.
	Failure      *scenarios.Failure `json:"failure,omitempty"`
	Reproduction *Reproduction      `json:"reproduction,omitempty"`
}

// Reproduction is the scenario that shows a failure in few steps.
type Reproduction struct {
	// File is in the folder of the report.
	File string `json:"file"`
	// Command runs it.
	Command string `json:"command"`
	// Steps is how many steps it has, and Of how many the scenario had that failed.
	Steps int `json:"steps"`
	Of    int `json:"of"`
	// Reruns is how often a shorter one was tried; whether it showed the failure or not.
	Reruns int `json:"reruns"`
	// Runs is how often it was run in the end, and Seen in how many of these runs it showed the failure.
	Runs int `json:"runs,omitempty"`
	Seen int `json:"seen,omitempty"`
}

// Often says in how many runs it showed the failure; empty when it was not run to find out.
func (r Reproduction) Often() string {
	if r.Runs == 0 {
		return ""
	}
	return fmt.Sprintf("in %d of %s", r.Seen, words.Plural(r.Runs, "run"))
}

// Shows says that a file, by the words for it, shows the failure: in how many steps, and in how many runs.
func (r Reproduction) Shows(file string) string {
	steps := fmt.Sprintf("%d of %s", r.Steps, words.Plural(r.Of, "step"))
	switch {
	case r.Runs == 0:
		return fmt.Sprintf("%s shows it in %s", file, steps)
	case r.Seen == 0:
		return fmt.Sprintf("The failure was seen once. %s, with %s, did not show it again in %s", file, steps, words.Plural(r.Runs, "run"))
	default:
		return fmt.Sprintf("%s shows it in %s, %s", file, steps, r.Often())
	}
}

// Judge holds what a run found against the clauses of the areas; no areas are all.
func Judge(ran scenarios.Report, all []*scenarios.Scenario, declared scenarios.CapabilitySet, areas []string) Verdict {
	return judge(ran, all, declared, areas, nil)
}

// notSelected is why a scenario was not run of which the run had the choice.
const notSelected = "it was not selected"

// judge is [Judge] of a run for which the scenarios of these names were not selected.
func judge(ran scenarios.Report, all []*scenarios.Scenario, declared scenarios.CapabilitySet, areas []string, leftOut []string) Verdict {
	c := Verdict{
		Subject: ran.Subject, Started: ran.Started, Seconds: ran.Seconds, Seed: ran.Seed, Capabilities: declared.Names(),
		Unsimulated: report.Unsimulated(ran),
	}
	results := map[string]scenarios.Result{}
	for _, r := range ran.Scenarios {
		results[r.Name] = r
	}
	for _, name := range leftOut {
		results[name] = scenarios.Result{Name: name, Status: scenarios.NotRun, Reason: notSelected}
	}
	for _, area := range clauses() {
		if len(areas) > 0 && !slices.Contains(areas, area.Name) {
			continue
		}
		verdict := AreaVerdict{Name: area.Name, Title: area.Title}
		for _, status := range clauseStatuses(area, all) {
			clause := judgeClause(status, results, declared)
			verdict.Score.add(clause.Status)
			c.Score.add(clause.Status)
			cut := interruptedOf(clause, results)
			verdict.Score.Interrupted += cut
			c.Score.Interrupted += cut
			verdict.Clauses = append(verdict.Clauses, clause)
		}
		c.Areas = append(c.Areas, verdict)
	}
	c.Causes = causesOf(c.Areas, results)
	return c
}

// interruptedOf counts the scenarios of a clause that the end of the run left out or cut short.
func interruptedOf(clause ClauseVerdict, results map[string]scenarios.Result) int {
	n := 0
	for _, s := range clause.Scenarios {
		r := results[s.Name]
		if r.Status == scenarios.Interrupted || r.Status == scenarios.NotRun && r.Reason == "" {
			n++
		}
	}
	return n
}

func judgeClause(status clauseStatus, results map[string]scenarios.Result, declared scenarios.CapabilitySet) ClauseVerdict {
	v := ClauseVerdict{ID: status.ID, Case: status.Case, Must: status.Must, Source: status.Source}
	for _, s := range status.scenarios {
		v.Scenarios = append(v.Scenarios, judgeScenario(s, results, declared))
	}
	v.Status, v.Reason = v.judged()
	return v
}

func judgeScenario(s *scenarios.Scenario, results map[string]scenarios.Result, declared scenarios.CapabilitySet) ScenarioVerdict {
	r, ran := results[s.Name]
	v := ScenarioVerdict{Name: s.Name, Status: r.Status, Seconds: r.Seconds, Reason: cmp.Or(r.Reason, r.Error), Known: r.Known}
	if v.Lacks = declared.Lacking(s); len(v.Lacks) > 0 {
		v.Status, v.Reason = scenarios.Skipped, notDeclared(v.Lacks)
	} else if !ran {
		v.Status = scenarios.NotRun
	}
	switch {
	case len(r.Failures) > 0 && r.Status == scenarios.Invalid:
		v.Reason = findingOf(r.Failures[0])
	case len(r.Failures) > 0:
		v.Failure = &r.Failures[0]
	}
	return v
}

// notDeclared says why a scenario does not apply.
func notDeclared(lacks []string) string {
	return "it needs undeclared capabilities: " + strings.Join(lacks, ", ")
}

// judged is the status of a clause by that of its scenarios.
func (v *ClauseVerdict) judged() (ClauseStatus, string) {
	has := func(is func(ScenarioVerdict) bool) bool { return slices.ContainsFunc(v.Scenarios, is) }
	unknown := slices.DeleteFunc(slices.Clone(v.Scenarios), func(s ScenarioVerdict) bool {
		return s.Status == scenarios.Passed || s.Status == scenarios.Failed || s.Status == scenarios.KnownFailed || len(s.Lacks) > 0
	})
	switch {
	case has(func(s ScenarioVerdict) bool { return s.Status == scenarios.Failed }):
		return ClauseFailed, ""
	case has(func(s ScenarioVerdict) bool { return s.Status == scenarios.KnownFailed }):
		return ClauseKnownFailed, ""
	case len(v.Scenarios) == 0:
		return ClauseNotChecked, "no scenario checks it"
	case has(func(s ScenarioVerdict) bool { return s.Reason == notSelected }):
		return ClauseNotRun, notAll(unknown)
	case has(func(s ScenarioVerdict) bool { return s.Status == scenarios.Undecided }):
		return ClauseUndecided, notAll(unknown)
	case slices.ContainsFunc(unknown, func(s ScenarioVerdict) bool { return s.Status != scenarios.Skipped }):
		return ClauseNotChecked, notAll(unknown) // what was cut short may have failed
	case has(func(s ScenarioVerdict) bool { return s.Status == scenarios.Passed }):
		return ClausePassed, notAll(unknown)
	case len(unknown) == 0:
		return ClauseNotApplicable, v.Scenarios[0].Reason
	default:
		return ClauseNotChecked, notAll(unknown)
	}
}

// notAll says which scenarios of a clause say nothing, and why.
func notAll(unknown []ScenarioVerdict) string {
	var reasons []string
	for _, s := range unknown {
		reasons = append(reasons, fmt.Sprintf("%s is %s: %s", s.Name, s.Status.Words(), cmp.Or(s.Reason, "the run ended before")))
	}
	return strings.Join(reasons, "; ")
}
