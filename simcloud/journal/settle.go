package journal

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Call is a call that may change the cloud before it is recorded.
type Call struct {
	journal *Journal
	settled chan struct{} // closed when the call is no longer waited for
}

// Begin tells of a call that is about to be given to the cloud. Whoever begins
// one records it, or ends it.
func (j *Journal) Begin() *Call {
	c := &Call{journal: j, settled: make(chan struct{})}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pending[c] = struct{}{}
	return c
}

// Hold tells that the call is recorded late, on purpose: a settled list does not wait for it.
func (c *Call) Hold() { c.End() }

// Record records the call as [Journal.Record] does. From then on it is not waited for.
func (c *Call) Record(entry simcloud.JournalEntry) {
	entry.Time = c.journal.now()
	c.journal.mu.Lock()
	defer c.journal.mu.Unlock()
	c.journal.recordLocked(entry)
	c.endLocked()
}

// End stops the waits for the call. A second End has no effect.
func (c *Call) End() {
	c.journal.mu.Lock()
	defer c.journal.mu.Unlock()
	c.endLocked()
}

func (c *Call) endLocked() {
	if _, waits := c.journal.pending[c]; waits {
		delete(c.journal.pending, c)
		close(c.settled)
	}
}

// settle waits for the calls that are pending now.
func (j *Journal) settle(ctx context.Context) error {
	for _, c := range j.begun() {
		select {
		case <-c.settled:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (j *Journal) begun() []*Call {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := make([]*Call, 0, len(j.pending))
	for c := range j.pending {
		all = append(all, c)
	}
	return all
}
