package core

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// polls counts the reads of operations that are complete after a number of
// them. How many it takes is in the store, how many there were is not: after a
// restart the count begins again.
type polls struct {
	any  atomic.Bool // whether an operation waits for reads
	mu   sync.Mutex
	seen map[simcloud.ID]int
}

// polledPrefix is where the due records are that wait for reads: behind all times.
func polledPrefix() string { return store.Ordered(math.MaxUint64) }

func polledKey(op simcloud.ID) string {
	n, _ := numberOf(op)
	return polledPrefix() + store.Ordered(n)
}

func (p *polls) forget(ids ...simcloud.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range ids {
		delete(p.seen, id)
	}
}

// forgetAll restarts the count, after all operations have been replaced.
func (p *polls) forgetAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = nil
}

// count counts a read that shows an operation, and reports whether it takes no more.
func (p *polls) count(id simcloud.ID, takes int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil {
		p.seen = map[simcloud.ID]int{}
	}
	p.seen[id]++
	return p.seen[id] >= takes
}

// polled counts a read that shows resources, and completes what it was the
// last read for. It reports whether the read is to be done again, to show that.
// The reads of a View count when that has ended, those of an Atomic do not.
func polled[T any, P store.Resource[T]](ctx context.Context, c *Cloud, items ...T) (again bool, err error) {
	if !c.polls.any.Load() {
		return false, nil
	}
	var shown []simcloud.ID
	for i := range items {
		if op, ok := any(&items[i]).(*simcloud.Operation); ok && running(*op) {
			shown = append(shown, op.ID)
		} else if id := P(&items[i]).GetMeta().Operation; id != "" {
			shown = append(shown, id)
		}
	}
	if w, err := c.wholeOf(ctx); err != nil {
		return false, err
	} else if w != nil {
		w.shown = append(w.shown, shown...)
		return false, nil
	}
	return c.countRead(unique(shown))
}

func unique(ids []simcloud.ID) []simcloud.ID {
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (c *Cloud) countRead(shown []simcloud.ID) (again bool, err error) {
	if len(shown) == 0 {
		return false, nil
	}
	var complete []simcloud.ID
	err = c.db.View(func(tx *store.Tx) error {
		for _, id := range shown {
			due, ok, err := store.Due.Get(tx, polledKey(id))
			if err != nil {
				return err
			}
			if ok && c.polls.count(id, due.Polls) {
				complete = append(complete, id)
			}
		}
		return nil
	})
	if err != nil || len(complete) == 0 {
		return false, err
	}
	return true, c.completePolled(complete)
}

// exhaust does all the reads that an operation takes, and reports whether it takes any.
func (c *Cloud) exhaust(id simcloud.ID) (takes bool, err error) {
	if !c.polls.any.Load() {
		return false, nil
	}
	if err := c.db.View(func(tx *store.Tx) error {
		_, takes, err = store.Due.Get(tx, polledKey(id))
		return err
	}); err != nil || !takes {
		return false, err
	}
	return true, c.completePolled([]simcloud.ID{id})
}

// completePolled completes operations that have been read often enough, unless
// another reader has done so.
func (c *Cloud) completePolled(ids []simcloud.ID) error {
	return c.db.Update(func(tx *store.Tx) error {
		t := c.newTxn(tx, simcloud.Caller{})
		if _, err := t.completeUntil(t.now); err != nil {
			return err
		}
		for _, id := range ids {
			due, ok, err := store.Due.Get(tx, polledKey(id))
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			if _, err := t.completeOne(polledKey(id), due); err != nil {
				return err
			}
		}
		t.cloud.noteDue(tx, tx.OnCommit)
		tx.OnCommit(func() { c.polls.forget(ids...) })
		return nil
	})
}
