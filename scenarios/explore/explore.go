package explore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// Limits that hold where nothing else is said.
const (
	DefaultTime   = 10 * time.Minute
	DefaultReruns = 40
)

// Explorer looks for histories that a CCM does not get right.
type Explorer struct {
	// Runner runs histories.
	Runner Runner
	// Confirm runs the file of a violation that Runner has shown in simulated time, before it is believed. Nil
	// believes Runner, as one that is on real clusters.
	Confirm Runner
	// Parallel is how many places of Runner are used at the same time; at least 1.
	Parallel int
	// Seed is what the histories follow from: the same one makes the same, whatever the other settings but Areas and Capabilities.
	Seed uint64
	// History is the number of the only history that is run, from 1; 0 for one after the other.
	History int
	// Time is how long new histories are begun. What a violation is shrunk in comes on top.
	Time time.Duration
	// Reruns is how many shorter histories are run at most to shrink a violation.
	Reruns int
	// Areas are the parts of a CCM's work that are explored; none is all that it can do.
	Areas []Area
	// Capabilities are what the CCM can do; nil is everything. What it cannot do is in no history: without
	// tokenRenewal no token is taken from it, since it would be right never to work again.
	Capabilities scenarios.CapabilitySet
	// Code tells how much of the CCM's code has run by now, in any unit; nil when that cannot be told. [CodeReached]
	// and testing.Coverage do for a CCM that runs in this process.
	Code func() float64
	// Progress receives what happens, a line at a time; from several goroutines.
	Progress func(line string)
}

// Report is what was found.
type Report struct {
	// Histories is how many were run, without those that shrank a violation.
	Histories int
	// Features is how many different things they have shown: calls, outcomes, states, Events, lines of logs.
	Features int
	Seconds  float64
	// Violation is the first that was found; nil when none was.
	Violation *Violation
	// Unstable are violations that did not happen again when the history was run again, which are races, or were
	// not run again.
	Unstable []*Violation
	// Unconfirmed are violations that happen in simulated time only.
	Unconfirmed []*Violation
}

// Violation is a promise that the CCM breaks, and how to see it.
type Violation struct {
	Name string
	// History is the number of the history that showed it, from 1.
	History int
	Failure scenarios.Failure
	// Text is the scenario that shows it.
	Text []byte
	// Steps is how many steps it has, FoundSteps how many the history had, and Reruns how many shorter ones were run.
	Steps, FoundSteps, Reruns int
	// Found and Shrunk are when, in seconds since the exploration began.
	Found, Shrunk float64
	// Interrupted is whether the exploration ended before the file was proven in new worlds.
	Interrupted bool
	// Confirmation is what became of it outside of simulated time.
	Confirmation Confirmation

	// shortest is the history of Text, and title what Text says of itself.
	shortest History
	title    title
}

// Run explores until a violation was found and shrunk, or the time is over. It
// returns an error when the environment failed, and the context's when it was
// ended; the report is good in any case. The runners are closed then.
func (e *Explorer) Run(ctx context.Context) (report Report, err error) {
	began := time.Now()
	x := &exploration{Explorer: e, began: began}
	defer func() {
		err = errors.Join(err, x.close(context.WithoutCancel(ctx)))
		x.report.Seconds, x.report.Features = time.Since(began).Seconds(), len(x.sights.seen)
		report = x.report
	}()
	for x.more(ctx) {
		found, err := x.search(ctx)
		if err != nil {
			return x.report, err
		}
		if found == nil {
			break
		}
		if err := x.shrinkFound(ctx, found); err != nil || x.report.Violation != nil {
			return x.report, err
		}
	}
	return x.report, context.Cause(ctx)
}

// exploration is one Run.
type exploration struct {
	*Explorer
	began time.Time

	mu     sync.Mutex
	next   int
	report Report
	sights sights
	// slowest is the longest that a CCM has taken to keep a promise, by its rule.
	slowest map[string]time.Duration
}

// close closes the runners.
func (x *exploration) close(ctx context.Context) error {
	err := x.Runner.Close(ctx)
	if x.Confirm != nil {
		err = errors.Join(err, x.Confirm.Close(ctx))
	}
	return err
}

// places is how many histories run at the same time.
func (x *exploration) places() int { return max(1, x.Parallel) }

func (x *exploration) more(ctx context.Context) bool {
	return ctx.Err() == nil && time.Since(x.began) < x.Time
}

// finding is a history that has broken a rule.
type finding struct {
	number  int
	history History
	found   violation
	at      time.Duration
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
		number, some := x.take()
		if !some {
			return nil, nil
		}
		h := x.history(number)
		began := time.Now()
		s, err := h.scenario()
		if err != nil {
			return nil, err
		}
		r, err := x.run(ctx, place, s)
		if err != nil && ctx.Err() != nil {
			return nil, nil // told to end
		}
		if err != nil {
			return nil, fmt.Errorf("history %d: %w", number, err)
		}
		x.tell(number, h, r, time.Since(began), len(x.see(s, r)))
		if all := violations(r); len(all) > 0 {
			return &finding{number, h, all[0], time.Since(x.began)}, nil
		}
	}
	return nil, nil
}

// take is the number of the next history; false when the only one was taken.
func (x *exploration) take() (number int, some bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.next++
	if x.History > 0 {
		return x.History, x.next == 1
	}
	return x.next, true
}

// history is the one of a number: it follows from the seed.
func (x *exploration) history(number int) History {
	return x.grammar().history(x.Seed, number)
}

// grammar is what its histories are made of.
func (x *exploration) grammar() grammar {
	gr := grammar{areas: x.Areas, able: x.Capabilities}
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

// see takes in what a history has shown, and returns what of it is new.
func (x *exploration) see(s *scenarios.Scenario, r scenarios.Result) []feature {
	shown := featuresOf(s, r)
	x.mu.Lock()
	defer x.mu.Unlock()
	fresh := x.sights.add(shown)
	if x.Code != nil && x.sights.reached(x.Code()) {
		fresh = append(fresh, moreCode)
	}
	return fresh
}

func (x *exploration) tell(number int, h History, r scenarios.Result, took time.Duration, fresh int) {
	x.mu.Lock()
	x.report.Histories++
	x.mu.Unlock()
	how := "all passed"
	switch all := violations(r); {
	case len(all) > 0:
		how = "VIOLATION: " + headline(all[0].failure)
	case len(r.Failures) > 0:
		how = "a step could not be done: " + r.Failures[0].Headline
	case r.Status != scenarios.Passed:
		how = fmt.Sprintf("it was %s: %s", r.Status, r.Reason)
	}
	if fresh > 0 {
		how += ", " + words.Plural(fresh, "new feature")
	}
	x.progress("history %d: %d steps, %.1fs: %s", number, len(h.write(title{}).ops), took.Seconds(), how)
}

func (x *exploration) progress(format string, args ...any) {
	if x.Progress != nil {
		x.Progress(fmt.Sprintf("%4.0fs  ", time.Since(x.began).Seconds()) + fmt.Sprintf(format, args...))
	}
}
