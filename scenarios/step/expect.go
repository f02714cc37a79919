package step

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// ExpectationError is an expectation that was not met.
type ExpectationError struct {
	Headline string
	Source   string
	Parts    []string // what the parts of the expression were
	Looked   int      // how often
	What     string   // at what; snapshots, when it is empty
	last     *observe.Snapshot
	// mistake is whether the expression itself is wrong, whatever the CCM does.
	mistake bool
	// valueless is the expression that has no value, of a step that needs one; nil for an expectation.
	valueless *expr.Expr
}

// Error says what was wrong, without the values.
func (e *ExpectationError) Error() string { return e.Headline }

// Tick is how often an expectation that reads the time or the CCM looks again.
const Tick = 100 * time.Millisecond

// Wait evaluates the expectation on each snapshot until it is decided. When
// its time is over, settle brings in what has happened and is still on its way.
func (a *ExpectAction) Wait(ctx context.Context, s *observe.Store, settle func()) error {
	return a.waitSince(ctx, s, nil, settle)
}

// waitSince is Wait for an expectation that also judges the snapshots that earlier returns.
func (a *ExpectAction) waitSince(ctx context.Context, s *observe.Store, earlier func() []*observe.Snapshot, settle func()) error {
	current, sub := s.Subscribe(a.sourcesRead())
	defer sub.Cancel()
	run := judgement{ExpectAction: a}
	looked := 0
	if earlier != nil { // asked after the subscription, so that no snapshot is missed
		snapshots := earlier()
		if err := run.judgeEarlier(snapshots, current.Captured); err != nil {
			return err
		}
		looked = len(snapshots)
	}
	look := func(snapshots ...*observe.Snapshot) (done bool, err error) {
		for _, snapshot := range snapshots {
			looked++
			current = snapshot
			if done, err := run.judge(snapshot, looked); done || err != nil {
				return true, err
			}
		}
		return false, nil
	}
	if done, err := look(current); done {
		return err
	}
	end, stop := after(a.Time)
	defer stop()
	ticks, stopTicks := a.ticks()
	defer stopTicks()
	for {
		select {
		case <-sub.Wake:
			if done, err := look(sub.Take()...); done {
				return err
			}
		case <-ticks:
			if done, err := look(s.Snapshot()); done {
				return err
			}
		case <-end:
			settle()
			if done, err := look(sub.Take()...); done {
				return err
			}
			return run.timeUp(current, looked)
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", a.Text(), context.Cause(ctx))
		}
	}
}

// sourcesRead are the parts of the snapshot whose changes matter.
func (a *ExpectAction) sourcesRead() map[observe.Source]bool {
	reads := map[observe.Source]bool{}
	for _, v := range expr.Variables {
		if a.readsAny(v.Name) {
			reads[v.From] = true
		}
	}
	return reads
}

// ticks fire when the passing of time alone can change the expectation.
func (a *ExpectAction) ticks() (<-chan time.Time, func()) {
	if !a.readsAny("elapsed") {
		return nil, func() {}
	}
	ticker := time.NewTicker(Tick)
	return ticker.C, ticker.Stop
}

// judgement is one run of an expectation, whose action may run elsewhere at the same time.
type judgement struct {
	*ExpectAction
	decided bool // a snapshot had all that a never reads
}

// judge decides by one snapshot, if it can.
func (a *judgement) judge(s *observe.Snapshot, looked int) (done bool, err error) {
	if a.Meanwhile != nil {
		if yes, _ := a.Meanwhile.Truth(s); !yes {
			return true, a.failed(a.Meanwhile, s, looked, "meanwhile must be true all the time, and was false")
		}
	}
	wrong, err := a.firstFalse(s)
	if err != nil && !expr.IsMissing(err) {
		failure := a.failed(wrong, s, looked, fmt.Sprintf("the expression cannot be evaluated: %v", err))
		failure.mistake = expr.IsMistake(err)
		return true, failure
	}
	met := wrong == nil
	switch a.mode {
	case now:
		if !met {
			return true, a.failed(wrong, s, looked, "the expectation is false")
		}
		return true, nil
	case within:
		return met, nil
	case holds:
		if !met {
			return true, a.failed(wrong, s, looked, fmt.Sprintf("the expectation did not stay true for %s", a.Time))
		}
	case never:
		a.decided = a.decided || err == nil
		if met {
			failure := a.failed(a.Exprs[0], s, looked, "the expectation must never be true, and was")
			failure.Parts = expr.ExplainTrue(a.Exprs[0], s)
			return true, failure
		}
	}
	return false, nil
}

// firstFalse returns the first expression that is not true, and why when it has no value.
func (a *ExpectAction) firstFalse(s *observe.Snapshot) (*expr.Expr, error) {
	for _, e := range a.Exprs {
		if yes, err := e.Truth(s); !yes {
			return e, err
		}
	}
	return nil, nil
}

// timeUp decides when the time is over.
func (a *judgement) timeUp(last *observe.Snapshot, looked int) error {
	wrong, err := a.firstFalse(last)
	switch {
	case a.mode == never && !a.decided:
		return a.failed(wrong, last, looked, fmt.Sprintf("no snapshot had what the expression reads (%v), so that it could not be true", err))
	case a.mode != within:
		return nil
	}
	return a.failed(wrong, last, looked, fmt.Sprintf("the expectation did not become true within %s", a.Time))
}

func (a *ExpectAction) failed(wrong *expr.Expr, s *observe.Snapshot, looked int, headline string) *ExpectationError {
	return &ExpectationError{
		Headline: headline,
		Source:   wrong.Source,
		Parts:    expr.Explain(wrong, s),
		Looked:   looked,
		last:     s,
	}
}

// poll keeps what the snapshot shows fresh where nothing tells of changes, until it is stopped.
func poll(ctx context.Context, refresh func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var polling sync.WaitGroup
	polling.Go(func() {
		ticker := time.NewTicker(Tick)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				refresh(ctx)
			case <-ctx.Done():
				return
			}
		}
	})
	return func() { cancel(); polling.Wait() }
}

// limited is an action that takes a certain time at least.
type limited interface{ limit() time.Duration }

// TimeLimit is when a step must have ended: its own time and the step's time-out.
func TimeLimit(s scenarios.Step) time.Duration {
	if l, ok := s.Action.(limited); ok {
		return l.limit() + s.Timeout
	}
	return s.Timeout
}

// after returns a channel that fires at the end of d, or never when d is 0.
func after(d time.Duration) (<-chan time.Time, func()) {
	if d == 0 {
		return nil, func() {}
	}
	timer := time.NewTimer(d)
	return timer.C, func() { timer.Stop() }
}
