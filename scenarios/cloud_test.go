package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// testCloud is a real cloud in this process, and the way of the scenario engine
// to it: tests may answer calls in its place, and cut or hold up its streams.
type testCloud struct {
	*client.Client // the harness's
	ccm            *client.Client
	sim            *sim.Cloud
	// answer answers the calls of steps; it begins as the cloud.
	answer func(operation string, args map[string]any) (any, error)

	mu      sync.Mutex
	changed chan struct{} // closed when one of these changes
	broken  bool          // streams end with an error
}

// newTestCloud opens a cloud that knows a harness and a CCM, both by their User-Agents, and the latter by the token tok-2.
func newTestCloud(t testing.TB) *testCloud {
	t.Helper()
	cloud, pipe, harness := simtest.OpenPipe(t, harnessAgent)
	const secret = "the-secret-of-the-ccm"
	if id, err := cloud.Core().AddToken(t.Context(), "ccm", simcloud.RoleWriter, secret); err != nil || id != "tok-2" {
		t.Fatalf("add a token: %s, %v", id, err)
	}
	c := &testCloud{Client: harness, sim: cloud, changed: make(chan struct{})}
	c.ccm = simtest.DialPipe(t, cloud, pipe, client.Config{Token: secret, UserAgent: ccmAgent, Retries: -1})
	c.answer = func(operation string, args map[string]any) (any, error) {
		return c.Client.Call(t.Context(), operation, args)
	}
	return c
}

// Call lets answer answer.
func (c *testCloud) Call(ctx context.Context, operation string, args map[string]any) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	value, err := c.answer(operation, args)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// link breaks the streams, or mends them.
func (c *testCloud) link(broken bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = broken
	close(c.changed)
	c.changed = make(chan struct{})
}

// WatchAllEvents and WatchJournal are those of the cloud, as far as the link lets them through.
func (c *testCloud) WatchAllEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error] {
	return through(ctx, c, func(ctx context.Context) iter.Seq2[simcloud.Event, error] { return c.Client.WatchAllEvents(ctx, after) })
}

func (c *testCloud) WatchJournal(ctx context.Context, filter simcloud.JournalFilter) iter.Seq2[simcloud.JournalEntry, error] {
	return through(ctx, c, func(ctx context.Context) iter.Seq2[simcloud.JournalEntry, error] {
		return c.Client.WatchJournal(ctx, filter)
	})
}

// through yields what a stream does until the link breaks.
func through[T any](ctx context.Context, c *testCloud, open func(context.Context) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		ctx, cut := context.WithCancelCause(ctx)
		defer cut(nil)
		go c.watchLink(ctx, cut)
		for item, err := range open(ctx) {
			if errors.Is(context.Cause(ctx), errStreamLost) {
				err = errStreamLost
			}
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}

// watchLink cuts a stream when the link breaks.
func (c *testCloud) watchLink(ctx context.Context, cut context.CancelCauseFunc) {
	for ctx.Err() == nil {
		if c.way().broken {
			cut(errStreamLost)
			return
		}
		c.waitForLink(ctx)
	}
}

type linkState struct {
	broken  bool
	changed <-chan struct{}
}

func (c *testCloud) way() linkState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return linkState{c.broken, c.changed}
}

func (c *testCloud) waitForLink(ctx context.Context) {
	select {
	case <-c.way().changed:
	case <-ctx.Done():
	}
}

// ccmCalls makes a call of the CCM, and returns what a fault did to it.
func (c *testCloud) ccmCalls(t testing.TB, operation string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // a rule may let it hang
	defer cancel()
	args := map[string]any{}
	endpoint, _ := simcloud.EndpointOf(operation)
	if strings.Contains(endpoint.Path, "{id}") {
		args["id"] = "i-1"
	} else if endpoint.Write() {
		args["name"] = "x"
	}
	before := len(c.calls(t, operation))
	_, _ = c.ccm.Call(ctx, operation, args)
	waittest.For(t, "the call is in the journal", func() bool { return len(c.calls(t, operation)) > before })
	return c.calls(t, operation)[before].Effect
}

// calls are the CCM's calls of an operation so far. To ask for them is no call.
func (c *testCloud) calls(t testing.TB, operation string) []simcloud.JournalEntry {
	t.Helper()
	entries, err := c.sim.Journal().ListJournal(context.Background(), simcloud.JournalFilter{})
	if err != nil {
		t.Error(err)
	}
	return slices.DeleteFunc(entries, func(e simcloud.JournalEntry) bool {
		return e.Caller.UserAgent != ccmAgent || e.Operation != operation
	})
}

// state is what the cloud has. To ask for it is no call.
func (c *testCloud) state(t testing.TB) simcloud.State {
	t.Helper()
	state, err := c.sim.Core().GetState(context.Background())
	if err != nil {
		t.Error(err)
	}
	return state
}

// tell brings the events into a store that it has not seen. To ask for them is no call.
func (c *testCloud) tell(t testing.TB, s *store) {
	t.Helper()
	seen, _ := s.cloudRevision()
	last := c.state(t).Revision
	if seen >= last {
		return
	}
	for event, err := range c.sim.Core().WatchAllEvents(context.Background(), seen) {
		if err == nil {
			err = s.cloudEvent(event)
		}
		if err != nil {
			t.Error(err)
			return
		}
		if event.Revision >= last {
			return
		}
	}
}

// instance makes an instance as the harness.
func (c *testCloud) instance(t testing.TB, name string) {
	t.Helper()
	c.must(t)(c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: name}))
}

// must returns a check of what a call has answered.
func (c *testCloud) must(t testing.TB) func(any, error) {
	return func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
}
