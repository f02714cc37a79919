package core_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// request is a context whose calls have a request id.
func request(t *testing.T, id string) context.Context {
	t.Helper()
	return simcloud.WithRequestID(t.Context(), id)
}

// causes are the events after a revision and up to now, each with what has caused it.
func causes(t *testing.T, cloud *core.Cloud, after uint64) []string {
	t.Helper()
	last := must[simcloud.Page[simcloud.Zone]](t)(cloud.ListZones(t.Context(), simcloud.ListOptions{})).Revision
	var all []string
	for event, err := range cloud.WatchEvents(t.Context(), after) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s %s by %q of %q", event.Type, simcloud.Ref(event.Kind, event.ID), event.OperationID, event.RequestID))
		if event.Revision == last {
			break
		}
	}
	return all
}

func revisionOf(t *testing.T, cloud *core.Cloud) uint64 {
	t.Helper()
	return must[simcloud.Page[simcloud.Zone]](t)(cloud.ListZones(t.Context(), simcloud.ListOptions{})).Revision
}

// TestEventsTellTheirCause: what an operation does at once, to other resources and when it is ready, is all its doing,
// whoever is there when it gets ready.
func TestEventsTellTheirCause(t *testing.T) {
	t.Parallel()
	machine := newFakeClock()
	cloud := open(t, core.Config{Clock: machine})
	before := revisionOf(t, cloud)
	made := must[instanceResult](t)(cloud.CreateInstance(request(t, "req-a"), simcloud.InstanceSpec{Name: "a"}))
	lb := must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.CreateLoadBalancer(request(t, "req-b"), simcloud.LoadBalancerSpec{Name: "lb"}))
	must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.CreateTarget(
		request(t, "req-c"), lb.Resource.ID, simcloud.TargetSpec{Instance: made.Resource.ID}))
	if made.Operation.RequestID != "req-a" {
		t.Errorf("the operation is of the request %q", made.Operation.RequestID)
	}
	must[simcloud.Config](t)(cloud.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Progression: &minute}))
	must[instanceResult](t)(cloud.StopInstance(request(t, "req-d"), made.Resource.ID))
	machine.creep(time.Minute)
	// This call completes what is due, and has not caused it.
	must[simcloud.Result[simcloud.Network]](t)(cloud.CreateNetwork(request(t, "req-e"), simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.9.0.0/16"}}))
	want := []string{
		`created instance/i-1 by "op-1" of "req-a"`, `created operation/op-1 by "op-1" of "req-a"`,
		`created load_balancer/lb-1 by "op-2" of "req-b"`, `created operation/op-2 by "op-2" of "req-b"`,
		`updated load_balancer/lb-1 by "op-3" of "req-c"`, `created operation/op-3 by "op-3" of "req-c"`,
		`updated instance/i-1 by "op-4" of "req-d"`, `updated load_balancer/lb-1 by "op-4" of "req-d"`, `created operation/op-4 by "op-4" of "req-d"`,
		`updated instance/i-1 by "op-4" of "req-d"`, `updated operation/op-4 by "op-4" of "req-d"`,
		`created network/net-2 by "op-5" of "req-e"`, `created operation/op-5 by "op-5" of "req-e"`,
	}
	if diff := cmp.Diff(want, causes(t, cloud, before)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestCausesOfASeed: a call that makes several operations is told by its request, and each change by its own operation.
func TestCausesOfASeed(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	before := revisionOf(t, cloud)
	seed := simcloud.Topology{Instances: &[]simcloud.TopologyInstance{{InstanceSpec: simcloud.InstanceSpec{Name: "a"}}, {InstanceSpec: simcloud.InstanceSpec{Name: "b"}}}}
	must[simcloud.SeedReport](t)(cloud.Seed(request(t, "req-s"), seed))
	want := []string{
		`created instance/i-1 by "op-1" of "req-s"`, `created operation/op-1 by "op-1" of "req-s"`,
		`created instance/i-2 by "op-2" of "req-s"`, `created operation/op-2 by "op-2" of "req-s"`,
	}
	if diff := cmp.Diff(want, causes(t, cloud, before)); diff != "" {
		t.Errorf("events of a seed (-want +got):\n%s", diff)
	}
	before = revisionOf(t, cloud)
	if err := cloud.Reset(request(t, "req-r")); err != nil {
		t.Fatal(err)
	}
	reset := causes(t, cloud, before)
	if len(reset) == 0 || slices.ContainsFunc(reset, func(e string) bool { return e[len(e)-len(`by "" of "req-r"`):] != `by "" of "req-r"` }) {
		t.Errorf("events of a reset: %q", reset)
	}
}
