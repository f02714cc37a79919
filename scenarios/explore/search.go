package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// places is how many histories run at the same time.
func (x *exploration) places() int { return max(1, x.Parallel) }

func (x *exploration) more(ctx context.Context) bool {
	timeless := x.Time == 0 && x.Histories > 0
	return ctx.Err() == nil && (timeless || time.Since(x.began) < x.Time)
}

// finding is a history that has broken a rule.
type finding struct {
	turn
	found violation
	at    time.Duration
}

// errFound ends the other searches.
var errFound = errors.New("a violation was found")

// search runs histories at all places until one breaks a rule; nil when none does in time.
func (x *exploration) search(ctx context.Context) (*finding, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var first *finding
	var errs []error
	var searches sync.WaitGroup
	for place := range x.places() {
		searches.Go(func() {
			found, err := x.searchAt(ctx, place)
			if found == nil && err == nil {
				return
			}
			x.mu.Lock()
			defer x.mu.Unlock()
			switch {
			case first != nil: // one at a time
			case found != nil:
				first = found
			default:
				errs = append(errs, err)
			}
			stop(errFound)
		})
	}
	searches.Wait()
	if first != nil {
		return first, nil
	}
	return nil, errors.Join(errs...)
}

func (x *exploration) searchAt(ctx context.Context, place int) (*finding, error) {
	for x.more(ctx) {
		t, some := x.take()
		if !some {
			return nil, nil
		}
		found, err := x.try(ctx, place, t)
		if err != nil && ctx.Err() != nil {
			return nil, nil // told to end
		}
		if err != nil {
			return nil, fmt.Errorf("history %d: %w", t.number, err)
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, nil
}

// try runs a history. It returns how it breaks a rule, unless that is known.
func (x *exploration) try(ctx context.Context, place int, t turn) (*finding, error) {
	s, err := t.history.scenario()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	r, err := x.run(ctx, place, s)
	if err != nil {
		return nil, err
	}
	fresh, err := x.see(t, s, r)
	if err != nil {
		return nil, err
	}
	first, known := unknown(x.reported(), t.history, violations(r))
	x.tell(t, r, time.Since(began), fresh, known)
	if first == nil {
		return nil, nil
	}
	return &finding{t, *first, time.Since(x.began)}, nil
}

// take is the next history; false when there is none left.
func (x *exploration) take() (turn, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.Histories > 0 && x.next >= x.Histories {
		return turn{}, false
	}
	x.next++
	switch {
	case x.History > 0:
		return turn{number: x.History, history: x.history(x.History)}, x.next == 1
	case x.corpus != nil:
		return x.corpus.next(x.grammar(), x.Seed, x.next, &x.sights), true
	default:
		return turn{number: x.next, history: x.history(x.next)}, true
	}
}

// reported are the violations that were reported by now.
func (x *exploration) reported() []known {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.known)
}

// history is the one of a number: it follows from the seed.
func (x *exploration) history(number int) History {
	return x.grammar().history(x.Seed, number)
}

// grammar is what its histories are made of.
func (x *exploration) grammar() grammar {
	gr := grammar{areas: x.Areas, able: x.Capabilities, prompt: x.Prompt, lags: x.Lags}
	if gr.able == nil {
		gr.able = scenarios.AllCapabilities()
	}
	if len(gr.areas) == 0 {
		gr.areas = AreasOf(gr.able)
	}
	return gr
}

// scenario is the history as a scenario.
func (h History) scenario() (*scenarios.Scenario, error) {
	all, err := run.Parse("history.yaml", h.write(title{name: "history", description: "A history."}).text)
	if err != nil {
		return nil, fmt.Errorf("a history is no scenario: %w", err)
	}
	return all[0], nil
}

// run runs the scenario of a history. When the environment fails it tries once more, in a new world.
func (x *exploration) run(ctx context.Context, place int, s *scenarios.Scenario) (scenarios.Result, error) {
	r, err := runOn(ctx, x.Runner, place, s)
	if err == nil || ctx.Err() != nil {
		x.learn(s, r)
		return r, err
	}
	x.progress("place %d starts again: %v", place+1, err)
	if err := x.Runner.Renew(context.WithoutCancel(ctx), place); err != nil {
		return r, err
	}
	return runOn(ctx, x.Runner, place, s)
}

// see takes in what a history has shown, and returns how much of it is new. The corpus keeps the history then, unless
// it breaks a rule.
func (x *exploration) see(t turn, s *scenarios.Scenario, r scenarios.Result) (fresh int, err error) {
	shown := featuresOf(s, r)
	x.mu.Lock()
	defer x.mu.Unlock()
	newest := x.sights.add(shown)
	if x.Code != nil && x.sights.reached(x.Code()) && (x.corpus == nil || len(x.corpus.untried()) == 0) {
		newest = append(newest, moreCode)
	}
	if t.replay {
		t.of.ran(shown)
	}
	if x.corpus == nil || len(newest) == 0 || len(violations(r)) > 0 {
		return len(newest), nil
	}
	x.report.Kept++
	return len(newest), x.corpus.keep(t.history, newest)
}

// tell reports how a history went. Known is the name of the violation that explains what it broke.
func (x *exploration) tell(t turn, r scenarios.Result, took time.Duration, fresh int, known string) {
	x.mu.Lock()
	x.report.Histories++
	if known != "" {
		x.report.Known[known]++
	}
	x.mu.Unlock()
	how := outcome(r, known)
	if fresh > 0 {
		how += ", " + words.Plural(fresh, "new feature")
	}
	from := ""
	if t.of != nil {
		from = " of " + t.of.name
	}
	x.progress("history %d%s: %d steps, %.1fs: %s", t.number, from, len(t.history.write(title{}).ops), took.Seconds(), how)
}

// outcome says in a line how a history went.
func outcome(r scenarios.Result, known string) string {
	switch all := violations(r); {
	case known != "":
		return "the violation of " + known + " again"
	case len(all) > 0:
		return "VIOLATION: " + headline(all[0].failure)
	case len(r.Failures) > 0:
		return "a step could not be done: " + r.Failures[0].Headline
	case r.Status != scenarios.Passed:
		return fmt.Sprintf("it was %s: %s", r.Status, r.Reason)
	default:
		return "all passed"
	}
}

func (x *exploration) progress(format string, args ...any) {
	if x.Progress != nil {
		x.Progress(fmt.Sprintf("%4.0fs  ", time.Since(x.began).Seconds()) + fmt.Sprintf(format, args...))
	}
}
