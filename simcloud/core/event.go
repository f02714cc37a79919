package core

import (
	"context"
	"iter"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// eventPage is how many events a watcher reads at once.
const eventPage = 256

// WatchEvents yields the events after a revision and those to come. A watcher
// has no queue of its own: it reads the store at its own pace, and learns from
// Conflict when it was too slow.
func (c *Cloud) WatchEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error] {
	caller := simcloud.CallerFrom(ctx)
	return c.watchEvents(ctx, after, func(event simcloud.Event) bool { return sees(caller, event) })
}

// WatchAllEvents is WatchEvents of all projects, for admins: to others it yields Forbidden.
func (c *Cloud) WatchAllEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error] {
	if err := admit(ctx, call{admin: true}); err != nil && ctx.Err() == nil {
		return func(yield func(simcloud.Event, error) bool) { yield(simcloud.Event{}, err) }
	}
	return c.watchEvents(ctx, after, func(simcloud.Event) bool { return true })
}

func (c *Cloud) watchEvents(ctx context.Context, after uint64, sees func(simcloud.Event) bool) iter.Seq2[simcloud.Event, error] {
	return func(yield func(simcloud.Event, error) bool) {
		for {
			changed := c.db.Changed()
			events, err := c.eventsAfter(ctx, after)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				yield(simcloud.Event{}, err)
				return
			}
			for _, event := range events {
				after = event.Revision
				if sees(event) && !yield(event, nil) {
					return
				}
			}
			if len(events) > 0 {
				continue
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			case <-c.closing:
				yield(simcloud.Event{}, errClosing())
				return
			}
		}
	}
}

// sees reports whether a caller may learn of an event: it is about what the
// caller could read.
func sees(caller simcloud.Caller, event simcloud.Event) bool {
	admin := caller.Role == simcloud.RoleAdmin
	switch event.Kind {
	case simcloud.KindToken:
		return admin
	case simcloud.KindProject, simcloud.KindQuota:
		return admin || event.Project == caller.Project
	default:
		return event.Project == "" || event.Project == caller.Project
	}
}

func (c *Cloud) eventsAfter(ctx context.Context, after uint64) (events []simcloud.Event, err error) {
	err = c.view(ctx, func(tx *store.Tx, _ simcloud.Caller) error {
		events, err = tx.Events(after, eventPage)
		return err
	})
	return events, err
}
