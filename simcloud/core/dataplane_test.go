package core_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// sickTarget makes a load balancer whose only target runs and was reported unhealthy.
func sickTarget(t *testing.T, cloud *core.Cloud) simcloud.LoadBalancer {
	t.Helper()
	ctx := t.Context()
	instance := must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"})).Resource.ID
	lb := must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.CreateLoadBalancer(ctx,
		simcloud.LoadBalancerSpec{Name: "lb", Targets: []simcloud.TargetSpec{{Instance: instance}}})).Resource.ID
	if err := cloud.ReportTargetHealth(ctx, lb, instance, simcloud.TargetUnhealthy); err != nil {
		t.Fatal(err)
	}
	return must[simcloud.LoadBalancer](t)(cloud.GetLoadBalancer(ctx, lb))
}

func wantTarget(t *testing.T, cloud *core.Cloud, when string, want simcloud.Target) {
	t.Helper()
	lb := must[simcloud.LoadBalancer](t)(cloud.GetLoadBalancer(t.Context(), "lb-1"))
	if diff := cmp.Diff([]simcloud.Target{want}, lb.Targets); diff != "" {
		t.Errorf("%s (-want +got):\n%s", when, diff)
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Errorf("%s: %v", when, err)
	}
}

// TestReportsNeedADataPlane: what was reported stays over a restart, and is
// forgotten by a cloud without a data plane, where nothing could correct it.
func TestReportsNeedADataPlane(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cloud.db")
	reopen := func(dataPlane bool) *core.Cloud {
		return openAt(t, path, store.Options{NoSync: true}, core.Config{DataPlane: dataPlane})
	}
	shut := func(cloud *core.Cloud) {
		t.Helper()
		if err := cloud.Close(); err != nil {
			t.Fatal(err)
		}
	}
	cloud := reopen(true)
	lb := sickTarget(t, cloud)
	shut(cloud)
	if problems, err := core.CheckFile(t.Context(), path); err != nil || len(problems) > 0 {
		t.Errorf("the file has problems %v, %v", problems, err)
	}
	cloud = reopen(true)
	wantTarget(t, cloud, "with a data plane", lb.Targets[0])
	shut(cloud)
	cloud = reopen(false)
	well := simcloud.Target{Instance: lb.Targets[0].Instance, Weight: 1, Health: simcloud.TargetHealthy}
	wantTarget(t, cloud, "without one", well)
	version := must[simcloud.LoadBalancer](t)(cloud.GetLoadBalancer(t.Context(), lb.ID)).Version
	shut(cloud)
	cloud = reopen(false)
	wantTarget(t, cloud, "without one, again", well)
	if again := must[simcloud.LoadBalancer](t)(cloud.GetLoadBalancer(t.Context(), lb.ID)).Version; again != version {
		t.Errorf("opening it has changed version %d to %d, though nothing was reported", version, again)
	}
}

// TestReportsOfASnapshot: a cloud without a data plane loads none.
func TestReportsOfASnapshot(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	from := open(t, core.Config{DataPlane: true, Snapshots: folder})
	sick := sickTarget(t, from).Targets[0]
	must[simcloud.Snapshot](t)(from.SaveSnapshot(t.Context(), simcloud.SnapshotSpec{Name: "sick"}))
	for _, c := range []struct {
		when      string
		dataPlane bool
		want      simcloud.Target
	}{
		{"with a data plane", true, sick},
		{"without one", false, simcloud.Target{Instance: sick.Instance, Weight: 1, Health: simcloud.TargetHealthy}},
	} {
		into := open(t, core.Config{DataPlane: c.dataPlane, Snapshots: folder})
		must[simcloud.Snapshot](t)(into.LoadSnapshot(t.Context(), "sick"))
		wantTarget(t, into, c.when, c.want)
	}
}

// TestEventsOfAllProjects: what serves all projects hears of all of them.
func TestEventsOfAllProjects(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	team := simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "team", Role: simcloud.RoleWriter})
	must[simcloud.Result[simcloud.Network]](t)(cloud.CreateNetwork(team, simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.9.0.0/16"}}))
	first := func(events func(func(simcloud.Event, error) bool)) simcloud.Kind {
		for event, err := range events {
			if err != nil {
				t.Fatal(err)
			}
			if event.Kind == simcloud.KindNetwork && event.Project == "team" {
				return event.Kind
			}
			if event.Kind == simcloud.KindCluster {
				break
			}
		}
		return ""
	}
	must[simcloud.Result[simcloud.Cluster]](t)(cloud.CreateCluster(t.Context(), simcloud.ClusterSpec{Name: "last", Endpoint: "https://10.0.0.1:6443"}))
	if got := first(cloud.WatchAllEvents(asRole(t.Context(), simcloud.RoleAdmin), 0)); got != simcloud.KindNetwork {
		t.Error("the network of another project is not among all events")
	}
	if got := first(cloud.WatchEvents(t.Context(), 0)); got != "" {
		t.Error("the network of another project is among the events of this one")
	}
}
