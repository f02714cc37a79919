package core_test

import (
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// TestClockStopsAtTheEnd: however long a fast clock runs, its time neither
// goes back nor leaves what the store can order.
func TestClockStopsAtTheEnd(t *testing.T) {
	t.Parallel()
	machine := newFakeClock()
	cloud := open(t, core.Config{Clock: machine})
	must[simcloud.ClockStatus](t)(cloud.SetClock(t.Context(), simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: 1e6}))
	end := time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
	var last time.Time
	for range 20 {
		machine.move(24 * time.Hour)
		now := must[simcloud.ClockStatus](t)(cloud.GetClock(t.Context())).Now
		if now.Before(last) || now.After(end) {
			t.Fatalf("it is %s after %s", now, last)
		}
		last = now
	}
	if !last.Equal(end) {
		t.Errorf("it is %s, want %s", last, end)
	}
}

// TestClockOffset: a clock that was faster for a while is ahead by what it has gained, and one that stood still is behind.
func TestClockOffset(t *testing.T) {
	t.Parallel()
	machine := newFakeClock()
	cloud := open(t, core.Config{Clock: machine})
	for _, step := range []struct {
		spec simcloud.ClockSpec
		want time.Duration
	}{
		{simcloud.ClockSpec{Mode: simcloud.ClockReal}, 0},
		{simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: 3}, 2 * time.Minute},
		{simcloud.ClockSpec{Mode: simcloud.ClockReal}, 2 * time.Minute},
		{simcloud.ClockSpec{Mode: simcloud.ClockManual}, time.Minute},
		{simcloud.ClockSpec{Mode: simcloud.ClockManual}, 0},
		{simcloud.ClockSpec{Mode: simcloud.ClockManual}, -time.Minute},
	} {
		must[simcloud.ClockStatus](t)(cloud.SetClock(t.Context(), step.spec))
		machine.move(time.Minute)
		if got := must[simcloud.ClockStatus](t)(cloud.GetClock(t.Context())).Offset; got != simcloud.Duration(step.want) {
			t.Errorf("%s for a minute: offset %s, want %s", step.spec.Mode, got, step.want)
		}
	}
}

// TestSlowestClock: an operation on a clock that hardly moves is not awaited in circles.
func TestSlowestClock(t *testing.T) {
	t.Parallel()
	machine := newFakeClock()
	cloud := open(t, core.Config{Clock: machine, Progression: minute})
	spec := simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: math.SmallestNonzeroFloat64}
	must[simcloud.ClockStatus](t)(cloud.SetClock(t.Context(), spec))
	r := must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}))
	_, err := cloud.StopInstance(t.Context(), r.Resource.ID)
	wantCode(t, "while it runs", err, simcloud.Locked)
	if after := simcloud.RetryAfter(err); after < 24*time.Hour {
		t.Errorf("come back after %s", after)
	}
}

// TestAdvanceToTheEnd: an advance beyond the end is refused and changes
// nothing; at the end, what cannot get ready any more is not awaited in circles.
func TestAdvanceToTheEnd(t *testing.T) {
	t.Parallel()
	machine := &countingClock{fakeClock: newFakeClock()}
	cloud := open(t, core.Config{Clock: machine, Progression: minute})
	ctx := t.Context()
	now := must[simcloud.ClockStatus](t)(cloud.SetClock(ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual})).Now
	left := time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).Sub(now)
	for _, by := range []time.Duration{math.MaxInt64, left + 1, -1, math.MinInt64} {
		_, err := cloud.AdvanceClock(ctx, simcloud.Duration(by))
		wantCode(t, by.String(), err, simcloud.Invalid)
	}
	if got := must[simcloud.ClockStatus](t)(cloud.GetClock(ctx)).Now; !got.Equal(now) {
		t.Errorf("the refused advances led from %s to %s", now, got)
	}
	must[simcloud.ClockAdvance](t)(cloud.AdvanceClock(ctx, simcloud.Duration(left)))
	must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"}))
	must[simcloud.ClockStatus](t)(cloud.SetClock(ctx, simcloud.ClockSpec{Mode: simcloud.ClockReal}))
	for range 100 {
		machine.move(time.Minute)
		must[simcloud.Instance](t)(cloud.GetInstance(ctx, "i-1"))
	}
	if err := cloud.Close(); err != nil {
		t.Fatal(err)
	}
	if made := machine.made.Load(); made != 0 {
		t.Errorf("the worker has set %d timers for what never comes", made)
	}
}

// countingClock counts the timers.
type countingClock struct {
	*fakeClock
	made atomic.Int64
}

func (c *countingClock) NewTimer(d time.Duration) (<-chan time.Time, func() bool) {
	c.made.Add(1)
	return c.fakeClock.NewTimer(d)
}
