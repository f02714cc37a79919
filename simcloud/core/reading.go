package core

import (
	"bytes"
	"context"
	"math"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// reading is how one read of the API is behind the cloud. Whatever changes the
// cloud reads it as it is.
type reading struct {
	moment time.Time // what was then is shown; zero: what is
	since  time.Time // what was created after that is not shown; zero: all is
}

// lookingAt returns how lists or gets are behind: as the configuration says
// for all callers, unless ctx has strong reads, or the override of ctx for this one,
// whichever is more.
func (c *Cloud) lookingAt(ctx context.Context, stale func(simcloud.Consistency) simcloud.Duration) (r reading) {
	if w, _ := c.wholeOf(ctx); w != nil && w.txn != nil {
		return r
	}
	consistency, override := c.config.Load().Consistency, simcloud.OverrideOf(ctx).Reading
	if simcloud.StrongReads(ctx) {
		consistency = simcloud.Consistency{}
	}
	by, hide := max(stale(consistency), override.StaleBy), max(consistency.HideNew, override.HideNew)
	if by <= 0 && hide <= 0 {
		return r
	}
	now := c.clock.now()
	if by > 0 {
		r.moment = now.Add(-time.Duration(by))
	}
	if hide > 0 {
		r.since = now.Add(-time.Duration(hide))
	}
	return r
}

func staleLists(c simcloud.Consistency) simcloud.Duration { return c.StaleLists }

func staleGets(c simcloud.Consistency) simcloud.Duration { return c.StaleGets }

func (r reading) hides(meta *simcloud.Meta) bool {
	return !r.since.IsZero() && meta.Created.After(r.since)
}

// get is a read of one resource.
func get[T any, P store.Resource[T]](ctx context.Context, c *Cloud, b store.Bucket[T, P], id simcloud.ID) (v T, err error) {
	r := c.lookingAt(ctx, staleGets)
	read := func(tx *store.Tx, caller simcloud.Caller) error {
		v, err = look(tx, c, b, caller.Project, id, r)
		c.note(ctx, func(tx *store.Tx) seen { return resourceSeen{b, id, bytes.Clone(b.Raw(tx, id))} })
		return err
	}
	if err := c.view(ctx, read); err != nil || !c.polls.any.Load() {
		return v, err
	}
	if again, err := polled[T, P](ctx, c, v); err != nil || !again {
		return v, err
	}
	return v, c.view(ctx, read)
}

// look is find of a resource as a read shows it.
func look[T any, P store.Resource[T]](tx *store.Tx, c *Cloud, b store.Bucket[T, P], project, id simcloud.ID, r reading) (v T, err error) {
	if r.moment.IsZero() {
		v, err = b.Get(tx, id)
	} else {
		v, err = b.GetPast(tx, id, c.history.past(b.Kind(), r.moment, tx.Commit()))
	}
	if err == nil && (!visible(P(&v).GetMeta(), project) || r.hides(P(&v).GetMeta())) {
		var none T
		return none, b.NotFound(id)
	}
	return v, err
}

// pageOf is a page of a list as a read shows it.
func pageOf[T any, P store.Resource[T]](
	tx *store.Tx, c *Cloud, b store.Bucket[T, P], q store.Query, keep func(*T) bool, r reading,
) (items []T, last, revision uint64, err error) {
	keep = showing[T, P](r, keep)
	if r.moment.IsZero() {
		items, last, err = b.Page(tx, q, keep)
		return items, last, tx.Revision(), err
	}
	past := c.history.past(b.Kind(), r.moment, tx.Commit())
	items, last, err = b.PagePast(tx, q, past, keep)
	return items, last, past.RevisionAt(tx), err
}

// showing is keep without what the read hides.
func showing[T any, P store.Resource[T]](r reading, keep func(*T) bool) func(*T) bool {
	if r.since.IsZero() {
		return keep
	}
	return func(v *T) bool { return !r.hides(P(v).GetMeta()) && (keep == nil || keep(v)) }
}

// numbered is pageOf by the number of the page, with how many items all pages have.
func numbered[T any, P store.Resource[T]](
	tx *store.Tx, c *Cloud, b store.Bucket[T, P], q store.Query, page int, keep func(*T) bool, r reading,
) (items []T, total int, revision uint64, err error) {
	keep = showing[T, P](r, keep)
	skip := (page - 1) * q.Limit
	if r.moment.IsZero() {
		items, total, err = b.Numbered(tx, q, skip, keep)
		return items, total, tx.Revision(), err
	}
	size := q.Limit
	q.Limit = math.MaxInt
	past := c.history.past(b.Kind(), r.moment, tx.Commit())
	items, _, err = b.PagePast(tx, q, past, keep)
	total = len(items)
	from := min(skip, total)
	return items[from:min(from+size, total)], total, past.RevisionAt(tx), err
}
