// Package suite makes the subtests of the cloud's specification: each gets a
// cloud of its own, with what it takes to fill the cloud and to judge it.
//
// It uses nothing but [simcloud.API], and for clock, state and reset
// [simcloud.Control] where the implementation has it.
package simtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
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

// suite makes the subtests.
type suite struct {
	*testing.T
	open Opener
}

// newSuite makes subtests of t on clouds that open makes.
func newSuite(t *testing.T, open Opener) suite { return suite{T: t, open: open} }

// run is a subtest on a new cloud with immediate progression.
func (s suite) run(name string, fn func(*fixture)) { s.runOn(name, Options{Seed: 1}, fn) }

// opDuration is how long operations take in subtests of runSlow.
const opDuration = 10 * time.Second

// runSlow is a subtest on a new cloud with a manual clock, where operations take opDuration.
func (s suite) runSlow(name string, fn func(*fixture)) {
	opts := Options{Seed: 1, Progression: simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(opDuration)}}
	s.runOn(name, opts, func(f *fixture) {
		if _, err := f.control().SetClock(f.ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}); err != nil {
			f.Fatal(err)
		}
		fn(f)
	})
}

// runOn is a subtest on a new cloud.
func (s suite) runOn(name string, opts Options, fn func(*fixture)) {
	s.Run(name, func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), Patience)
		defer cancel()
		f := &fixture{T: t, API: s.open(t, opts), ctx: ctx}
		defer f.check()
		fn(f)
	})
}

// fixture is one subtest and its cloud.
type fixture struct {
	*testing.T
	simcloud.API
	ctx context.Context
}

// control returns the simulator's side of the cloud.
func (f *fixture) control() simcloud.Control {
	f.Helper()
	control, ok := f.API.(simcloud.Control)
	if !ok {
		f.Skip("this implementation has no Control")
	}
	return control
}

// check holds the cloud against its invariants, where it can.
func (f *fixture) check() {
	f.Helper()
	checker, ok := f.API.(interface{ Check(context.Context) error })
	if !ok || f.Failed() {
		return
	}
	if err := checker.Check(f.ctx); err != nil {
		f.Errorf("the cloud breaks its invariants:\n%v", err)
	}
}

// advance moves the manual clock.
func (f *fixture) advance(by time.Duration) simcloud.ClockAdvance {
	f.Helper()
	advance, err := f.control().AdvanceClock(f.ctx, simcloud.Duration(by))
	if err != nil {
		f.Fatalf("advance the clock by %s: %v", by, err)
	}
	return advance
}

// want fails the test unless err has the code.
func (f *fixture) want(err error, code simcloud.Code) {
	f.Helper()
	if got := simcloud.CodeOf(err); got != code {
		f.Errorf("got %v, want code %q", err, code)
	}
}

// wantField fails the test unless err is Invalid and names the field.
func (f *fixture) wantField(err error, field string) {
	f.Helper()
	f.want(err, simcloud.Invalid)
	var e *simcloud.Error
	if !errors.As(err, &e) {
		return
	}
	for _, wrong := range e.Fields {
		if wrong.Field == field {
			return
		}
	}
	f.Errorf("%v does not name the field %q", err, field)
}

// wantResource fails the test unless err names the resource.
func (f *fixture) wantResource(err error, resource string) {
	f.Helper()
	var e *simcloud.Error
	if errors.As(err, &e) && e.Resource != resource {
		f.Errorf("%v names %q, want %q", err, e.Resource, resource)
	}
}

// equal fails the test with a diff.
func (f *fixture) equal(what string, got, want any) {
	f.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		f.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// must returns v, or ends the test.
func must[T any](f *fixture) func(T, error) T {
	return func(v T, err error) T {
		f.Helper()
		if err != nil {
			f.Fatal(err)
		}
		return v
	}
}

// done fails the test unless the operation is done, is that of the verb and
// resource, and can be read.
func (f *fixture) done(op simcloud.Operation, verb string, kind simcloud.Kind, id simcloud.ID) {
	f.Helper()
	f.equal("verb", op.Verb, verb)
	f.equal("resource", op.Resource, simcloud.Attachment{Kind: kind, ID: id})
	f.equal("state", op.State, simcloud.OperationDone)
	f.equal("progress", op.Progress, 100)
	f.equal("the operation as it is read", must[simcloud.Operation](f)(f.GetOperation(f.ctx, op.ID)), op)
	f.equal("the operation that is waited for", must[simcloud.Operation](f)(f.WaitOperation(f.ctx, op.ID)), op)
}

// ptr returns the address of a copy of v.
func ptr[T any](v T) *T { return &v }

// drop ends the test unless a deletion succeeded.
func drop(f *fixture) func(simcloud.Operation, error) {
	return func(_ simcloud.Operation, err error) {
		f.Helper()
		if err != nil {
			f.Fatal(err)
		}
	}
}

// meta is a resource of any kind.
type meta interface{ GetMeta() *simcloud.Meta }

// ids returns the ids of what was listed.
func ids[T any](items []T) []simcloud.ID {
	list := []simcloud.ID{}
	for i := range items {
		list = append(list, any(&items[i]).(meta).GetMeta().ID)
	}
	return list
}

// revision is the revision of the cloud.
func (f *fixture) revision() uint64 {
	f.Helper()
	return must[simcloud.Page[simcloud.Region]](f)(f.ListRegions(f.ctx, simcloud.ListOptions{})).Revision
}

// save keeps the cloud as it is.
func (f *fixture) save(name string) simcloud.Snapshot {
	f.Helper()
	return must[simcloud.Snapshot](f)(f.control().SaveSnapshot(f.ctx, simcloud.SnapshotSpec{Name: name}))
}

// load brings back what was saved.
func (f *fixture) load(name simcloud.ID) {
	f.Helper()
	must[simcloud.Snapshot](f)(f.control().LoadSnapshot(f.ctx, name))
}
