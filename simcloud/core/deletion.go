package core

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// deletions finds the events of deletions among all events that are kept. It reads each event once, when it is first
// asked for one that is newer, and keeps where the deletions are.
type deletions struct {
	mu    sync.Mutex
	kinds map[simcloud.Kind]*deletionIndex
}

// deletionIndex has the deletions of a kind up to a revision, oldest first.
type deletionIndex struct {
	upTo uint64
	all  []store.Deletion
}

// known returns the deletions of a kind that a transaction sees. Those of one that is not yet committed are not kept.
func (d *deletions) known(tx *store.Tx, kind simcloud.Kind, committed bool) ([]store.Deletion, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	index := d.kinds[kind]
	if index == nil {
		index = &deletionIndex{}
	}
	revision := tx.Revision()
	if revision <= index.upTo {
		after, _ := slices.BinarySearchFunc(index.all, revision+1, byRevision)
		return index.all[:after], nil
	}
	newer, err := tx.Deletions(kind, index.upTo)
	if err != nil {
		return nil, err
	}
	if !committed {
		return slices.Concat(index.all, newer), nil
	}
	gone, _ := slices.BinarySearchFunc(index.all, tx.OldestEvent(), byRevision)
	index.upTo, index.all = revision, append(index.all[gone:], newer...)
	if d.kinds == nil {
		d.kinds = map[simcloud.Kind]*deletionIndex{}
	}
	d.kinds[kind] = index
	return slices.Clip(index.all), nil
}

func byRevision(d store.Deletion, revision uint64) int {
	switch {
	case d.Revision < revision:
		return -1
	case d.Revision > revision:
		return 1
	default:
		return 0
	}
}

// Deletions returns the events of deletions, as far as events are kept.
func (c *Cloud) Deletions(ctx context.Context, kind simcloud.Kind, within simcloud.Duration, ids ...simcloud.ID) (events []simcloud.Event, err error) {
	if _, ok := encodedKinds[kind]; !ok {
		return nil, simcloud.Errorf(simcloud.Unimplemented, "", "the deletions of the kind %q cannot be listed", kind)
	}
	stale := staleLists
	if len(ids) > 0 {
		stale = staleGets
	}
	r, now := c.lookingAt(ctx, stale), c.clock.now()
	if !r.moment.IsZero() {
		now = r.moment
	}
	err = c.view(ctx, func(tx *store.Tx, caller simcloud.Caller) error {
		w, err := c.wholeOf(ctx)
		if err != nil {
			return err
		}
		known, err := c.deleted.known(tx, kind, w == nil || w.txn == nil)
		if err != nil {
			return err
		}
		events, err = eventsOf(tx, deletedSince(known, now.Add(-time.Duration(within))), func(d store.Deletion) bool {
			return d.Project == caller.Project && !d.Time.After(now) && (len(ids) == 0 || slices.Contains(ids, d.ID))
		}, r)
		return err
	})
	return events, err
}

// deletedSince returns the deletions after a time, of those that are in the order of their times.
func deletedSince(known []store.Deletion, since time.Time) []store.Deletion {
	n := len(known)
	for n > 0 && known[n-1].Time.After(since) {
		n--
	}
	return known[n:]
}

// eventsOf reads the events of the deletions that are wanted. It leaves out those that were redacted, and what no longer
// has to do with this cloud.
func eventsOf(tx *store.Tx, found []store.Deletion, wanted func(store.Deletion) bool, r reading) ([]simcloud.Event, error) {
	renewal := store.Renewal.Last(tx)
	var events []simcloud.Event
	for _, d := range found {
		if d.Revision <= renewal || !wanted(d) {
			continue
		}
		e, kept, err := tx.Event(d.Revision)
		if err != nil {
			return nil, err
		}
		if !kept || store.Redacted(&e) {
			continue
		}
		hidden, err := r.hidesObject(e.Object)
		if err != nil {
			return nil, err
		}
		if !hidden {
			events = append(events, e)
		}
	}
	return events, nil
}

// hidesObject is hides of a resource in JSON.
func (r reading) hidesObject(object json.RawMessage) (bool, error) {
	if r.since.IsZero() {
		return false, nil
	}
	var meta simcloud.Meta
	err := json.Unmarshal(object, &meta)
	return r.hides(&meta), err
}

// forgetDeletions ends the time of what was deleted until now: other resources are in the place of all.
func (t *txn) forgetDeletions() error { return store.Renewal.Set(t.tx, t.tx.Revision()) }
