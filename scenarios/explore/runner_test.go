package explore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// brokenBy is a runner in which the CCM breaks an oracle in each history whose file has a text.
func brokenBy(text string) RunFunc {
	return func(_ context.Context, _ int, s *scenarios.Scenario) (scenarios.Result, error) {
		r := scenarios.Result{Name: s.Name, Status: scenarios.Passed}
		if has(s, text) {
			r.Status = scenarios.Failed
			r.Failures = []scenarios.Failure{{Oracle: "node-kept", Headline: "a Node was deleted", Because: "A CCM must keep it."}}
		}
		return r, nil
	}
}

// has reports whether a step of a scenario has a text.
func has(s *scenarios.Scenario, text string) bool {
	return slices.ContainsFunc(s.Steps, func(step scenarios.Step) bool { return strings.Contains(step.Text, text) })
}

// closing is a runner that counts how often it was closed.
type closing struct {
	RunFunc
	closed *atomic.Int32
}

func (c closing) Close(context.Context) error { c.closed.Add(1); return nil }

// explored runs an explorer to its end.
func explored(t *testing.T, e Explorer) Report {
	t.Helper()
	if e.Time == 0 {
		e.Time = time.Hour
	}
	report, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestRunFunc: each history is run by the function, and what it shows is shrunk and reported.
func TestRunFunc(t *testing.T) {
	t.Parallel()
	var closed atomic.Int32
	v := explored(t, Explorer{Runner: closing{brokenBy("DeleteInstance"), &closed}, Seed: 1, Reruns: DefaultReruns, Parallel: 2}).Violation
	if v == nil || v.Confirmation != NotTried || v.Steps >= v.FoundSteps || !strings.Contains(string(v.Text), "DeleteInstance") {
		t.Errorf("%+v", v)
	}
	if closed.Load() != 1 {
		t.Errorf("it was closed %d times", closed.Load())
	}
}

// TestConfirm: what was found is believed when the runner that confirms shows it, too.
func TestConfirm(t *testing.T) {
	t.Parallel()
	var closed atomic.Int32
	v := explored(t, Explorer{
		Runner: brokenBy("DeleteInstance"), Confirm: closing{brokenBy("DeleteInstance"), &closed}, Seed: 1, Reruns: DefaultReruns,
	}).Violation
	if v == nil || v.Confirmation != Confirmed || !strings.Contains(string(v.Text), "# It was confirmed") {
		t.Errorf("%+v", v)
	}
	if closed.Load() != 1 {
		t.Errorf("it was closed %d times", closed.Load())
	}
}

// TestLagIsNotConfirmed: what a lagging API server shows is reported, and no real control plane is asked.
func TestLagIsNotConfirmed(t *testing.T) {
	t.Parallel()
	e := Explorer{
		Runner: brokenBy("unobserved"), Seed: 1, Lags: true, Reruns: DefaultReruns,
		Confirm: RunFunc(func(context.Context, int, *scenarios.Scenario) (scenarios.Result, error) {
			return scenarios.Result{}, errors.New("it was asked")
		}),
	}
	if v := explored(t, e).Violation; v == nil || v.Confirmation != NotTried {
		t.Errorf("%+v", v)
	}
}

// TestSimulatedOnly: what happens in simulated time only is reported, once, and the search goes on.
func TestSimulatedOnly(t *testing.T) {
	t.Parallel()
	confirms := 0
	e := Explorer{
		Seed: 1, Reruns: DefaultReruns, Time: time.Hour,
		Confirm: RunFunc(func(_ context.Context, _ int, s *scenarios.Scenario) (scenarios.Result, error) {
			confirms++
			return scenarios.Result{Name: s.Name, Status: scenarios.Passed}, nil
		}),
	}
	report := untilSeen(t, e, brokenBy("RebootInstance"), "explored-1-", 3)
	if report.Violation != nil || len(report.Unconfirmed) != 1 || confirms != confirmations {
		t.Fatalf("after %d tries to confirm it: %+v", confirms, report)
	}
	v := report.Unconfirmed[0]
	if v.Confirmation != SimulatedOnly || !strings.Contains(string(v.Text), "# It happens in simulated time only") {
		t.Errorf("%s:\n%s", v.Confirmation, v.Text)
	}
	if report.Known[v.Name] != 3 {
		t.Errorf("it was seen again: %v", report.Known)
	}
}

// untilSeen explores until progress has told of the name of a violation so often.
func untilSeen(t *testing.T, e Explorer, runner Runner, name string, times int) Report {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	e.Runner, e.Progress = runner, func(line string) {
		t.Log(line)
		if strings.Contains(line, name) {
			times--
		}
		if times == 0 {
			stop()
		}
	}
	report, err := e.Run(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return report
}

// TestConfirmBreaks: where nothing can be confirmed the violation is reported, and so is what failed.
func TestConfirmBreaks(t *testing.T) {
	t.Parallel()
	e := Explorer{
		Runner: brokenBy("DeleteInstance"), Seed: 1, Reruns: DefaultReruns, Time: time.Hour,
		Confirm: RunFunc(func(context.Context, int, *scenarios.Scenario) (scenarios.Result, error) {
			return scenarios.Result{Status: scenarios.Broken, Error: "no cluster"}, nil
		}),
	}
	report, err := e.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no cluster") || report.Violation == nil || report.Violation.Confirmation != NotTried {
		t.Errorf("%v: %+v", err, report.Violation)
	}
}

// TestRace: what does not come back is reported with its number, and the search goes on.
func TestRace(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	runs := 0
	e := Explorer{Seed: 1, Reruns: DefaultReruns, Time: time.Hour, Runner: RunFunc(
		func(ctx context.Context, place int, s *scenarios.Scenario) (scenarios.Result, error) {
			if runs++; runs == 1 {
				return brokenBy("")(ctx, place, s)
			}
			if runs == 2+reruns {
				stop()
			}
			return scenarios.Result{Name: s.Name, Status: scenarios.Passed}, nil
		})}
	report, err := e.Run(ctx)
	if !errors.Is(err, context.Canceled) || report.Violation != nil || len(report.Unstable) != 1 {
		t.Fatalf("%v: %+v", err, report)
	}
	if v := report.Unstable[0]; v.History != 1 || v.Reruns != reruns || !strings.Contains(string(v.Text), "--seed 1 as history 1") || !strings.Contains(string(v.Text), "# It is a race") {
		t.Errorf("after %d reruns:\n%s", v.Reruns, v.Text)
	}
}

// TestCode: a history in which more of the CCM's code ran shows something new.
func TestCode(t *testing.T) {
	t.Parallel()
	code, lines := 0.0, []string(nil)
	ctx, stop := context.WithCancel(t.Context())
	e := Explorer{
		Seed: 1, Time: time.Hour, Code: func() float64 { return code }, Progress: func(line string) { lines = append(lines, line) },
		Runner: RunFunc(func(_ context.Context, _ int, s *scenarios.Scenario) (scenarios.Result, error) {
			code = float64(min(len(lines), 2))
			if len(lines) == 5 {
				stop()
			}
			return scenarios.Result{Name: s.Name, Status: scenarios.Passed}, ctx.Err()
		}),
	}
	if _, err := e.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	var told []bool
	for _, line := range lines {
		told = append(told, strings.HasSuffix(line, ", 1 new feature"))
	}
	if want := []bool{false, true, true, false, false}; !slices.Equal(told, want) {
		t.Errorf("%v: %q", told, lines)
	}
}

// TestHistories: no more run than are asked for, also when they are begun at several places and after a race.
func TestHistories(t *testing.T) {
	t.Parallel()
	var runs atomic.Int32
	e := Explorer{Seed: 1, Reruns: DefaultReruns, Histories: 20, Parallel: 3, Runner: RunFunc(
		func(ctx context.Context, place int, s *scenarios.Scenario) (scenarios.Result, error) {
			if runs.Add(1) == 5 {
				return brokenBy("")(ctx, place, s)
			}
			return scenarios.Result{Name: s.Name, Status: scenarios.Passed}, nil
		})}
	report, err := e.Run(t.Context())
	if err != nil || report.Histories > 20 || report.Histories < 18 || len(report.Unstable) != 1 {
		t.Errorf("%v: %d histories, %d races", err, report.Histories, len(report.Unstable))
	}
}

// BenchmarkExplorer is what an explorer needs for a history besides its run.
func BenchmarkExplorer(b *testing.B) {
	for name, corpus := range map[string]bool{"seed": false, "corpus": true} {
		b.Run(name, func(b *testing.B) {
			e := Explorer{Seed: 1, Histories: b.N, Runner: RunFunc(func(_ context.Context, _ int, s *scenarios.Scenario) (scenarios.Result, error) {
				r := scenarios.Result{Name: s.Name, Status: scenarios.Passed}
				for _, step := range s.Steps {
					r.CallValues = append(r.CallValues, map[string]any{"operation": step.Verb + step.Text[:min(len(step.Text), 20)], "status": int64(200)})
				}
				return r, nil
			})}
			if corpus {
				e.Corpus = b.TempDir()
			}
			if _, err := e.Run(b.Context()); err != nil {
				b.Fatal(err)
			}
		})
	}
}
