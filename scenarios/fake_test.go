package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// fakeCloud is a cloud of which tests say what happens in it, and when its streams break.
type fakeCloud struct {
	mu       sync.Mutex
	revision uint64
	objects  map[simcloud.Kind]map[simcloud.ID]json.RawMessage
	order    map[simcloud.Kind][]simcloud.ID
	events   []simcloud.Event
	oldest   uint64 // events up to it are forgotten
	calls    []simcloud.JournalEntry
	cause    simcloud.ID   // the operation that makes the changes to come
	pending  int           // calls that are to be written down
	changed  chan struct{} // closed at each change
	broken   bool          // streams end with an error
	silent   bool          // streams yield nothing
	answer   func(operation string, args map[string]any) (any, error)
}

var errStreamLost = errors.New("the connection is lost")

func newFakeCloud() *fakeCloud {
	return &fakeCloud{
		objects: map[simcloud.Kind]map[simcloud.ID]json.RawMessage{}, order: map[simcloud.Kind][]simcloud.ID{},
		changed: make(chan struct{}),
		answer:  func(string, map[string]any) (any, error) { return map[string]any{}, nil },
	}
}

// do changes the fake and wakes its streams.
func (f *fakeCloud) do(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	close(f.changed)
	f.changed = make(chan struct{})
}

// put makes or changes a resource; remove deletes it.
func (f *fakeCloud) put(kind simcloud.Kind, id simcloud.ID, object map[string]any) {
	f.do(func() {
		f.revision++
		object["id"], object["version"] = id, f.revision
		raw, _ := json.Marshal(object)
		if f.objects[kind] == nil {
			f.objects[kind] = map[simcloud.ID]json.RawMessage{}
		}
		event := simcloud.Updated
		if f.objects[kind][id] == nil {
			f.order[kind], event = append(f.order[kind], id), simcloud.Created
		}
		f.objects[kind][id] = raw
		f.events = append(f.events, simcloud.Event{Revision: f.revision, Type: event, Kind: kind, ID: id, Object: raw, OperationID: f.cause})
	})
}

func (f *fakeCloud) remove(kind simcloud.Kind, id simcloud.ID) {
	f.do(func() {
		f.revision++
		f.events = append(f.events, simcloud.Event{Revision: f.revision, Type: simcloud.Deleted, Kind: kind, ID: id, Object: f.objects[kind][id], OperationID: f.cause})
		delete(f.objects[kind], id)
		f.order[kind] = slices.DeleteFunc(f.order[kind], func(i simcloud.ID) bool { return i == id })
	})
}

func (f *fakeCloud) call(userAgent, operation, resource string, code simcloud.Code) {
	f.do(func() {
		endpoint, _ := simcloud.EndpointOf(operation)
		f.calls = append(f.calls, simcloud.JournalEntry{
			Seq: uint64(len(f.calls) + 1), Operation: operation, OperationID: f.cause, Write: endpoint.Write(), Resource: resource, Code: code,
			Committed: endpoint.Write() && code == "", Status: 200, Caller: simcloud.Caller{UserAgent: userAgent},
		})
	})
}

func (f *fakeCloud) Call(ctx context.Context, operation string, args map[string]any) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	value, err := f.answer(operation, args)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

func (f *fakeCloud) GetState(context.Context) (simcloud.State, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	state := simcloud.State{Revision: f.revision}
	return state, errors.Join(
		all(f, simcloud.KindInstance, &state.Instances), all(f, simcloud.KindLoadBalancer, &state.LoadBalancers),
		all(f, simcloud.KindOperation, &state.Operations), all(f, simcloud.KindFloatingIP, &state.FloatingIPs), all(f, simcloud.KindRouteTable, &state.RouteTables),
	)
}

func all[T any](f *fakeCloud, kind simcloud.Kind, into *[]T) error {
	for _, id := range f.order[kind] {
		var v T
		if err := json.Unmarshal(f.objects[kind][id], &v); err != nil {
			return err
		}
		*into = append(*into, v)
	}
	return nil
}

func (f *fakeCloud) ListZones(context.Context, simcloud.ListOptions) (simcloud.Page[simcloud.Zone], error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return simcloud.Page[simcloud.Zone]{Revision: f.revision}, nil
}

func (f *fakeCloud) WatchAllEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error] {
	return stream(ctx, f, func() ([]simcloud.Event, error) {
		if after < f.oldest {
			return nil, fmt.Errorf("revision %d: %w", after, simcloud.Conflict)
		}
		next := slices.DeleteFunc(slices.Clone(f.events), func(e simcloud.Event) bool { return e.Revision <= after })
		if len(next) > 0 {
			after = next[len(next)-1].Revision
		}
		return next, nil
	})
}

func (f *fakeCloud) ListJournal(ctx context.Context, filter simcloud.JournalFilter) ([]simcloud.JournalEntry, error) {
	for {
		f.mu.Lock()
		calls, pending, changed := slices.Clone(f.calls[filter.After:]), f.pending, f.changed
		f.mu.Unlock()
		if !filter.Settled || pending == 0 {
			return calls, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (f *fakeCloud) WatchJournal(ctx context.Context, filter simcloud.JournalFilter) iter.Seq2[simcloud.JournalEntry, error] {
	return stream(ctx, f, func() ([]simcloud.JournalEntry, error) {
		next := slices.Clone(f.calls[filter.After:])
		filter.After += uint64(len(next))
		return next, nil
	})
}

// stream yields what next returns, which is called with the lock, again and again.
func stream[T any](ctx context.Context, f *fakeCloud, next func() ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			f.mu.Lock()
			var items []T
			var err error
			if !f.silent {
				items, err = next()
			}
			if f.broken {
				err = errStreamLost
			}
			changed := f.changed
			f.mu.Unlock()
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}
}
