package scenarios

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
)

// TestPoolStopsInTime: a cluster whose reset was cut short is stopped all the same.
func TestPoolStopsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cluster := newFakeCluster(t)
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
		cluster.resetErr = context.Canceled
		if _, err := p.Open(ctx, 0); err != nil || strings.Join(cluster.did, " ") != "reset stop" {
			t.Errorf("%v, and the cluster did %v", err, cluster.did)
		}
	})
}
