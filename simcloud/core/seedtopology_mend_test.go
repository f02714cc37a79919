package core_test

import (
	"slices"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func brokenTopology() simcloud.Topology {
	instances := []simcloud.TopologyInstance{
		{InstanceSpec: simcloud.InstanceSpec{Name: "stuck", Zone: "zone-a"}},
		{InstanceSpec: simcloud.InstanceSpec{Name: "failed", Zone: "zone-a"}},
	}
	volumes := []simcloud.TopologyVolume{
		{VolumeSpec: simcloud.VolumeSpec{Name: "v", SizeGiB: 1}, AttachedTo: "failed"},
		{VolumeSpec: simcloud.VolumeSpec{Name: "w", SizeGiB: 1}},
	}
	lbs := []simcloud.LoadBalancerSpec{{Name: "lb", Targets: []simcloud.TargetSpec{{Instance: "failed"}}}}
	return simcloud.Topology{Instances: &instances, Volumes: &volumes, LoadBalancers: &lbs}
}

// TestSeedMends: what has failed, or got stuck, is repaired or recreated.
func TestSeedMends(t *testing.T) {
	t.Parallel()
	db := must[*store.DB](t)(store.Open(t.TempDir()+"/cloud.db", store.Options{NoSync: true}))
	cloud := must[*core.Cloud](t)(core.Open(core.Config{DB: db}))
	t.Cleanup(func() { _ = cloud.Close() })
	must[simcloud.SeedReport](t)(cloud.Seed(t.Context(), brokenTopology()))
	for _, spoil := range []func(*store.Tx) error{
		editInstance("i-1", func(i *simcloud.Instance) { i.State = simcloud.InstancePending }),
		editInstance("i-2", func(i *simcloud.Instance) { i.State = simcloud.InstanceError }),
		changeVolume("vol-1", func(v *simcloud.Volume) { v.State = simcloud.VolumeError }),
		changeVolume("vol-2", func(v *simcloud.Volume) { v.State = simcloud.VolumeCreating }),
		func(tx *store.Tx) error {
			return changeLB(tx, func(lb *simcloud.LoadBalancer) {
				lb.State, lb.Targets = simcloud.LoadBalancerError, []simcloud.Target{}
			})
		},
	} {
		if err := db.Update(spoil); err != nil {
			t.Fatal(err)
		}
	}
	report := must[simcloud.SeedReport](t)(cloud.Seed(t.Context(), brokenTopology()))
	want := simcloud.SeedReport{
		Created: []string{"instance/stuck", "volume/v", "volume/w"}, Updated: []string{"instance/failed", "load_balancer/lb"},
		Deleted: []string{"volume/v", "volume/w", "instance/stuck"},
	}
	if !slices.Equal(report.Created, want.Created) || !slices.Equal(report.Updated, want.Updated) || !slices.Equal(report.Deleted, want.Deleted) {
		t.Errorf("%+v, want %+v", report, want)
	}
	state := must[simcloud.State](t)(cloud.GetState(t.Context()))
	for _, i := range state.Instances {
		if i.State != simcloud.InstanceRunning {
			t.Errorf("%s is %s", i.Name, i.State)
		}
	}
	if lb := state.LoadBalancers[0]; lb.State != simcloud.LoadBalancerActive || len(lb.Targets) != 1 {
		t.Errorf("the load balancer is %s with %v", lb.State, lb.Targets)
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSeedIntoZoneThatIsDown: a topology whose zone is down can be extended
// there, as it could have been made in a new cloud; a zone that it does not list stays closed.
func TestSeedIntoZoneThatIsDown(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	regions := []simcloud.TopologyRegion{{
		RegionSpec: simcloud.RegionSpec{Name: "region-1"}, Zones: []simcloud.TopologyZone{{Name: "zone-a", State: simcloud.ZoneDown}},
	}}
	must[simcloud.SeedReport](t)(cloud.Seed(t.Context(), simcloud.Topology{Regions: &regions}))
	instances := []simcloud.TopologyInstance{{InstanceSpec: simcloud.InstanceSpec{Name: "i", Zone: "zone-a"}}}
	volumes := []simcloud.TopologyVolume{{VolumeSpec: simcloud.VolumeSpec{Name: "v", SizeGiB: 1, Zone: "zone-a"}}}
	_, err := cloud.Seed(t.Context(), simcloud.Topology{Instances: &instances})
	wantCode(t, "a zone that the topology does not list", err, simcloud.Capacity)
	whole := simcloud.Topology{Regions: &regions, Instances: &instances, Volumes: &volumes}
	report := must[simcloud.SeedReport](t)(cloud.Seed(t.Context(), whole))
	if len(report.Created) != 2 || len(report.Updated) > 0 {
		t.Errorf("%+v", report)
	}
	if i := must[simcloud.Instance](t)(cloud.GetInstance(t.Context(), "i-1")); !i.Unreachable || i.StatusText == "" {
		t.Errorf("%+v can be reached", i)
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if again := must[simcloud.SeedReport](t)(cloud.Seed(t.Context(), whole)); again.Unchanged != 4 || len(again.Created)+len(again.Updated) > 0 {
		t.Errorf("again: %+v", again)
	}
}
