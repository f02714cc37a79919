package run

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestPoolStopsInTime: a cluster whose reset was cut short is stopped all the same.
func TestPoolStopsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cluster := steptest.NewCluster(t)
		p := &Pool{Start: func(context.Context, int) (Cluster, error) { return cluster, nil }}
		ctx, cancel := context.WithCancel(t.Context())
		c, err := p.Open(ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
		cluster.ResetErr = context.Canceled
		if _, err := p.Open(ctx, 0); err != nil || strings.Join(cluster.Did, " ") != "reset stop" {
			t.Errorf("%v, and the cluster did %v", err, cluster.Did)
		}
	})
}

// TestPoolYields: a cluster that is idle stays while no one waits for its place, and goes when someone does; one that is
// used does not, and the next Open starts another.
func TestPoolYields(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		started := 0
		var last *steptest.Cluster
		var wanted atomic.Bool
		p := &Pool{Wanted: wanted.Load, Start: func(context.Context, int) (Cluster, error) {
			started++
			last = steptest.NewCluster(t)
			return last, nil
		}}
		use := func() Cluster {
			t.Helper()
			c, err := p.Open(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		c := use()
		wanted.Store(true)
		time.Sleep(10 * idleTime) // while it is used
		wanted.Store(false)
		if err := c.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * idleTime) // while no one waits
		c = use()
		if err := c.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if did := strings.Join(last.Did, " "); started != 1 || did != "reset" {
			t.Errorf("%d started, and the first one did %q", started, did)
		}
		wanted.Store(true)
		time.Sleep(2 * idleTime)
		synctest.Wait()
		if did := strings.Join(last.Did, " "); did != "reset stop" {
			t.Errorf("wanted, it did %q", did)
		}
		c = use()
		if started != 2 {
			t.Errorf("%d were started, want 2", started)
		}
		last.StopErr = errors.New("it hangs")
		if err := c.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * idleTime) // while someone waits
		if err := p.Close(t.Context()); !errors.Is(err, last.StopErr) {
			t.Errorf("a pool with a cluster that did not stop closes with %v", err)
		}
		if err := p.Close(t.Context()); err != nil {
			t.Errorf("the second Close tells of it once more: %v", err)
		}
	})
}
