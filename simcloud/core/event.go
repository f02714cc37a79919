package core

import (
	"bytes"
	"context"
	"iter"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// eventPage is how many events a watcher takes at once.
const eventPage = 256

// WatchEvents yields the events after a revision and those to come. A watcher
// has no queue of its own: it reads the feed or the store at its own pace, and
// learns from Conflict when it was too slow.
func (c *Cloud) WatchEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error] {
	return copies(c.WatchEncodedEvents(ctx, after))
}

// WatchAllEvents is WatchEvents of all projects, for admins: to others it yields Forbidden.
func (c *Cloud) WatchAllEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error] {
	return copies(c.WatchAllEncodedEvents(ctx, after))
}

// WatchEncodedEvents is WatchEvents with the JSON of each event. What it yields
// is shared and must not be changed.
func (c *Cloud) WatchEncodedEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.EncodedEvent, error] {
	return c.watch(ctx, after, false)
}

// WatchAllEncodedEvents is WatchAllEvents with the JSON of each event. What it
// yields is shared and must not be changed.
func (c *Cloud) WatchAllEncodedEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.EncodedEvent, error] {
	if err := admit(ctx, request{admin: true}); err != nil && ctx.Err() == nil {
		return func(yield func(simcloud.EncodedEvent, error) bool) { yield(simcloud.EncodedEvent{}, err) }
	}
	return c.watch(ctx, after, true)
}

// copies makes events the caller's own.
func copies(seq iter.Seq2[simcloud.EncodedEvent, error]) iter.Seq2[simcloud.Event, error] {
	return func(yield func(simcloud.Event, error) bool) {
		for e, err := range seq {
			e.Object = bytes.Clone(e.Object)
			if !yield(e.Event, err) {
				return
			}
		}
	}
}

func (c *Cloud) watch(ctx context.Context, after uint64, whole bool) iter.Seq2[simcloud.EncodedEvent, error] {
	return func(yield func(simcloud.EncodedEvent, error) bool) {
		if err := c.alone(ctx, "a watch"); err != nil {
			yield(simcloud.EncodedEvent{}, err)
			return
		}
		w := c.feed.join(simcloud.CallerFrom(ctx), whole)
		defer c.feed.leave(w)
		read := c.storedEvents // which knows whether the revision is one of the cloud's
		for ctx.Err() == nil {
			renewals := c.feed.renewals.Load()
			events, upTo, err := read(ctx, w, after)
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				yield(simcloud.EncodedEvent{}, err)
				return
			}
			read = c.nextEvents
			for _, e := range events {
				if c.feed.renewals.Load() != renewals { // since then events may have been redacted: read again
					read, upTo = c.storedEvents, after
					break
				}
				if !yield(*e, nil) {
					return
				}
				after = e.Revision
			}
			after = upTo
		}
	}
}

// nextEvents returns events after a revision that the watcher may see, as soon
// as there are any, and the revision up to which they are all.
func (c *Cloud) nextEvents(ctx context.Context, w *watcher, after uint64) ([]*simcloud.EncodedEvent, uint64, error) {
	for {
		if err := c.settle(); err != nil {
			return nil, after, err
		}
		events, upTo, known := c.feed.read(w, after)
		switch {
		case !known:
			return c.storedEvents(ctx, w, upTo)
		case len(events) > 0:
			return events, upTo, nil
		}
		if after = upTo; !w.idle {
			continue
		}
		select {
		case <-w.wake:
		case <-ctx.Done():
			return nil, after, ctx.Err()
		case <-c.closing:
			return nil, after, errClosing()
		}
	}
}

// storedEvents reads a page of the store, and returns what the watcher may see of it.
func (c *Cloud) storedEvents(ctx context.Context, w *watcher, after uint64) (events []*simcloud.EncodedEvent, upTo uint64, err error) {
	err = c.view(ctx, func(tx *store.Tx, _ simcloud.Caller) error {
		events, upTo, err = tx.EncodedEvents(after, eventPage, w.sees)
		return err
	})
	return events, upTo, err
}

// forAdmins reports whether admins see the events of a kind for all projects.
func forAdmins(kind simcloud.Kind) bool {
	return kind == simcloud.KindToken || kind == simcloud.KindProject || kind == simcloud.KindQuota
}

// sees reports whether a caller may learn of an event: it is about what the
// caller could read.
func sees(caller simcloud.Caller, event *simcloud.Event) bool {
	switch {
	case store.Redacted(event):
		return false
	case forAdmins(event.Kind):
		own := event.Project == caller.Project && caller.Project != ""
		return caller.Role == simcloud.RoleAdmin || own && event.Kind != simcloud.KindToken
	default:
		return event.Project == "" || event.Project == caller.Project
	}
}
