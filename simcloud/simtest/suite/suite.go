// Package suite makes the subtests of the cloud's specification: each gets a
// cloud of its own, with what it takes to fill the cloud and to judge it.
//
// It uses nothing but [simcloud.API], and for clock, state and reset
// [simcloud.Control] where the implementation has it.
package suite

import (
	"context"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// Options say which cloud a test wants.
type Options struct {
	Seed        uint64
	Progression simcloud.Progression
	// DataPlane is whether the cloud has a data plane.
	DataPlane bool
}

// Opener makes a new cloud for a test, which it also cleans up.
type Opener func(*testing.T, Options) simcloud.API

// Runner makes the subtests.
type Runner struct {
	*testing.T
	Open Opener
}

// New makes subtests of t on clouds that open makes.
func New(t *testing.T, open Opener) Runner { return Runner{T: t, Open: open} }

// Test is a subtest on a new cloud with immediate progression.
func (s Runner) Test(name string, fn func(*Fixture)) { s.TestOn(name, Options{Seed: 1}, fn) }

// OpDuration is how long operations take in subtests of [Runner.TestSlow].
const OpDuration = 10 * time.Second

// TestSlow is a subtest on a new cloud with a manual clock, where operations take [OpDuration].
func (s Runner) TestSlow(name string, fn func(*Fixture)) {
	opts := Options{Seed: 1, Progression: simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(OpDuration)}}
	s.TestOn(name, opts, func(f *Fixture) {
		if _, err := f.Control().SetClock(f.Ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}); err != nil {
			f.Fatal(err)
		}
		fn(f)
	})
}

// TestOn is a subtest on a new cloud.
func (s Runner) TestOn(name string, opts Options, fn func(*Fixture)) {
	s.Run(name, func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), simtest.Patience)
		defer cancel()
		f := &Fixture{T: t, API: s.Open(t, opts), Ctx: ctx}
		defer f.Check()
		fn(f)
	})
}

// Fixture is one subtest and its cloud.
type Fixture struct {
	*testing.T
	simcloud.API
	Ctx context.Context
}

// Control returns the simulator's side of the cloud.
func (f *Fixture) Control() simcloud.Control {
	f.Helper()
	control, ok := f.API.(simcloud.Control)
	if !ok {
		f.Skip("this implementation has no Control")
	}
	return control
}

// Check holds the cloud against its invariants, where it can.
func (f *Fixture) Check() {
	f.Helper()
	checker, ok := f.API.(interface{ Check(context.Context) error })
	if !ok || f.Failed() {
		return
	}
	if err := checker.Check(f.Ctx); err != nil {
		f.Errorf("the cloud breaks its invariants:\n%v", err)
	}
}

// Advance moves the manual clock.
func (f *Fixture) Advance(by time.Duration) simcloud.ClockAdvance {
	f.Helper()
	advance, err := f.Control().AdvanceClock(f.Ctx, simcloud.Duration(by))
	if err != nil {
		f.Fatalf("advance the clock by %s: %v", by, err)
	}
	return advance
}

// Revision is the revision of the cloud.
func (f *Fixture) Revision() uint64 {
	f.Helper()
	return Must[simcloud.Page[simcloud.Region]](f)(f.ListRegions(f.Ctx, simcloud.ListOptions{})).Revision
}

// Save keeps the cloud as it is.
func (f *Fixture) Save(name string) simcloud.Snapshot {
	f.Helper()
	return Must[simcloud.Snapshot](f)(f.Control().SaveSnapshot(f.Ctx, simcloud.SnapshotSpec{Name: name}))
}

// Load brings back what was saved.
func (f *Fixture) Load(name simcloud.ID) {
	f.Helper()
	Must[simcloud.Snapshot](f)(f.Control().LoadSnapshot(f.Ctx, name))
}
