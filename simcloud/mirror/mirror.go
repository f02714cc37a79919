// Package mirror keeps a copy of what a cloud has, by its events, for those
// who make it real: the data plane, and the routes of a cluster's nodes.
package mirror

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/wait"
)

// Cloud is what a mirror reads: a client, or a cloud in the same process.
type Cloud interface {
	GetState(ctx context.Context) (simcloud.State, error)
	WatchEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error]
}

// View is what a cloud has at one moment. The maps are the caller's, what is in them is not.
type View struct {
	Instances      map[simcloud.ID]simcloud.Instance
	LoadBalancers  map[simcloud.ID]simcloud.LoadBalancer
	RouteTables    map[simcloud.ID]simcloud.RouteTable
	SecurityGroups map[simcloud.ID]simcloud.SecurityGroup
	TargetGroups   map[simcloud.ID]simcloud.TargetGroup
	Networks       map[simcloud.ID]simcloud.Network
	Subnets        map[simcloud.ID]simcloud.Subnet
}

// Mirror is a copy that follows its cloud while Run runs.
type Mirror struct {
	cloud   Cloud
	log     *slog.Logger
	changed chan struct{}

	mu   sync.Mutex // guards what follows
	view View
	seen uint64 // the revision of view
}

// Open reads what the cloud has now. What breaks later is logged; nil discards it.
func Open(ctx context.Context, cloud Cloud, log *slog.Logger) (*Mirror, error) {
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	m := &Mirror{cloud: cloud, log: log, changed: make(chan struct{}, 1)}
	return m, m.read(ctx)
}

// Changed gets a value when the view has changed since it last gave one.
func (m *Mirror) Changed() <-chan struct{} { return m.changed }

// View returns the copy as it is now.
func (m *Mirror) View() View {
	m.mu.Lock()
	defer m.mu.Unlock()
	return View{
		Instances: maps.Clone(m.view.Instances), LoadBalancers: maps.Clone(m.view.LoadBalancers),
		RouteTables: maps.Clone(m.view.RouteTables), SecurityGroups: maps.Clone(m.view.SecurityGroups),
		TargetGroups: maps.Clone(m.view.TargetGroups),
		Networks:     maps.Clone(m.view.Networks), Subnets: maps.Clone(m.view.Subnets),
	}
}

// Run follows the cloud until ctx is done. What breaks is tried again; what the
// cloud no longer has as events is read again.
func (m *Mirror) Run(ctx context.Context) {
	for ctx.Err() == nil {
		err := m.watch(ctx)
		if errors.Is(err, simcloud.Conflict) {
			err = m.read(ctx)
		}
		if err != nil && ctx.Err() == nil {
			m.log.Warn("cannot follow the cloud; trying again", "error", err)
		}
		_ = wait.Pause(ctx, retryDelay) // the loop sees the end of ctx
	}
}

// read takes in everything.
func (m *Mirror) read(ctx context.Context) error {
	state, err := m.cloud.GetState(ctx)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.view, m.seen = viewOf(state), state.Revision
	m.noteLocked()
	return nil
}

// watch takes in the changes after what was seen, until the stream ends.
func (m *Mirror) watch(ctx context.Context) error {
	m.mu.Lock()
	after := m.seen
	m.mu.Unlock()
	for ev, err := range m.cloud.WatchEvents(ctx, after) {
		if err == nil {
			err = m.take(ev)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *Mirror) take(ev simcloud.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, err := m.view.take(ev)
	if err != nil {
		return err
	}
	m.seen = ev.Revision
	if known {
		m.noteLocked()
	}
	return nil
}

func (m *Mirror) noteLocked() {
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

// retryDelay is how long to wait before asking a cloud again that did not answer.
const retryDelay = 200 * time.Millisecond

func viewOf(state simcloud.State) View {
	return View{
		Instances:      byID(state.Instances),
		LoadBalancers:  byID(state.LoadBalancers),
		RouteTables:    byID(state.RouteTables),
		SecurityGroups: byID(state.SecurityGroups),
		TargetGroups:   byID(state.TargetGroups),
		Networks:       byID(state.Networks),
		Subnets:        byID(state.Subnets),
	}
}

// resource is a pointer to a type that has a Meta.
type resource[T any] interface {
	*T
	GetMeta() *simcloud.Meta
}

func byID[T any, P resource[T]](items []T) map[simcloud.ID]T {
	all := make(map[simcloud.ID]T, len(items))
	for i := range items {
		all[P(&items[i]).GetMeta().ID] = items[i]
	}
	return all
}

// take takes in a change; false when it is of a kind that a view does not have.
func (v View) take(ev simcloud.Event) (known bool, err error) {
	switch ev.Kind {
	case simcloud.KindInstance:
		return true, takeInto(v.Instances, ev)
	case simcloud.KindLoadBalancer:
		return true, takeInto(v.LoadBalancers, ev)
	case simcloud.KindRouteTable:
		return true, takeInto(v.RouteTables, ev)
	case simcloud.KindSecurityGroup:
		return true, takeInto(v.SecurityGroups, ev)
	case simcloud.KindTargetGroup:
		return true, takeInto(v.TargetGroups, ev)
	case simcloud.KindNetwork:
		return true, takeInto(v.Networks, ev)
	case simcloud.KindSubnet:
		return true, takeInto(v.Subnets, ev)
	default:
		return false, nil
	}
}

func takeInto[T any](all map[simcloud.ID]T, ev simcloud.Event) error {
	if ev.Type == simcloud.Deleted {
		delete(all, ev.ID)
		return nil
	}
	var v T
	if err := json.Unmarshal(ev.Object, &v); err != nil {
		return fmt.Errorf("read the %s of event %d: %w", ev.Kind, ev.Revision, err)
	}
	all[ev.ID] = v
	return nil
}
