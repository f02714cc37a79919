package node

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/config"
)

// list returns a list that may have begun before the question.
func (s *lookups) list(ctx context.Context) (*instanceList, error) {
	return s.join(ctx, func(*instanceList) bool { return true }, 0)
}

// listAfter returns a list that began after the question, or at least when the
// node was there already.
func (s *lookups) listAfter(ctx context.Context, node *v1.Node) (*instanceList, error) {
	return s.join(ctx, func(l *instanceList) bool { return l.nodes[node.UID] }, s.age/config.RestFraction)
}

// join waits for the list that is being read if it serves, and else reads one,
// not sooner than rest after the one before. At any time one caller reads.
func (s *lookups) join(ctx context.Context, serves func(*instanceList) bool, rest time.Duration) (*instanceList, error) {
	for {
		list, mine, wait := s.next(rest)
		switch {
		case wait > 0:
			if err := s.pause(ctx, wait); err != nil {
				return nil, err
			}
		case mine:
			s.read(ctx, list)
			return list, list.err
		default:
			if err := list.wait(ctx); err != nil {
				return nil, err
			}
			if serves(list) && !list.abandoned {
				return list, list.err
			}
		}
	}
}

// next returns the list that is being read, or a new one that is the caller's
// to read, or how long it is too soon for one. Without rest, one that was read
// since the caller last looked serves, too.
func (s *lookups) next(rest time.Duration) (list *instanceList, mine bool, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reading != nil {
		return s.reading, false, 0
	}
	if rest == 0 && s.young(s.latest) {
		return s.latest, false, 0
	}
	if s.within(s.begun, rest) {
		return nil, false, rest - s.now().Sub(s.begun)
	}
	s.begun = s.now()
	s.reading = &instanceList{began: s.begun, nodes: s.nodes.nameless(), done: make(chan struct{})}
	return s.reading, true, 0
}

// read reads the list and shares it. One that failed, or that took longer than
// it serves, is not tried again for as long: single questions go on meanwhile.
func (s *lookups) read(ctx context.Context, list *instanceList) {
	list.read(ctx, s.api)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reading = nil
	defer close(list.done)
	if list.abandoned {
		return
	}
	s.failure = list.err
	if list.err == nil {
		s.pages = list.pages
	}
	if list.err == nil && s.young(list) {
		s.latest = list
		return
	}
	took := s.now().Sub(list.began)
	s.resume = s.now().Add(max(s.age, took))
}
