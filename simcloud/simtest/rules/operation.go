package rules

import (
	"context"
	"errors"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

func testOperations(s suite.Runner) {
	s.Test("GetOperation/NotFound", func(f *suite.Fixture) {
		_, err := f.GetOperation(f.Ctx, "op-9")
		f.Want(err, simcloud.NotFound)
		_, err = f.WaitOperation(f.Ctx, "op-9")
		f.Want(err, simcloud.NotFound)
	})
	s.Test("ListOperations/States", func(f *suite.Fixture) {
		f.Instance("a")
		for state, want := range map[simcloud.OperationState]int{simcloud.OperationDone: 1, simcloud.OperationFailed: 0} {
			page := suite.Must[simcloud.Page[simcloud.Operation]](f)(f.ListOperations(f.Ctx, simcloud.ListOptions{State: string(state)}))
			f.Equal(string(state), len(page.Items), want)
		}
	})
}

func testProgression(s suite.Runner) {
	s.TestSlow("CreateInstance/Slow", func(f *suite.Fixture) {
		r := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a"}))
		f.Equal("state", r.Resource.State, simcloud.InstancePending)
		f.Equal("operation", []any{r.Resource.Operation, r.Operation.State, r.Operation.Progress},
			[]any{r.Operation.ID, simcloud.OperationRunning, 0})
		f.Equal("ready", r.Operation.ReadyAt, r.Operation.Started.Add(suite.OpDuration))
		f.Advance(suite.OpDuration - 1)
		f.Equal("state just before", f.MustGetInstance("i-1").State, simcloud.InstancePending)
		fired := f.Advance(1).Fired
		f.Equal("fired", len(fired), 1)
		f.Equal("state then", f.MustGetInstance("i-1").State, simcloud.InstanceRunning)
		op := suite.Must[simcloud.Operation](f)(f.GetOperation(f.Ctx, r.Operation.ID))
		f.Equal("operation as it fired", fired[0], op)
		f.Equal("finished", op.Finished, r.Operation.ReadyAt)
		f.Equal("state of the operation", []any{op.State, op.Progress}, []any{simcloud.OperationDone, 100})
	})
	s.TestSlow("AdvanceClock/Order", func(f *suite.Fixture) {
		f.Instance("a")
		f.Advance(suite.OpDuration / 2)
		f.Instance("b")
		advance := f.Advance(2 * suite.OpDuration)
		f.Equal("fired", []simcloud.ID{advance.Fired[0].Resource.ID, advance.Fired[1].Resource.ID}, []simcloud.ID{"i-1", "i-2"})
		f.Equal("between them", advance.Fired[1].Finished.Sub(advance.Fired[0].Finished), suite.OpDuration/2)
	})
	s.TestSlow("WaitOperation/Woken", func(f *suite.Fixture) {
		op := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a"})).Operation
		waited := make(chan string, 1)
		go func() {
			op, err := f.WaitOperation(f.Ctx, op.ID)
			waited <- fmt.Sprint(op.State, err)
		}()
		f.Advance(suite.OpDuration)
		f.Equal("answer", <-waited, "done<nil>")
	})
	s.TestSlow("WaitOperation/ContextEnds", func(f *suite.Fixture) {
		op := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a"})).Operation
		ctx, cancel := context.WithCancel(f.Ctx)
		waited := make(chan error, 1)
		go func() {
			_, err := f.WaitOperation(ctx, op.ID)
			waited <- err
		}()
		cancel()
		if err := <-waited; !errors.Is(err, context.Canceled) {
			f.Errorf("got %v, want context.Canceled", err)
		}
	})
	s.TestSlow("CreateFloatingIP/NeverSlow", func(f *suite.Fixture) {
		r := suite.Must[simcloud.Result[simcloud.FloatingIP]](f)(f.CreateFloatingIP(f.Ctx, simcloud.FloatingIPSpec{Name: "a"}))
		f.Equal("operation", r.Operation.State, simcloud.OperationDone)
	})
	testLocked(s)
	testLockedEnds(s)
}

// testLockedEnds: what a floating IP is attached to or detached from changes
// with it, so that it must not have an operation running.
func testLockedEnds(s suite.Runner) {
	for name, end := range map[string]func(*suite.Fixture) simcloud.Attachment{
		"Instance":     func(f *suite.Fixture) simcloud.Attachment { return suite.ToInstance(suite.MakeInstance(f)) },
		"LoadBalancer": func(f *suite.Fixture) simcloud.Attachment { return suite.ToLoadBalancer(suite.MakeLoadBalancer(f)) },
	} {
		s.TestSlow("AttachFloatingIP/Locked"+name, func(f *suite.Fixture) {
			spec := simcloud.FloatingIPSpec{Name: "a"}
			fip, to := f.FloatingIP(spec), end(f)
			attach := func() error {
				_, err := f.AttachFloatingIP(f.Ctx, fip.ID, to)
				return err
			}
			detach := func() error {
				_, err := f.DetachFloatingIP(f.Ctx, fip.ID)
				return err
			}
			spec.AttachedTo = to
			_, err := f.CreateFloatingIP(f.Ctx, spec)
			lockedUntil(f, to, err, attach)
			makeBusy(f, to)
			lockedUntil(f, to, detach(), detach)
		})
	}
}

// lockedUntil fails the test unless err says that the resource is locked, and
// again succeeds once its operation is done.
func lockedUntil(f *suite.Fixture, resource simcloud.Attachment, err error, again func() error) {
	f.Helper()
	for _, err := range []error{err, again()} {
		f.Want(err, simcloud.Locked)
		f.WantResource(err, simcloud.Ref(resource.Kind, resource.ID))
		if simcloud.RetryAfter(err) <= 0 {
			f.Errorf("%v does not say when to come back", err)
		}
	}
	f.Advance(suite.OpDuration)
	if err := again(); err != nil {
		f.Errorf("afterwards: %v", err)
	}
}

// makeBusy starts an operation on the resource.
func makeBusy(f *suite.Fixture, resource simcloud.Attachment) {
	f.Helper()
	if resource.Kind == simcloud.KindInstance {
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, resource.ID))
		return
	}
	suite.Must[simcloud.Result[simcloud.LoadBalancer]](f)(f.CreateListener(f.Ctx, resource.ID, suite.TCP(81, 30081)))
}

// testLocked: while an operation runs on a resource, all other mutations of it answer Locked.
func testLocked(s suite.Runner) {
	for _, m := range suite.Mutations {
		if kind := m.Kind(); kind != simcloud.KindInstance && kind != simcloud.KindLoadBalancer && kind != simcloud.KindVolume {
			continue
		}
		s.TestSlow(m.Name+"/Locked", func(f *suite.Fixture) {
			id := m.Prepare(f)
			err := m.Call(f, id)
			f.Want(err, simcloud.Locked)
			f.WantResource(err, simcloud.Ref(m.Kind(), id))
			if simcloud.RetryAfter(err) <= 0 {
				f.Errorf("%v does not say when to come back", err)
			}
			f.Advance(suite.OpDuration)
			if err := m.Call(f, id); err != nil {
				f.Errorf("afterwards: %v", err)
			}
			f.Advance(suite.OpDuration)
		})
	}
}
