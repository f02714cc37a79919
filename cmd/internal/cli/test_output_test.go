package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/scenarios"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
)

// told is what a run with these flags tells on the standard output, and on that of errors.
func told(t *testing.T, o testOptions, ended error) (out, errs string) {
	t.Helper()
	t.Setenv(envWorkspace, "")
	var stdout, stderr strings.Builder
	tell := newTeller(output.Streams{Out: &stdout, Err: &stderr}, o, 1)
	s := &scenarios.Scenario{Name: "lb", Position: scenarios.Position{File: "mine/lb.yaml", Line: 3}}
	r := scenarios.Result{Name: "lb", File: "mine/lb.yaml", Line: 3, Status: scenarios.Failed, Failures: []scenarios.Failure{{Headline: "no address", Position: "mine/lb.yaml:9:5"}}}
	report := scenarios.Report{Seed: 7, Subject: "my-ccm", Scenarios: []scenarios.Result{r}}
	tell.begin(report, 1)
	tell.reporter.ScenarioStarted(0, s)
	tell.reporter.ScenarioFinished(0, s, r)
	if err := tell.end(report, "the summary\n", ended); !errors.Is(err, ended) {
		t.Errorf("it ends with %v, want %v", err, ended)
	}
	return stdout.String(), stderr.String()
}

// TestOutputOfARun: without flags all is on the standard output; with -o json only events are, and the rest is on that of errors.
func TestOutputOfARun(t *testing.T) {
	failed := &exit.Error{Code: exit.CodeFailed, Err: errors.New("1 of 1 scenarios failed")}
	out, errs := told(t, testOptions{}, failed)
	if !strings.HasPrefix(out, "RUN   lb (cluster 1)\nFAIL  lb") || !strings.HasSuffix(out, "the summary\n") || errs != "" {
		t.Errorf("text: %q, %q", out, errs)
	}
	const annotation = "the summary\n::error file=mine/lb.yaml,line=9,col=5,title=lb failed::no address\n"
	out, errs = told(t, testOptions{format: "github"}, failed)
	if !strings.HasPrefix(out, "::group::FAIL  lb") || !strings.HasSuffix(out, annotation) || errs != "" {
		t.Errorf("github: %q, %q", out, errs)
	}
	out, errs = told(t, testOptions{format: "github", output: "json"}, failed)
	if !strings.HasPrefix(errs, "::group::FAIL  lb") || !strings.HasSuffix(errs, annotation) {
		t.Errorf("both: the progress is %q", errs)
	}
	var actions []reports.Action
	var last reports.Event
	for line := range strings.Lines(out) {
		last = reports.Event{}
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		actions = append(actions, last.Action)
	}
	if len(actions) != 4 || actions[0] != reports.ActionStart || last.Action != reports.ActionEnd || last.Text != "1 of 1 scenarios failed" || last.Counts[reports.ActionFail] != 1 {
		t.Errorf("the events are %v, the last one %+v", actions, last)
	}
	if out, _ = told(t, testOptions{output: "json"}, context.Canceled); !strings.Contains(out, `"text":"interrupted"`) {
		t.Errorf("a run that was interrupted: %s", out)
	}
}
