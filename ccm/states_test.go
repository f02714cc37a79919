package ccm

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// TestStates: a Node is kept whatever its machine does, and only one that has
// been stopped is told to be shut down.
func TestStates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state    simcloud.InstanceState
		shutdown bool
		change   func(w *world) error
		after    time.Duration
	}{
		{simcloud.InstanceStopped, true, func(w *world) error { _, err := w.api.StopInstance(w.ctx(), "i-1"); return err }, time.Hour},
		{simcloud.InstanceSuspended, false, func(w *world) error { _, err := w.api.SuspendInstance(w.ctx(), "i-1"); return err }, time.Hour},
		{simcloud.InstanceStopping, false, func(w *world) error { _, err := w.api.StopInstance(w.ctx(), "i-1"); return err }, 0},
		{simcloud.InstanceTerminating, false, func(w *world) error { _, err := w.api.DeleteInstance(w.ctx(), "i-1"); return err }, 0},
		{simcloud.InstanceRebuilding, false, func(w *world) error {
			_, err := w.api.RebuildInstance(w.ctx(), "i-1", simcloud.InstanceRebuild{})
			return err
		}, 0},
		{simcloud.InstanceMigrating, false, func(w *world) error {
			_, err := w.api.MigrateInstance(w.ctx(), "i-1", simcloud.InstanceMigration{Zone: "zone-b"})
			return err
		}, 0},
		{simcloud.InstanceRunning, false, func(w *world) error { // and unreachable
			_, err := w.api.SetZoneState(w.ctx(), "zone-a", simcloud.ZoneStateSpec{State: simcloud.ZoneDown})
			return err
		}, 0},
	} {
		w := newWorldIn(t, simtest.New(t, simtest.Slow(time.Hour), simtest.ManualClock()), 1)
		w.hour()
		if err := c.change(w); err != nil {
			t.Fatalf("%s: %v", c.state, err)
		}
		if _, err := w.api.AdvanceClock(w.ctx(), simcloud.Duration(c.after+1)); err != nil {
			t.Fatal(err)
		}
		if inst := w.state().Instances[0]; inst.State != c.state {
			t.Fatalf("the instance is %s, not %s", inst.State, c.state)
		}
		if exists, err := w.cloud.instances.InstanceExists(w.ctx(), w.nodes[0]); !exists || err != nil {
			t.Errorf("%s: InstanceExists = %v, %v", c.state, exists, err)
		}
		if shutdown, err := w.cloud.instances.InstanceShutdown(w.ctx(), w.nodes[0]); shutdown != c.shutdown || err != nil {
			t.Errorf("%s: InstanceShutdown = %v, %v; want %v", c.state, shutdown, err, c.shutdown)
		}
	}
}

// TestDualStackAddresses: a Node of a network of both families has its addresses of both.
func TestDualStackAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	if _, err := w.api.CreateNetwork(w.ctx(), simcloud.NetworkSpec{Name: "dual", CIDRs: []string{"10.9.0.0/16", "fd09::/48"}}); err != nil {
		t.Fatal(err)
	}
	made, err := w.api.CreateInstance(w.ctx(), simcloud.InstanceSpec{Name: "node-1", Network: "net-2"})
	if err != nil {
		t.Fatal(err)
	}
	metadata, err := w.cloud.instances.InstanceMetadata(w.ctx(), namedNode("node-1"))
	if err != nil {
		t.Fatal(err)
	}
	byType := map[string]int{}
	for _, a := range metadata.NodeAddresses {
		byType[string(a.Type)]++
	}
	if byType["InternalIP"] != 2 || byType["ExternalIP"] != 2 {
		t.Errorf("addresses %v of %v; want two of each type", metadata.NodeAddresses, made.Resource.Addresses)
	}
}

// TestPoolOfIPv6: floating IPs come from a pool of either family, and one that
// is asked for is the same however its address is written.
func TestPoolOfIPv6(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "fd77::ab", "FD77:0::00AB"} {
		w := newWorld(t, 1, func(cfg *config.Config) { cfg.LoadBalancer.FloatingIPPoolV6 = "public-v6" })
		svc := ccmtest.Service()
		svc.Spec.LoadBalancerIP = address
		svc.Spec.IPFamilies = []v1.IPFamily{v1.IPv6Protocol}
		first := w.mustEnsure(svc)
		w.wantIdle(svc)
		if got := first.Ingress[0].IP; address != "" && got != "fd77::ab" {
			t.Errorf("%q: the Service has %s", address, got)
		}
		if fips := w.state().FloatingIPs; len(fips) != 1 || fips[0].Pool != "public-v6" {
			t.Errorf("%q: floating IPs %v", address, fips)
		}
	}
}
