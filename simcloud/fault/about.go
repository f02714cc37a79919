package fault

import (
	"context"
	"sync"
)

// about is what a call is about: the resource that it names, and others that it names.
type about struct {
	candidate
	others func() []candidate
}

// candidate is a call as one about one resource, and what rules ask of that, which is found at most once.
type candidate struct {
	call    *Call
	subject func() (Subject, bool)
}

// newAbout looks nothing up: that is for when a rule asks.
func (s *Set) newAbout(ctx context.Context, c *Call) about {
	one := func(c *Call) candidate {
		return candidate{c, sync.OnceValues(func() (Subject, bool) { return s.subject(ctx, c) })}
	}
	return about{one(c), sync.OnceValue(func() (others []candidate) {
		if c.Named == nil {
			return nil
		}
		for _, id := range c.Named() {
			other := *c
			other.Resource = id
			others = append(others, one(&other))
		}
		return others
	})}
}

// matched returns the call as one about the first resource by which a rule matches it; nil when it does not match.
func (a about) matched(m *matcher) *Call {
	if m.matches(a.call, a.subject) {
		return a.call
	}
	if !m.fitsCaller(a.call) {
		return nil
	}
	for _, other := range a.others() {
		if m.matchesResource(other.call, other.subject) {
			return other.call
		}
	}
	return nil
}

// busyWith returns the refusal of a call that names a locked resource; nil when it names none.
func (s *Set) busyWith(a about) *Hit {
	if hit := s.busy(a.call); hit != nil || !s.locksAny() {
		return hit
	}
	for _, other := range a.others() {
		if hit := s.busy(other.call); hit != nil {
			return hit
		}
	}
	return nil
}

func (s *Set) locksAny() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.locks) > 0
}
