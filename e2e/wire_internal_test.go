package e2e

import (
	"context"
	"errors"
	"log/slog"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wire"
)

// TestCloudOnWire: the cloud of a cluster without sockets restarts in a bubble, at its address, and the harness goes on with it.
func TestCloudOnWire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := wire.New()
		c := &Cluster{Dir: t.TempDir(), can: Capabilities{Wire: network}, timings: Timings{}.withDefaults(), log: slog.New(slog.DiscardHandler)}
		t.Cleanup(func() {
			if err := c.Stop(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
		})
		if err := c.openCloud(t.Context(), Config{Cloud: sim.Config{Ephemeral: true}}); err != nil {
			t.Fatal(err)
		}
		made, err := c.Cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node-1"})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			began := time.Now()
			if err := c.RestartCloud(t.Context()); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > time.Second {
				t.Errorf("the restart took %s of the bubble's time", took)
			}
			if _, err := c.Cloud.GetInstance(t.Context(), made.Resource.ID); err != nil || c.cloud().URL() != c.CloudURL {
				t.Errorf("after a restart: %v, at %s, was at %s", err, c.cloud().URL(), c.CloudURL)
			}
		}
		network.Host("ccm").Cut()
		if _, err := c.Cloud.GetInstance(t.Context(), made.Resource.ID); err != nil {
			t.Errorf("while the CCM is cut off: %v", err)
		}
		if _, err := c.ccmDeps().Wire.Host("ccm").DialContext(t.Context(), "tcp", "127.0.0.1:20000"); !errors.Is(err, syscall.ENETUNREACH) {
			t.Errorf("the CCM connects though it is cut off: %v", err)
		}
	})
}
