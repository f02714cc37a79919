package core_test

import (
	"math"
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
