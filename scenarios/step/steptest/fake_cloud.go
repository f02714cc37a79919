package steptest

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// Cloud is a real cloud in this process, and the way of the scenario engine
// to it: tests may answer calls in its place, and cut or hold up its streams.
type Cloud struct {
	*client.Client // the harness's
	CCM            *client.Client
	Sim            *sim.Cloud
	// Answer answers the calls of steps; it begins as the cloud.
	Answer func(operation string, args map[string]any) (any, error)

	transport http.RoundTripper // to the cloud

	mu      sync.Mutex
	changed chan struct{} // closed when one of these changes
	broken  bool          // streams end with an error
	lagging []stream      // those that yield nothing
	oldest  uint64        // the events up to this revision are forgotten
}

// stream is one of the cloud's streams.
type stream string

// The streams that a store is fed from.
const (
	EventStream stream = "events"
	CallStream  stream = "calls"
)

var errStreamLost = errors.New("the connection is lost")

// NewCloud opens a cloud that knows a harness and a CCM, both by their User-Agents, and the latter by the token tok-2.
func NewCloud(t testing.TB) *Cloud {
	t.Helper()
	cloud, network, harness := simtest.OpenWire(t, HarnessAgent)
	if id, err := cloud.Core().AddToken(t.Context(), "ccm", simcloud.RoleWriter, ccmSecret); err != nil || id != "tok-2" {
		t.Fatalf("add a token: %s, %v", id, err)
	}
	c := &Cloud{Client: harness, Sim: cloud, transport: network.Transport(), changed: make(chan struct{})}
	c.CCM = simtest.DialWire(t, cloud, network, client.Config{Token: ccmSecret, UserAgent: CCMAgent, Retries: -1})
	c.Answer = func(operation string, args map[string]any) (any, error) {
		return c.Client.Call(t.Context(), operation, args)
	}
	return c
}

// Call lets answer answer.
func (c *Cloud) Call(ctx context.Context, operation string, args map[string]any) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	value, err := c.Answer(operation, args)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// Link breaks the streams, or mends them.
func (c *Cloud) Link(broken bool) { c.change(func() { c.broken = broken }) }

// Lag holds back what these streams yield, and lets all others go on.
func (c *Cloud) Lag(streams ...stream) { c.change(func() { c.lagging = streams }) }

// Forget lets the cloud answer as it does when so much has happened that it has all events up to now no longer.
func (c *Cloud) Forget(t testing.TB) {
	t.Helper()
	now := c.State(t).Revision
	c.change(func() { c.oldest = now })
}

func (c *Cloud) change(apply func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	apply()
	close(c.changed)
	c.changed = make(chan struct{})
}

// WatchAllEvents and WatchJournal are those of the cloud, as far as the link lets them through.
func (c *Cloud) WatchAllEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error] {
	return through(ctx, c, EventStream, func(ctx context.Context) iter.Seq2[simcloud.Event, error] {
		if after < c.way(EventStream).oldest {
			return func(yield func(simcloud.Event, error) bool) {
				yield(simcloud.Event{}, simcloud.Errorf(simcloud.Conflict, "", "the events after revision %d are no longer kept", after))
			}
		}
		return c.Client.WatchAllEvents(ctx, after)
	})
}

// WatchJournal follows the calls, as the link lets it.
func (c *Cloud) WatchJournal(ctx context.Context, filter simcloud.JournalFilter) iter.Seq2[simcloud.JournalEntry, error] {
	return through(ctx, c, CallStream, func(ctx context.Context) iter.Seq2[simcloud.JournalEntry, error] {
		return c.Client.WatchJournal(ctx, filter)
	})
}

// through yields what a stream does until the link breaks.
func through[T any](ctx context.Context, c *Cloud, s stream, open func(context.Context) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if c.way(s).broken { // the cloud is not asked, however often a stream is opened again
			var none T
			yield(none, errStreamLost)
			return
		}
		ctx, cut := context.WithCancelCause(ctx)
		defer cut(nil)
		go c.watchLink(ctx, s, cut)
		for item, err := range open(ctx) {
			c.waitForStream(ctx, s)
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
func (c *Cloud) watchLink(ctx context.Context, s stream, cut context.CancelCauseFunc) {
	for ctx.Err() == nil {
		way := c.way(s)
		if way.broken {
			cut(errStreamLost)
			return
		}
		way.wait(ctx)
	}
}

// waitForStream returns when a stream does not lag any more.
func (c *Cloud) waitForStream(ctx context.Context, s stream) {
	for ctx.Err() == nil {
		way := c.way(s)
		if !way.lagging {
			return
		}
		way.wait(ctx)
	}
}

// linkState is how the way of a stream is.
type linkState struct {
	broken, lagging bool
	oldest          uint64
	changed         <-chan struct{} // closed when it is otherwise
}

func (c *Cloud) way(s stream) linkState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return linkState{c.broken, slices.Contains(c.lagging, s), c.oldest, c.changed}
}

// wait returns when the state is another one.
func (l linkState) wait(ctx context.Context) {
	select {
	case <-l.changed:
	case <-ctx.Done():
	}
}

// RefuseUnsimulated makes a call of the CCM for what the cloud does not have.
func (c *Cloud) RefuseUnsimulated(t testing.TB) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.Sim.URL()+"/v1/flavors", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"Authorization": {"Bearer " + ccmSecret}, "User-Agent": {CCMAgent}}
	answer, err := c.transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusNotImplemented {
		t.Errorf("the cloud answered %s, want %d", answer.Status, http.StatusNotImplemented)
	}
}

// CCMCalls makes a call of the CCM, and returns what a fault did to it.
func (c *Cloud) CCMCalls(t testing.TB, operation string) string {
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
	before := len(c.Calls(t, operation))
	_, _ = c.CCM.Call(ctx, operation, args)
	waittest.For(t, "the call is in the journal", func() bool { return len(c.Calls(t, operation)) > before })
	return c.Calls(t, operation)[before].Effect
}

// Calls are the CCM's calls of an operation so far. To ask for them is no call.
func (c *Cloud) Calls(t testing.TB, operation string) []simcloud.JournalEntry {
	t.Helper()
	entries, err := c.Sim.Journal().ListJournal(context.Background(), simcloud.JournalFilter{})
	if err != nil {
		t.Error(err)
	}
	return slices.DeleteFunc(entries, func(e simcloud.JournalEntry) bool {
		return e.Caller.UserAgent != CCMAgent || e.Operation != operation
	})
}

// State is what the cloud has. To ask for it is no call.
func (c *Cloud) State(t testing.TB) simcloud.State {
	t.Helper()
	state, err := c.Sim.Core().GetState(context.Background())
	if err != nil {
		t.Error(err)
	}
	return state
}

// Tell brings the events into a store that it has not seen. To ask for them is no call.
func (c *Cloud) Tell(t testing.TB, s *observe.Store) {
	t.Helper()
	seen, _ := s.CloudRevision()
	last := c.State(t).Revision
	if seen >= last {
		return
	}
	for event, err := range c.Sim.Core().WatchAllEvents(context.Background(), seen) {
		if err == nil {
			err = s.CloudEvent(event)
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

// Instance makes an instance as the harness.
func (c *Cloud) Instance(t testing.TB, name string) {
	t.Helper()
	c.Must(t)(c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: name}))
}

// Must returns a check of what a call has answered.
func (c *Cloud) Must(t testing.TB) func(any, error) {
	return func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
}

// ccmSecret is the secret of the CCM's token.
const ccmSecret = "the-secret-of-the-ccm"

// HarnessAgent is what the harness calls itself.
const HarnessAgent = "simcloud-test"

// IsHarness reports whether a call is the harness's own.
func IsHarness(e simcloud.JournalEntry) bool { return e.Caller.UserAgent == HarnessAgent }

// CCMAgent is what the CCM of trials calls itself.
const CCMAgent = "any-ccm/1"
