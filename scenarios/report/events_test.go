package report

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/golden"
	"github.com/simcloud-dev/simcloud/scenarios/report/reporttest"
)

// TestEvents pins what programs read while scenarios run, a JSON object a line; people are told the same as without it.
func TestEvents(t *testing.T) {
	t.Parallel()
	var out, people, alone strings.Builder
	events := NewEvents(&out, NewLines(&people, true))
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	events.now = func() time.Time { now = now.Add(time.Second); return now }
	report := reporttest.Example()
	report.Scenarios = append(report.Scenarios, scenarios.Result{
		Name: "wavers", File: "mine/w.yaml", Line: 4, Status: scenarios.Passed, Retries: 1, Flaked: []scenarios.Failure{{Headline: "late"}},
	})
	events.Start(report, len(report.Scenarios))
	tellLines(events, report)
	if err := events.End(report, errors.New("1 of 6 scenarios failed")); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/events.jsonl", []byte(out.String()))
	for line := range strings.Lines(out.String()) {
		var e Event
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Action == "" || e.Time.IsZero() {
			t.Errorf("%v: %s", err, line)
		}
	}
	tellLines(NewLines(&alone, true), report)
	if people.String() != alone.String() {
		t.Errorf("people are told %s, want %s", people.String(), alone.String())
	}
}

// TestEveryEndHasAnAction: no status is without one.
func TestEveryEndHasAnAction(t *testing.T) {
	t.Parallel()
	seen := map[Action]bool{ActionFlaky: true}
	for _, status := range allStatuses() {
		action := endOf(scenarios.Result{Status: status})
		if action == "" || seen[action] {
			t.Errorf("%s ends with the action %q", status, action)
		}
		seen[action] = true
	}
}

// gone is a reader that has gone.
type gone struct{ tries int }

func (g *gone) Write([]byte) (int, error) { g.tries++; return 0, errors.New("broken pipe") }

// TestEventsWithoutReader: the end tells that events were lost, and nothing more was written.
func TestEventsWithoutReader(t *testing.T) {
	t.Parallel()
	var out gone
	events := NewEvents(&out, NewLines(&strings.Builder{}, false))
	events.Start(scenarios.Report{}, 1)
	if err := events.End(scenarios.Report{}, nil); err == nil || !strings.Contains(err.Error(), "write an event: broken pipe") || out.tries != 1 {
		t.Errorf("%v after %d tries", err, out.tries)
	}
}
