package fault

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// held is how long a rule keeps a resource busy.
type held struct {
	fault simcloud.ID
	until time.Time
}

// lockKey names a resource, and the project whose callers are refused: others
// must neither learn that it is there nor touch the lock by naming it.
type lockKey struct {
	project simcloud.ID
	ref     string
}

// lock lets a rule keep a resource busy, as long as the rule is there.
func (s *Set) lock(c *Call, ref string, fault simcloud.ID, period simcloud.Duration) {
	now := s.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.find(fault); err != nil {
		return
	}
	if len(s.locks) >= s.sweepAt {
		maps.DeleteFunc(s.locks, func(_ lockKey, h held) bool { return !h.until.After(now) })
		s.sweepAt = max(minSweep, 2*len(s.locks))
	}
	s.locks[lockKey{c.Caller.Project, ref}] = held{fault: fault, until: now.Add(time.Duration(period))}
}

// minSweep is how many locks there are before those that are over go.
const minSweep = 1024

// unlock ends what a rule holds. mu is held.
func (s *Set) unlock(fault simcloud.ID) {
	for id, h := range s.locks {
		if h.fault == fault {
			delete(s.locks, id)
		}
	}
}

// Unlock ends all locks, and no rule: for a cloud in which the ids name other resources from now on.
func (s *Set) Unlock() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.locks)
}

// busy returns the fault that refuses the call because its resource is locked; nil when none does.
func (s *Set) busy(c *Call) *Hit {
	ref := c.lockable("")
	if ref == "" || !c.Endpoint.Write() {
		return nil
	}
	s.mu.Lock()
	h, ok := s.locks[lockKey{c.Caller.Project, ref}]
	s.mu.Unlock()
	if !ok {
		return nil
	}
	left := h.until.Sub(s.Now())
	if left <= 0 {
		return nil
	}
	return &Hit{Fault: h.fault, Effect: "lock", call: c, set: s, effect: &refusal{left: left}}
}

// refusal is the answer about a locked resource.
type refusal struct {
	Lock
	left time.Duration
}

func (r *refusal) before(_ context.Context, h *Hit) error { return locked(h.call, h.Fault, r.left) }

// locked is the error for a resource that a rule keeps busy.
func locked(c *Call, fault simcloud.ID, left time.Duration) error {
	return &simcloud.Error{
		Code: simcloud.Locked, Resource: c.lockable(""), RetryAfter: left,
		Message: "another operation is running (" + string(fault) + ")",
	}
}

// caught tells that a rule keeps a call waiting.
type caught struct {
	once sync.Once
	ch   chan struct{} // closed by the first such call
}

func newCaught() *caught { return &caught{ch: make(chan struct{})} }

func (c *caught) note() { c.once.Do(func() { close(c.ch) }) }

// AwaitCaught returns nil once the rule keeps a call waiting, or has: hang
// before the operation, delay when the operation has happened. So whoever asks
// knows what the cloud has done while the caller knows nothing yet.
func (s *Set) AwaitCaught(ctx context.Context, id simcloud.ID) error {
	s.mu.Lock()
	i, err := s.find(id)
	if err != nil {
		s.mu.Unlock()
		return err
	}
	caught := s.all()[i].caught
	s.mu.Unlock()
	select {
	case <-caught.ch:
	case <-ctx.Done():
		select {
		case <-caught.ch: // both: a call that waits must not be left alone
		default:
			return context.Cause(ctx)
		}
	}
	return nil
}
