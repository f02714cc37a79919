package simtest

import (
	"context"
	"errors"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func testOperations(s suite) {
	s.run("GetOperation/NotFound", func(f *fixture) {
		_, err := f.GetOperation(f.ctx, "op-9")
		f.want(err, simcloud.NotFound)
		_, err = f.WaitOperation(f.ctx, "op-9")
		f.want(err, simcloud.NotFound)
	})
	s.run("ListOperations/States", func(f *fixture) {
		f.instance("a")
		for state, want := range map[simcloud.OperationState]int{simcloud.OperationDone: 1, simcloud.OperationFailed: 0} {
			page := must[simcloud.Page[simcloud.Operation]](f)(f.ListOperations(f.ctx, simcloud.ListOptions{State: string(state)}))
			f.equal(string(state), len(page.Items), want)
		}
	})
}

func testProgression(s suite) {
	s.runSlow("CreateInstance/Slow", func(f *fixture) {
		r := must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"}))
		f.equal("state", r.Resource.State, simcloud.InstancePending)
		f.equal("operation", []any{r.Resource.Operation, r.Operation.State, r.Operation.Progress},
			[]any{r.Operation.ID, simcloud.OperationRunning, 0})
		f.equal("ready", r.Operation.ReadyAt, r.Operation.Started.Add(opDuration))
		f.advance(opDuration - 1)
		f.equal("state just before", f.getInstance("i-1").State, simcloud.InstancePending)
		fired := f.advance(1).Fired
		f.equal("fired", len(fired), 1)
		f.equal("state then", f.getInstance("i-1").State, simcloud.InstanceRunning)
		op := must[simcloud.Operation](f)(f.GetOperation(f.ctx, r.Operation.ID))
		f.equal("operation as it fired", fired[0], op)
		f.equal("finished", op.Finished, r.Operation.ReadyAt)
		f.equal("state of the operation", []any{op.State, op.Progress}, []any{simcloud.OperationDone, 100})
	})
	s.runSlow("AdvanceClock/Order", func(f *fixture) {
		f.instance("a")
		f.advance(opDuration / 2)
		f.instance("b")
		advance := f.advance(2 * opDuration)
		f.equal("fired", []simcloud.ID{advance.Fired[0].Resource.ID, advance.Fired[1].Resource.ID}, []simcloud.ID{"i-1", "i-2"})
		f.equal("between them", advance.Fired[1].Finished.Sub(advance.Fired[0].Finished), opDuration/2)
	})
	s.runSlow("WaitOperation/Woken", func(f *fixture) {
		op := must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"})).Operation
		waited := make(chan string, 1)
		go func() {
			op, err := f.WaitOperation(f.ctx, op.ID)
			waited <- fmt.Sprint(op.State, err)
		}()
		f.advance(opDuration)
		f.equal("answer", <-waited, "done<nil>")
	})
	s.runSlow("WaitOperation/ContextEnds", func(f *fixture) {
		op := must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"})).Operation
		ctx, cancel := context.WithCancel(f.ctx)
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
	s.runSlow("CreateFloatingIP/NeverSlow", func(f *fixture) {
		r := must[simcloud.Result[simcloud.FloatingIP]](f)(f.CreateFloatingIP(f.ctx, simcloud.FloatingIPSpec{Name: "a"}))
		f.equal("operation", r.Operation.State, simcloud.OperationDone)
	})
	testLocked(s)
	testLockedEnds(s)
}

// testLockedEnds: what a floating IP is attached to or detached from changes
// with it, so that it must not have an operation running.
func testLockedEnds(s suite) {
	for name, end := range map[string]func(*fixture) simcloud.Attachment{
		"Instance":     func(f *fixture) simcloud.Attachment { return toInstance(anInstance(f)) },
		"LoadBalancer": func(f *fixture) simcloud.Attachment { return toLoadBalancer(aLoadBalancer(f)) },
	} {
		s.runSlow("AttachFloatingIP/Locked"+name, func(f *fixture) {
			spec := simcloud.FloatingIPSpec{Name: "a"}
			fip, to := f.floatingIP(spec), end(f)
			attach := func() error {
				_, err := f.AttachFloatingIP(f.ctx, fip.ID, to)
				return err
			}
			detach := func() error {
				_, err := f.DetachFloatingIP(f.ctx, fip.ID)
				return err
			}
			spec.AttachedTo = to
			_, err := f.CreateFloatingIP(f.ctx, spec)
			lockedUntil(f, to, err, attach)
			makeBusy(f, to)
			lockedUntil(f, to, detach(), detach)
		})
	}
}

// lockedUntil fails the test unless err says that the resource is locked, and
// again succeeds once its operation is done.
func lockedUntil(f *fixture, resource simcloud.Attachment, err error, again func() error) {
	f.Helper()
	for _, err := range []error{err, again()} {
		f.want(err, simcloud.Locked)
		f.wantResource(err, simcloud.Ref(resource.Kind, resource.ID))
		if simcloud.RetryAfter(err) <= 0 {
			f.Errorf("%v does not say when to come back", err)
		}
	}
	f.advance(opDuration)
	if err := again(); err != nil {
		f.Errorf("afterwards: %v", err)
	}
}

// makeBusy starts an operation on the resource.
func makeBusy(f *fixture, resource simcloud.Attachment) {
	f.Helper()
	if resource.Kind == simcloud.KindInstance {
		must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, resource.ID))
		return
	}
	must[simcloud.Result[simcloud.LoadBalancer]](f)(f.CreateListener(f.ctx, resource.ID, tcp(81, 30081)))
}

// testLocked: while an operation runs on a resource, all other mutations of it answer Locked.
func testLocked(s suite) {
	for _, m := range mutations {
		if kind := m.kind(); kind != simcloud.KindInstance && kind != simcloud.KindLoadBalancer && kind != simcloud.KindVolume {
			continue
		}
		s.runSlow(m.name+"/Locked", func(f *fixture) {
			id := m.prepare(f)
			err := m.call(f, id)
			f.want(err, simcloud.Locked)
			f.wantResource(err, simcloud.Ref(m.kind(), id))
			if simcloud.RetryAfter(err) <= 0 {
				f.Errorf("%v does not say when to come back", err)
			}
			f.advance(opDuration)
			if err := m.call(f, id); err != nil {
				f.Errorf("afterwards: %v", err)
			}
			f.advance(opDuration)
		})
	}
}
