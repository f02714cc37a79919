package report

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// Action is what an event tells.
type Action string

// The actions, in the order in which a run has them. Between run and the end of a scenario are its steps.
const (
	ActionStart Action = "start" // of everything, once
	ActionRun   Action = "run"   // a scenario begins; once more when it is retried
	ActionStep  Action = "step"  // a step begins
	ActionNote  Action = "note"  // what else people should know
	// How a scenario ended. The last one of a scenario counts: one that failed may be retried.
	ActionPass        Action = "pass"
	ActionFlaky       Action = "flaky" // it passed when it ran once more
	ActionFail        Action = "fail"
	ActionKnown       Action = "known_failure"
	ActionInvalid     Action = "invalid"
	ActionUndecided   Action = "undecided"
	ActionBroken      Action = "broken"
	ActionSkip        Action = "skip"
	ActionInterrupted Action = "interrupted"
	ActionNotRun      Action = "not_run"
	ActionEnd         Action = "end" // of everything, once
)

// endings are the actions of how scenarios end.
var endings = map[scenarios.Status]Action{
	scenarios.Passed: ActionPass, scenarios.Failed: ActionFail, scenarios.KnownFailed: ActionKnown, scenarios.Invalid: ActionInvalid,
	scenarios.Undecided: ActionUndecided,
	scenarios.Broken:    ActionBroken, scenarios.Skipped: ActionSkip, scenarios.Interrupted: ActionInterrupted, scenarios.NotRun: ActionNotRun,
}

// Event is a line of -o json. A reader must accept actions and keys that it does not know.
type Event struct {
	Time   time.Time `json:"time"`
	Action Action    `json:"action"`
	// Cluster counts from 1; 0 where it is of none.
	Cluster  int    `json:"cluster,omitempty"`
	Scenario string `json:"scenario,omitempty"`
	// File and Line are where the scenario is, with run.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Step, Position, Index (from 1), Of and Finally are of a step.
	Step     string `json:"step,omitempty"`
	Position string `json:"position,omitempty"`
	Index    int    `json:"index,omitempty"`
	Of       int    `json:"of,omitempty"`
	Finally  bool   `json:"finally,omitempty"`
	// Seconds is how long a scenario took, or everything.
	Seconds float64 `json:"seconds,omitempty"`
	// Failures are of a scenario that failed, in the form of report.json; of a flaky one, of the runs before.
	Failures []scenarios.Failure `json:"failures,omitempty"`
	// Warnings are of a scenario that passed, in the form of report.json.
	Warnings []scenarios.Warning `json:"warnings,omitempty"`
	// Known is the entry of the list of known failures.
	Known *scenarios.KnownFailure `json:"known,omitempty"`
	// Text is the note, why a scenario is skipped, undecided or broken, or why everything ended early.
	Text string `json:"text,omitempty"`
	// Seed, Subject, Version and Total, how many scenarios will run, are of the start; Seed of the end of a scenario too.
	Seed    uint64 `json:"seed,omitempty"`
	Subject string `json:"subject,omitempty"`
	Version string `json:"version,omitempty"`
	Total   int    `json:"total,omitempty"`
	// Counts says at the end how many scenarios ended in which way.
	Counts map[Action]int `json:"counts,omitempty"`
}

// Events reports as events, a line of JSON each, as "go test -json" does, and passes everything on to another reporter.
type Events struct {
	Reporter

	mu  sync.Mutex
	out io.Writer
	now func() time.Time
	err error
}

// NewEvents writes events to out, and reports to people by another reporter.
func NewEvents(out io.Writer, people Reporter) *Events {
	return &Events{Reporter: people, out: out, now: time.Now}
}

// Start writes the first event.
func (e *Events) Start(r scenarios.Report, total int) {
	e.write(Event{Action: ActionStart, Seed: r.Seed, Subject: r.Subject, Version: r.Version, Total: total})
}

// End writes the scenarios that had no turn, and the last event. It fails when an event could not be written.
func (e *Events) End(r scenarios.Report, err error) error {
	end := Event{Action: ActionEnd, Seconds: r.Seconds, Counts: map[Action]int{}}
	for _, s := range r.Scenarios {
		end.Counts[endOf(s)]++
		if s.Status == scenarios.NotRun {
			e.write(finishedEvent(0, s))
		}
	}
	if err != nil {
		end.Text = err.Error()
	}
	e.write(end)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// Expect passes the number on.
func (e *Events) Expect(total int) {
	if people, wants := e.Reporter.(Expecter); wants {
		people.Expect(total)
	}
}

// ScenarioStarted writes an event.
func (e *Events) ScenarioStarted(slot int, s *scenarios.Scenario) {
	e.write(Event{Action: ActionRun, Cluster: slot + 1, Scenario: s.Name, File: s.Position.File, Line: s.Position.Line})
	e.Reporter.ScenarioStarted(slot, s)
}

// StepStarted writes an event.
func (e *Events) StepStarted(slot int, s *scenarios.Scenario, step scenarios.Step, index, of int, finally bool) {
	e.write(Event{Action: ActionStep, Cluster: slot + 1, Scenario: s.Name, Step: step.Text, Position: step.Place(), Index: index + 1, Of: of, Finally: finally})
	e.Reporter.StepStarted(slot, s, step, index, of, finally)
}

// ScenarioFinished writes an event.
func (e *Events) ScenarioFinished(slot int, s *scenarios.Scenario, r scenarios.Result) {
	e.write(finishedEvent(slot+1, r))
	e.Reporter.ScenarioFinished(slot, s, r)
}

// Note writes an event.
func (e *Events) Note(slot int, text string) {
	e.write(Event{Action: ActionNote, Cluster: slot + 1, Text: text})
	e.Reporter.Note(slot, text)
}

// endOf is the action of how a result ended.
func endOf(r scenarios.Result) Action {
	if r.Flaky() {
		return ActionFlaky
	}
	return endings[r.Status]
}

func finishedEvent(cluster int, r scenarios.Result) Event {
	event := Event{Action: endOf(r), Cluster: cluster, Scenario: r.Name, Seconds: r.Seconds, Seed: r.Seed, Failures: r.Failures, Warnings: r.Warnings, Known: r.Known, Text: r.Reason}
	if r.Flaky() {
		event.Failures = r.Flaked
	}
	if r.Error != "" {
		event.Text = r.Error
	}
	return event
}

// write writes one line. After an error nothing more is written: the reader has gone.
func (e *Events) write(event Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	event.Time = e.now()
	raw, err := json.Marshal(event)
	if err == nil && e.err == nil {
		_, err = fmt.Fprintf(e.out, "%s\n", escape.JSON(raw))
	}
	if err != nil && e.err == nil {
		e.err = fmt.Errorf("write an event: %w", err)
	}
}
