package core_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// failing returns a context whose operations fail with a code and break nothing.
func failing(t *testing.T, code simcloud.Code) context.Context {
	return simcloud.WithOverride(t.Context(), simcloud.Override{Outcome: simcloud.Outcome{Code: code}})
}

// failedWith fails the test unless the operation has failed with the code.
func failedWith(t *testing.T, cloud *core.Cloud, op simcloud.Operation, code simcloud.Code, why string) {
	t.Helper()
	failed(t, cloud, op.ID, why)
	if got := must[simcloud.Operation](t)(cloud.GetOperation(t.Context(), op.ID)).Code; got != code {
		t.Errorf("%s failed with the code %q, want %q", op.Verb, got, code)
	}
}

// TestOutcomeCodeOfLoadBalancers: a change that fails is taken back, and the load balancer is active.
func TestOutcomeCodeOfLoadBalancers(t *testing.T) {
	t.Parallel()
	for name, progression := range progressions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cloud, settle := openSettling(t, progression)
			if err := cloud.Atomic(t.Context(), func(ctx context.Context) error { return makeSome(ctx, cloud) }); err != nil {
				t.Fatal(err)
			}
			instance := must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})).Resource.ID
			settle()
			target := simcloud.TargetSpec{Instance: instance}
			must[lbResult](t)(cloud.CreateTarget(t.Context(), "lb-1", target))
			settle()
			before := must[simcloud.LoadBalancer](t)(cloud.GetLoadBalancer(t.Context(), "lb-1"))
			ctx := failing(t, simcloud.Unavailable)
			for _, change := range []func() (lbResult, error){
				func() (lbResult, error) { return cloud.DeleteListener(ctx, "lb-1", "tcp-80") },
				func() (lbResult, error) { return cloud.DeleteTarget(ctx, "lb-1", instance) },
				func() (lbResult, error) {
					return cloud.UpdateLoadBalancer(ctx, "lb-1", simcloud.LoadBalancerUpdate{Name: new("b"), Protected: new(true)})
				},
			} {
				r := must[lbResult](t)(change())
				if r.Resource.State != simcloud.LoadBalancerUpdating {
					t.Errorf("while %s runs it is %s", r.Operation.Verb, r.Resource.State)
				}
				settle()
				failedWith(t, cloud, r.Operation, simcloud.Unavailable, r.Operation.Verb+" failed: load_balancer/lb-1 is active")
				after := must[simcloud.LoadBalancer](t)(cloud.GetLoadBalancer(t.Context(), "lb-1"))
				if diff := cmp.Diff(before, after, cmpopts.IgnoreFields(simcloud.Meta{}, "Version", "Updated")); diff != "" {
					t.Errorf("after %s (-before +after):\n%s", r.Operation.Verb, diff)
				}
			}
			deletion := must[simcloud.Operation](t)(cloud.DeleteLoadBalancer(ctx, "lb-1"))
			settle()
			failedWith(t, cloud, deletion, simcloud.Unavailable, "load_balancer/lb-1 is active")
			must[lbResult](t)(cloud.DeleteListener(t.Context(), "lb-1", "tcp-80"))
			settle()
			if err := cloud.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOutcomeCodeOfInstances: what was created is there, and a failed change of state leads back.
func TestOutcomeCodeOfInstances(t *testing.T) {
	t.Parallel()
	cloud, settle := openSettling(t, minute)
	ctx := failing(t, simcloud.Capacity)
	created := must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a", Zone: "zone-a"}))
	settle()
	failedWith(t, cloud, created.Operation, simcloud.Capacity, "CreateInstance failed: instance/i-1 is running")
	stopped := must[instanceResult](t)(cloud.StopInstance(ctx, "i-1"))
	settle()
	failedWith(t, cloud, stopped.Operation, simcloud.Capacity, "StopInstance failed: instance/i-1 is running")
	must[simcloud.Result[simcloud.Volume]](t)(cloud.CreateVolume(t.Context(), simcloud.VolumeSpec{Name: "b", SizeGiB: 1, Zone: "zone-a"}))
	settle()
	attached := must[simcloud.Result[simcloud.Volume]](t)(cloud.AttachVolume(ctx, "vol-1", simcloud.VolumeAttachment{Instance: "i-1"}))
	settle()
	failedWith(t, cloud, attached.Operation, simcloud.Capacity, "AttachVolume failed: volume/vol-1 is available")
	deleted := must[simcloud.Operation](t)(cloud.DeleteInstance(ctx, "i-1"))
	settle()
	failedWith(t, cloud, deleted, simcloud.Capacity, "DeleteInstance failed: instance/i-1 is running")
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
	ending := simcloud.WithOverride(t.Context(), simcloud.Override{Outcome: simcloud.Outcome{State: "error"}})
	broken := must[instanceResult](t)(cloud.StopInstance(ending, "i-1"))
	settle()
	failedWith(t, cloud, broken.Operation, simcloud.Internal, "instance/i-1 is in error instead of stopped")
}

// TestOutcomeCodeOfRoutes: a route that could not be made is not there, one that could not be deleted is.
func TestOutcomeCodeOfRoutes(t *testing.T) {
	t.Parallel()
	cloud, settle := openSettling(t, simcloud.Progression{})
	ctx := failing(t, simcloud.Conflict)
	instance := must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})).Resource.ID
	spec := simcloud.RouteSpec{Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Instance: instance}}
	type result = simcloud.Result[simcloud.RouteTable]
	failedRoute := must[result](t)(cloud.CreateRoute(ctx, "rt-1", spec))
	settle()
	failedWith(t, cloud, failedRoute.Operation, simcloud.Conflict, "CreateRoute failed: route_table/rt-1 is available")
	route := must[result](t)(cloud.CreateRoute(t.Context(), "rt-1", spec)).Resource.Routes[0].ID
	deletion := must[result](t)(cloud.DeleteRoute(ctx, "rt-1", route))
	must[simcloud.Operation](t)(cloud.DeleteInstance(t.Context(), instance))
	settle()
	failedWith(t, cloud, deletion.Operation, simcloud.Conflict, "DeleteRoute failed")
	table := must[simcloud.RouteTable](t)(cloud.GetRouteTable(t.Context(), "rt-1"))
	if len(table.Routes) != 1 || table.Routes[0].State != simcloud.RouteBlackhole || table.Operation != "" {
		t.Errorf("got %+v", table)
	}
	_, err := cloud.CreateFloatingIP(ctx, simcloud.FloatingIPSpec{Name: "a"})
	wantCode(t, "what takes no time", err, simcloud.Internal)
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
