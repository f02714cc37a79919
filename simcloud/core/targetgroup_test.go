package core_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// makeGroups makes target groups for TCP.
func makeGroups(t *testing.T, cloud *core.Cloud, names ...string) (ids []simcloud.ID) {
	t.Helper()
	for _, name := range names {
		spec := simcloud.TargetGroupSpec{Name: name, Protocol: simcloud.ProtocolTCP, Port: 80}
		ids = append(ids, must[simcloud.Result[simcloud.TargetGroup]](t)(cloud.CreateTargetGroup(t.Context(), spec)).Resource.ID)
	}
	return ids
}

func forwardingTo(port int, group simcloud.ID) simcloud.ListenerSpec {
	return simcloud.ListenerSpec{Protocol: simcloud.ProtocolTCP, Port: port, ListenerConfig: simcloud.ListenerConfig{TargetGroup: group}}
}

// groupsOf are the groups of the listeners of lb-1, by their ports.
func groupsOf(t *testing.T, cloud *core.Cloud) map[int]simcloud.ID {
	t.Helper()
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
	groups := map[int]simcloud.ID{}
	for _, listener := range must[simcloud.LoadBalancer](t)(cloud.GetLoadBalancer(t.Context(), "lb-1")).Listeners {
		groups[listener.Port] = listener.TargetGroup
	}
	return groups
}

// TestTargetGroupTakenBack: a change that fails brings the groups of before back.
func TestTargetGroupTakenBack(t *testing.T) {
	t.Parallel()
	cloud, settle := openSettling(t, minute)
	ids := makeGroups(t, cloud, "a", "b")
	must[lbResult](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "lb", Listeners: []simcloud.ListenerSpec{forwardingTo(1, ids[0])}}))
	settle()
	config := simcloud.ListenerConfig{TargetGroup: ids[1]}
	must[lbResult](t)(cloud.UpdateListener(failing(t, simcloud.Unavailable), "lb-1", "tcp-1", config))
	if got := groupsOf(t, cloud)[1]; got != ids[1] {
		t.Errorf("while it runs the group is %q, want %s", got, ids[1])
	}
	settle()
	if got := groupsOf(t, cloud)[1]; got != ids[0] {
		t.Errorf("after the failure the group is %q, want %s", got, ids[0])
	}
}

// TestTargetGroupGoneMeanwhile: a change that fails does not bring a group back that was deleted
// while it ran, or is another load balancer's by then.
func TestTargetGroupGoneMeanwhile(t *testing.T) {
	t.Parallel()
	cloud, settle := openSettling(t, minute)
	ids := makeGroups(t, cloud, "a", "b", "c", "d")
	listeners := []simcloud.ListenerSpec{forwardingTo(1, ids[0]), forwardingTo(2, ids[1])}
	must[lbResult](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "lb", Listeners: listeners}))
	must[lbResult](t)(cloud.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "other"}))
	settle()
	must[lbResult](t)(cloud.UpdateListener(failing(t, simcloud.Unavailable), "lb-1", "tcp-1", simcloud.ListenerConfig{TargetGroup: ids[2]}))
	must[simcloud.Operation](t)(cloud.DeleteTargetGroup(t.Context(), ids[0]))
	settle()
	if got := groupsOf(t, cloud); got[1] != ids[2] || got[2] != ids[1] {
		t.Errorf("the groups are %v, want %v", got, ids[1:3])
	}
	must[lbResult](t)(cloud.DeleteListener(failing(t, simcloud.Unavailable), "lb-1", "tcp-2"))
	must[lbResult](t)(cloud.CreateListener(t.Context(), "lb-2", forwardingTo(1, ids[1])))
	settle()
	if got := groupsOf(t, cloud); len(got) != 1 || got[1] != ids[2] {
		t.Errorf("the groups are %v, want only %s", got, ids[2])
	}
	if of := must[simcloud.TargetGroup](t)(cloud.GetTargetGroup(t.Context(), ids[1])).LoadBalancer; of != "lb-2" {
		t.Errorf("%s is of %q, want lb-2", ids[1], of)
	}
}

// TestGroupReportsNeedADataPlane: what was reported is forgotten by a cloud without a data plane.
func TestGroupReportsNeedADataPlane(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cloud.db")
	cloud := openAt(t, path, store.Options{NoSync: true}, core.Config{DataPlane: true})
	instance := must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})).Resource.ID
	id := makeGroups(t, cloud, "g")[0]
	targets := simcloud.GroupTargets{Targets: []simcloud.GroupTargetSpec{{Instance: instance}}}
	must[simcloud.Result[simcloud.TargetGroup]](t)(cloud.AddGroupTargets(t.Context(), id, targets))
	if err := cloud.ReportGroupTargetHealth(t.Context(), id, instance, 80, simcloud.TargetUnhealthy); err != nil {
		t.Fatal(err)
	}
	if err := cloud.Close(); err != nil {
		t.Fatal(err)
	}
	cloud = openAt(t, path, store.Options{NoSync: true}, core.Config{})
	want := []simcloud.GroupTarget{{
		GroupTargetSpec: simcloud.GroupTargetSpec{Instance: instance, Port: 80, Weight: 1}, Health: simcloud.TargetHealthy,
	}}
	got := must[simcloud.TargetGroup](t)(cloud.GetTargetGroup(t.Context(), id)).Targets
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("targets without a data plane (-want +got):\n%s", diff)
	}
}
