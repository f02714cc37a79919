package mirror_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/mirror"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// follow runs a mirror until the test ends.
func follow(t *testing.T, cloud mirror.Cloud) *mirror.Mirror {
	t.Helper()
	m, err := mirror.Open(t.Context(), cloud, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { m.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return m
}

// await waits for a view that is so.
func await(t *testing.T, m *mirror.Mirror, what string, is func(mirror.View) bool) {
	t.Helper()
	ctx, cancel := waittest.Context(t)
	defer cancel()
	for !is(m.View()) {
		select {
		case <-m.Changed():
		case <-ctx.Done():
			t.Fatalf("%s does not come: %+v", what, m.View())
		}
	}
}

// want waits for a view that has these instances, by their names.
func want(t *testing.T, m *mirror.Mirror, names ...string) {
	t.Helper()
	await(t, m, fmt.Sprintf("a view with the instances %q", names), func(v mirror.View) bool {
		var got []string
		for instance := range maps.Values(v.Instances) {
			got = append(got, instance.Name+" "+string(instance.State))
		}
		slices.Sort(got)
		return slices.Equal(names, got)
	})
}

// TestMirror: what was there, came, changed and went.
func TestMirror(t *testing.T) {
	t.Parallel()
	cloud := simtest.New(t)
	create := func(name string) simcloud.ID {
		made, err := cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return made.Resource.ID
	}
	a := create("a")
	m := follow(t, cloud)
	want(t, m, "a running")
	create("b")
	if _, err := cloud.StopInstance(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	want(t, m, "a stopped", "b running")
	if _, err := cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "lb"}); err != nil {
		t.Fatal(err)
	}
	if err := cloud.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	await(t, m, "an empty view with the route table of a new network", func(v mirror.View) bool {
		return len(v.Instances) == 0 && len(v.LoadBalancers) == 0 && len(v.RouteTables) == 1
	})
}

// tired breaks its streams: one that goes on does so after two messages, one
// that was given up says that it no longer has the events.
type tired struct {
	mirror.Cloud
	mu    sync.Mutex
	opens int
	reads int
}

func (c *tired) GetState(ctx context.Context) (simcloud.State, error) {
	c.mu.Lock()
	c.reads++
	c.mu.Unlock()
	return c.Cloud.GetState(ctx)
}

func (c *tired) WatchEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error] {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opens++
	lost := c.opens%2 == 0
	return func(yield func(simcloud.Event, error) bool) {
		if lost {
			yield(simcloud.Event{}, simcloud.Errorf(simcloud.Conflict, "", "no longer"))
			return
		}
		n := 0
		for event, err := range c.Cloud.WatchEvents(ctx, after) {
			if !yield(event, err) {
				return
			}
			if n++; n == 2 {
				yield(simcloud.Event{}, errors.New("cut"))
				return
			}
		}
	}
}

// TestMirrorOfATiredCloud: nothing is missed when streams break, nor when events are lost.
func TestMirrorOfATiredCloud(t *testing.T) {
	t.Parallel()
	cloud := simtest.New(t)
	worn := &tired{Cloud: cloud}
	m := follow(t, worn)
	var names []string
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		if _, err := cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: name}); err != nil {
			t.Fatal(err)
		}
		names = append(names, name+" running")
		want(t, m, names...)
	}
	worn.mu.Lock()
	defer worn.mu.Unlock()
	if worn.opens < 3 || worn.reads < 2 {
		t.Errorf("%d streams and %d reads: the test has not seen what it is about", worn.opens, worn.reads)
	}
}
