package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// lookups asks the cloud for instances. Questions that come close together
// share answers, so that a pass over all Nodes costs a few lists and not a call
// for each: an answer serves until it is as old as age, and after as many
// single questions as a list has pages the next one lists. With an age of 0
// each question is a call of its own.
//
// A shared answer says what an instance is. That there is none is always the
// cloud's answer to this very question.
type lookups struct {
	api   InstanceAPI
	age   time.Duration
	now   func() time.Time
	pause func(ctx context.Context, d time.Duration) error
	nodes *Cache

	mu      sync.Mutex
	latest  *instanceList // complete
	reading *instanceList
	begun   time.Time // when the last list began
	resume  time.Time // until then no list is read for the sake of ids
	failure error     // of the last list
	pages   int       // of a list, as far as is known
	window  time.Time // when the first of single was asked for
	single  map[simcloud.ID]simcloud.Instance
	asked   int // single questions since window
}

func newLookups(api InstanceAPI, age time.Duration, c Clock, nodes *Cache) *lookups {
	return &lookups{api: api, age: age, now: c.Now, pause: c.Pause, nodes: nodes, pages: 1, single: map[simcloud.ID]simcloud.Instance{}}
}

// byID returns an instance as it is, or was no longer than age ago. NotFound is never from memory.
func (s *lookups) byID(ctx context.Context, id simcloud.ID) (simcloud.Instance, error) {
	inst, how, refusal := s.recall(id)
	switch how {
	case cacheHit, cacheBackoff:
		return inst, refusal
	case cacheStale:
		if list, err := s.list(ctx); err == nil {
			if inst, ok := list.byID[id]; ok {
				return inst, nil
			}
		} else if ctx.Err() != nil || errors.Is(err, simcloud.RateLimited) {
			return inst, call.NotAboutOne(err)
		}
	case cacheMiss:
	}
	return s.ask(ctx, id)
}

// cacheState is what the shared answers have for an id, and so how a question about it is best answered.
type cacheState int

const (
	cacheMiss    cacheState = iota // ask for the one instance
	cacheHit                       // answered from memory
	cacheStale                     // read a list of all: single questions have cost as much
	cacheBackoff                   // the cloud refused a list a moment ago, for its rate
)

// recall also returns the error of what was refused lately.
func (s *lookups) recall(id simcloud.ID) (simcloud.Instance, cacheState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.young(s.latest) {
		if inst, ok := s.latest.byID[id]; ok {
			return inst, cacheHit, nil
		}
		return simcloud.Instance{}, cacheMiss, nil
	}
	if !s.within(s.window, s.age) {
		s.window, s.asked = s.now(), 0
		clear(s.single)
	}
	if inst, ok := s.single[id]; ok {
		return inst, cacheHit, nil
	}
	lately := s.now().Before(s.resume)
	switch {
	case lately && errors.Is(s.failure, simcloud.RateLimited):
		return simcloud.Instance{}, cacheBackoff, call.NotAboutOne(s.failure)
	case s.age > 0 && !lately && s.asked >= s.pages:
		return simcloud.Instance{}, cacheStale, nil
	}
	s.asked++
	return simcloud.Instance{}, cacheMiss, nil
}

// ask asks for one instance, and remembers it unless the answer took so long
// that it would serve beyond its age.
func (s *lookups) ask(ctx context.Context, id simcloud.ID) (simcloud.Instance, error) {
	asked := s.now()
	inst, err := s.api.GetInstance(ctx, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.age > 0 && !asked.Before(s.window) {
		s.single[id] = inst
	}
	return inst, err
}

// byName returns the instance that a node without a provider id is. The list
// in which it is looked for began when the Node was there already, so that an
// id, which a Node keeps for ever, is not that of a predecessor.
func (s *lookups) byName(ctx context.Context, node *v1.Node) (simcloud.Instance, error) {
	if list := s.listWith(node); list != nil {
		inst, err := matchName(node.Name, list.all)
		if !call.IsGone(err) || s.fresh(list) {
			return inst, err
		}
	}
	list, err := s.listAfter(ctx, node)
	if err != nil {
		return simcloud.Instance{}, fmt.Errorf("list the instances to find node %s: %w", node.Name, call.NotAboutOne(err))
	}
	return matchName(node.Name, list.all)
}

// listWith returns the latest list if it can have the machine of the node.
func (s *lookups) listWith(node *v1.Node) *instanceList {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.young(s.latest) && s.latest.nodes[node.UID] {
		return s.latest
	}
	return nil
}

// fresh reports whether a list is so new that another would be too soon.
func (s *lookups) fresh(list *instanceList) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.within(list.began, s.age/config.RestFraction)
}

// young reports whether a list still serves.
func (s *lookups) young(list *instanceList) bool { return list != nil && s.within(list.began, s.age) }

// within reports whether less than d has passed since then.
func (s *lookups) within(then time.Time, d time.Duration) bool {
	return !then.IsZero() && s.now().Sub(then) < d
}

// gone returns nil when the cloud's word that it has no instance of a node may
// delete the Node, and else what speaks against it. The controllers ask nothing
// further: they delete at once, and by name.
func (i *Instances) gone(ctx context.Context, node *v1.Node) error {
	switch {
	case i.tooYoung(node):
		return fmt.Errorf("the instance of node %s was not found: the Node is kept for %s after its creation, because the instance may still appear", node.Name, i.grace)
	case !i.lookups.nodes.shows(node):
		return fmt.Errorf("node %q with the provider id %q has no instance and no longer exists: a Node of its name is another", node.Name, node.Spec.ProviderID)
	default:
		return i.owner.Confirm(ctx)
	}
}

// tooYoung reports whether the node was never initialised and is so new that
// the cloud may not show its instance yet. The controllers have no such grace.
func (i *Instances) tooYoung(node *v1.Node) bool {
	uninitialized := node.Spec.ProviderID == "" || slices.ContainsFunc(node.Spec.Taints, func(t v1.Taint) bool {
		return t.Key == cloudproviderapi.TaintExternalCloudProvider
	})
	return uninitialized && i.now().Sub(node.CreationTimestamp.Time) < i.grace
}

// instanceList is a list of all instances that one caller reads, and others may
// wait for. What follows done is not to be read before it has closed.
type instanceList struct {
	began time.Time
	// nodes are the Nodes without a provider id that were there when it began.
	// Their machines were there, too: a kubelet registers after its machine has come.
	nodes map[types.UID]bool

	done      chan struct{}
	err       error
	abandoned bool // its reader was told to stop; the cloud has said nothing
	all       []simcloud.Instance
	byID      map[simcloud.ID]simcloud.Instance
	pages     int
}

// read reads all pages. An instance that the cloud shows twice is one.
func (l *instanceList) read(ctx context.Context, api InstanceAPI) {
	counted := func(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error) {
		l.pages++
		return api.ListInstances(ctx, opts)
	}
	all, err := simcloud.ListAll(ctx, counted, simcloud.ListOptions{PageSize: simcloud.MaxPageSize})
	l.err, l.abandoned = err, err != nil && ctx.Err() != nil
	l.byID = make(map[simcloud.ID]simcloud.Instance, len(all))
	for _, inst := range all {
		if _, twice := l.byID[inst.ID]; !twice {
			l.all = append(l.all, inst)
		}
		l.byID[inst.ID] = inst
	}
}

// wait returns when the list has been read, or ctx is done.
func (l *instanceList) wait(ctx context.Context) error {
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
