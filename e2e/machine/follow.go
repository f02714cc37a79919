package machine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/wait"
)

// follow keeps the machines as the cloud wants them, until ctx is done: it
// lists, follows the changes after the list, and lists again when the cloud no
// longer has the changes that it missed.
func (m *Set) follow(ctx context.Context) {
	fleet := fleet{}
	for ctx.Err() == nil {
		revision, err := m.list(ctx, fleet)
		for err == nil {
			revision, err = m.watch(ctx, fleet, revision)
		}
		if ctx.Err() != nil {
			return
		}
		if !errors.Is(err, simcloud.Conflict) {
			m.log.Warn("cannot follow the cloud's instances; trying again", "error", err)
			_ = wait.Pause(ctx, retryDelay)
		}
	}
}

// list takes in all instances and returns the revision to follow from.
func (m *Set) list(ctx context.Context, f fleet) (uint64, error) {
	first, err := m.cloud.ListInstances(ctx, simcloud.ListOptions{PageSize: simcloud.MaxPageSize})
	if err != nil {
		return 0, err
	}
	instances := first.Items
	if first.NextPage != "" {
		rest, err := simcloud.ListAll(ctx, m.cloud.ListInstances, simcloud.ListOptions{PageSize: simcloud.MaxPageSize, PageToken: first.NextPage})
		if err != nil {
			return 0, err
		}
		instances = append(instances, rest...)
	}
	m.tell(f.keep(instances))
	for _, inst := range instances {
		m.tell(f.set(inst))
	}
	return first.Revision, nil
}

// watch takes in the changes after a revision. It returns the last revision
// that it saw; a nil error means that it can go on from there.
func (m *Set) watch(ctx context.Context, f fleet, after uint64) (uint64, error) {
	for ev, err := range m.cloud.WatchEvents(ctx, after) {
		if err != nil {
			return after, m.resumable(ctx, err)
		}
		orders, err := f.apply(ev)
		if err != nil {
			return after, err
		}
		m.tell(orders)
		after = ev.Revision
	}
	_ = wait.Pause(ctx, retryDelay) // the stream ended without an error: ask again, but not all the time
	return after, ctx.Err()
}

// resumable waits a little and returns nil for an error after which the watch
// can go on where it was.
func (m *Set) resumable(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, simcloud.Conflict) {
		return err
	}
	m.log.Warn("the cloud's event stream broke; resuming", "error", err)
	_ = wait.Pause(ctx, retryDelay)
	return ctx.Err()
}

// apply takes in one change.
func (f fleet) apply(ev simcloud.Event) ([]order, error) {
	switch ev.Kind {
	case simcloud.KindInstance:
		if ev.Type == simcloud.Deleted {
			return f.remove(ev.ID), nil
		}
		var inst simcloud.Instance
		if err := json.Unmarshal(ev.Object, &inst); err != nil {
			return nil, fmt.Errorf("read the instance of event %d: %w", ev.Revision, err)
		}
		return f.set(inst), nil
	case simcloud.KindOperation:
		var op simcloud.Operation
		if err := json.Unmarshal(ev.Object, &op); err != nil {
			return nil, fmt.Errorf("read the operation of event %d: %w", ev.Revision, err)
		}
		if ev.Type == simcloud.Created && op.State == simcloud.OperationDone {
			return f.done(op), nil
		}
	default: // no other kind says anything of machines
	}
	return nil, nil
}

// done takes in an operation that began and ended within one change.
func (f fleet) done(op simcloud.Operation) []order {
	switch op.Verb {
	case "RebootInstance":
		return f.reboot(op.Resource.ID)
	case "RebuildInstance":
		return f.rebuild(op.Resource.ID)
	default:
		return nil
	}
}

func (m *Set) tell(orders []order) {
	for _, o := range orders {
		m.enqueue(o.hostname, o.want.power != powerOff || m.hasDisk(o.hostname, o.discard), task{
			do:     func(w *worker) { w.obey(o) },
			aborts: !o.stays,
		})
	}
}

// retryDelay is how long to wait before asking a cloud again that did not answer.
const retryDelay = 200 * time.Millisecond
