package core

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// Clock is the clock of the machine that the cloud's own clock follows.
type Clock interface {
	Now() time.Time
	// NewTimer returns a channel that gets the time after d, and what stops it.
	NewTimer(d time.Duration) (fired <-chan time.Time, stop func() bool)
}

type machineClock struct{}

func (machineClock) Now() time.Time { return time.Now() }

func (machineClock) NewTimer(d time.Duration) (<-chan time.Time, func() bool) {
	timer := time.NewTimer(d)
	return timer.C, timer.Stop
}

// clock is the clock of the cloud: from a moment that is known on both clocks
// it goes on as its mode says.
type clock struct {
	machine Clock
	moment  atomic.Pointer[store.TimeRecord]
}

func newClock(machine Clock) *clock {
	if machine == nil {
		machine = machineClock{}
	}
	c := &clock{machine: machine}
	now := machine.Now()
	c.moment.Store(&store.TimeRecord{
		ClockSpec: simcloud.ClockSpec{Mode: simcloud.ClockReal}, Cloud: plain(now), Machine: now,
	})
	return c
}

// plain is a time as it comes out of the store.
func plain(t time.Time) time.Time { return t.Round(0).UTC() }

func (c *clock) now() time.Time {
	return timeOf(*c.moment.Load(), c.machine.Now())
}

// endOfTime is where the cloud's clock stops. What operations take beyond it
// still fits into the Unix nanoseconds that their order is made of.
func endOfTime() time.Time { return time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC) }

// timeOf returns the cloud's time. It never falls, also when the machine's
// clock was put back while the cloud was closed, and stops at the end of time.
func timeOf(m store.TimeRecord, machine time.Time) time.Time {
	elapsed := max(0, machine.Sub(m.Machine))
	switch m.Mode {
	case simcloud.ClockManual:
		return m.Cloud
	case simcloud.ClockScaled:
		elapsed = scale(elapsed, m.Factor)
	case simcloud.ClockReal:
	}
	return m.Cloud.Add(min(elapsed, max(0, endOfTime().Sub(m.Cloud))))
}

// scale multiplies, up to the longest duration there is.
func scale(d time.Duration, factor float64) time.Duration {
	if scaled := float64(d) * factor; scaled < math.MaxInt64 {
		return time.Duration(scaled)
	}
	return math.MaxInt64
}

// current is this moment on both clocks.
func (c *clock) current() store.TimeRecord {
	m := *c.moment.Load()
	machine := c.machine.Now()
	m.Cloud, m.Machine = timeOf(m, machine), machine
	return m
}

// load goes on from the moment that the store knows, if it does; in any case
// not before the last event.
func (c *clock) load(tx *store.Tx) error {
	m, ok, err := store.Time.Get(tx)
	if err != nil || !ok {
		return err
	}
	c.moment.Store(&m)
	m = c.current()
	if revision := tx.Revision(); revision > 0 {
		last, err := tx.Events(revision-1, 1)
		if err != nil {
			return err
		}
		m.Cloud = later(m.Cloud, last[0].Time)
	}
	c.moment.Store(&m)
	return nil
}

// save makes m the moment to go on from, once it is on disk.
func (c *clock) save(tx *store.Tx, m store.TimeRecord) error {
	tx.OnCommit(func() { c.moment.Store(&m) })
	return store.Time.Put(tx, m)
}

// until returns how long the machine has to wait for a time of the cloud;
// false when the clock does not get there.
func (c *clock) until(t time.Time) (time.Duration, bool) {
	wait := t.Sub(c.now())
	m := c.moment.Load()
	switch {
	case wait <= 0:
		return 0, true
	case m.Mode == simcloud.ClockManual, t.After(endOfTime()):
		return 0, false
	case m.Mode == simcloud.ClockScaled:
		return min(scale(wait, 1/m.Factor), math.MaxInt64-1) + 1, true
	default:
		return wait, true
	}
}

func (c *clock) status() simcloud.ClockStatus {
	m := c.current()
	offset := m.Cloud.Sub(m.Machine).Round(time.Millisecond)
	return simcloud.ClockStatus{ClockSpec: m.ClockSpec, Now: m.Cloud, Offset: simcloud.Duration(offset)}
}

// GetClock reads the cloud's clock.
func (c *Cloud) GetClock(ctx context.Context) (simcloud.ClockStatus, error) {
	if err := admit(ctx, request{admin: true}); err != nil {
		return simcloud.ClockStatus{}, err
	}
	return c.clock.status(), nil
}

// SetClock changes the clock's mode; its time goes on from where it is.
func (c *Cloud) SetClock(ctx context.Context, spec simcloud.ClockSpec) (simcloud.ClockStatus, error) {
	err := c.updateExclusive(ctx, request{verb: "SetClock", admin: true, spec: spec}, func(t *txn) error {
		m := c.clock.current()
		m.ClockSpec = spec
		t.tx.OnCommit(c.wakeWorker)
		return c.clock.save(t.tx, m)
	})
	if err != nil {
		return simcloud.ClockStatus{}, err
	}
	return c.clock.status(), nil
}

// resetClock lets a real clock tell the machine's time again, which it does not when it was a manual or a scaled one before. A reset is
// the one thing that lets time go back: no resource of before is left then, and what has ended of tokens stays so.
func (t *txn) resetClock() error {
	m := t.cloud.clock.current()
	if m.Mode != simcloud.ClockReal {
		return nil
	}
	m.Cloud = plain(m.Machine)
	if err := t.keepEnded(m.Cloud); err != nil {
		return err
	}
	t.now = m.Cloud
	return t.cloud.clock.save(t.tx, m)
}

// AdvanceClock moves a manual clock and returns the operations that it completed.
func (c *Cloud) AdvanceClock(ctx context.Context, by simcloud.Duration) (simcloud.ClockAdvance, error) {
	advance := simcloud.ClockAdvance{Fired: []simcloud.Operation{}}
	err := c.updateExclusive(ctx, request{verb: "AdvanceClock", admin: true}, func(t *txn) error {
		m := c.clock.current()
		switch {
		case by < 0:
			return invalid("clock", "by", "%s is below 0: time never goes back", by)
		case time.Duration(by) > endOfTime().Sub(m.Cloud):
			return invalid("clock", "by", "%s is too far: the clock ends at %s", by, endOfTime().Format(time.RFC3339))
		case m.Mode != simcloud.ClockManual:
			return simcloud.Errorf(simcloud.Conflict, "clock", "the clock is %s: only a manual clock can be advanced", m.Mode)
		}
		m.Cloud = m.Cloud.Add(time.Duration(by))
		advance.Now = m.Cloud
		fired, err := t.completeUntil(m.Cloud)
		advance.Fired = append(advance.Fired, fired...)
		if err != nil {
			return err
		}
		return c.clock.save(t.tx, m)
	})
	return advance, err
}
