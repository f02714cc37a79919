package step

import (
	"context"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// mostTrafficErrors is how many of its last errors a traffic shows.
const mostTrafficErrors = 10

// Traffic sends one request after the other while steps go on. It does not
// wait for an answer before it sends the next: a client that hangs must not
// hide that all others would too.
type Traffic struct {
	cancel context.CancelFunc // sends no more
	giveUp context.CancelFunc // and waits for no answer
	done   chan struct{}

	mu         sync.Mutex
	sent       int
	ok, failed int
	errors     []any // the last ones
	began      time.Time
	good       time.Time // when the last answer came that was ok, or the beginning
	longest    time.Duration
	ended      bool
}

// StartTraffic sends requests until ctx is done or the traffic is stopped.
func StartTraffic(ctx context.Context, r request, every, timeout time.Duration) *Traffic {
	answers, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	ctx, cancel := context.WithCancel(ctx)
	now := time.Now()
	t := &Traffic{cancel: cancel, giveUp: giveUp, done: make(chan struct{}), began: now, good: now, errors: []any{}}
	go func() {
		defer close(t.done)
		defer giveUp()
		t.run(ctx, answers, r, every, asked{times: 1, timeout: timeout})
	}()
	return t
}

// run sends until ctx is done, and waits for what comes back until answers is.
func (t *Traffic) run(ctx, answers context.Context, r request, every time.Duration, how asked) {
	var flying sync.WaitGroup
	defer flying.Wait()
	next := time.NewTicker(every)
	defer next.Stop()
	for {
		t.note(func() { t.sent++ })
		flying.Go(func() {
			answer, err := how.one(answers, r)
			t.answered(answer, err)
		})
		select {
		case <-next.C:
		case <-ctx.Done():
			return
		}
	}
}

func (t *Traffic) note(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
}

func (t *Traffic) answered(a Answer, err error) {
	now := time.Now()
	t.note(func() {
		if err == nil && a.Ok {
			t.ok++
			t.longest, t.good = max(t.longest, now.Sub(t.good)), now
			return
		}
		t.failed++
		text := "the status " + a.Status
		if err != nil {
			text = err.Error()
		}
		t.errors = append(t.errors, "after "+words.Rounded(now.Sub(t.began)).String()+": "+text)
		t.errors = t.errors[max(0, len(t.errors)-mostTrafficErrors):]
	})
}

// Stop ends the traffic and waits for the answers to what was sent; those that
// have not come when ctx ends are given up. Nothing of it runs when it returns.
func (t *Traffic) Stop(ctx context.Context) {
	t.cancel()
	select {
	case <-t.done:
	case <-ctx.Done():
		t.giveUp()
		<-t.done
	}
	t.note(func() {
		if !t.ended {
			t.ended, t.longest = true, max(t.longest, time.Since(t.good))
		}
	})
}

// Value is what came of it so far, as expressions see it.
func (t *Traffic) Value() map[string]any {
	t.mu.Lock()
	defer t.mu.Unlock()
	longest := t.longest
	if !t.ended {
		longest = max(longest, time.Since(t.good))
	}
	return map[string]any{
		"sent": int64(t.sent), "ok": int64(t.ok), "failed": int64(t.failed),
		"errors": append([]any{}, t.errors...), "longestGap": longest.Milliseconds(),
	}
}

// startTraffic starts a traffic under a name, which ends one that had it before.
func (st *Stage) startTraffic(ctx context.Context, name string, r request, every, timeout time.Duration) {
	st.stopTraffic(ctx, name)
	st.traffic[name] = StartTraffic(st.life, r, every, timeout)
}

// stopTraffic ends a traffic, if it runs. What it has counted stays to be seen.
func (st *Stage) stopTraffic(ctx context.Context, name string) {
	if t := st.traffic[name]; t != nil {
		t.Stop(ctx)
	}
}

// stopAllTraffic ends what still runs.
func (st *Stage) stopAllTraffic(ctx context.Context) {
	for name := range st.traffic {
		st.stopTraffic(ctx, name)
	}
}

// syncTraffic brings what the snapshot says of the traffic up to date.
func (st *Stage) syncTraffic() {
	if len(st.traffic) == 0 {
		return
	}
	now := map[string]any{}
	for name, t := range st.traffic {
		now[name] = t.Value()
	}
	st.Store.Change(observe.FromTraffic, func(next *observe.Snapshot) { next.Traffic = now })
}
