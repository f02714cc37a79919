package core_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// ending returns a context whose mutations end as told.
func ending(t *testing.T, state string, after time.Duration) context.Context {
	return simcloud.WithOverride(t.Context(), simcloud.Override{
		Outcome: simcloud.Outcome{State: state, After: simcloud.Duration(after)},
	})
}

// failed fails the test unless the operation has failed.
func failed(t *testing.T, cloud *core.Cloud, id simcloud.ID, why string) {
	t.Helper()
	op := must[simcloud.Operation](t)(cloud.WaitOperation(t.Context(), id))
	if op.State != simcloud.OperationFailed || op.Progress >= 100 || op.Finished.IsZero() || !strings.Contains(op.Error, why) {
		t.Errorf("the operation ended as %+v, want it failed because of %q", op, why)
	}
}

// progressions are those under which the outcome of an operation can be overridden.
var progressions = map[string]simcloud.Progression{
	"immediate": {}, "time": minute, "polls": {Mode: simcloud.ProgressionPolls, Polls: 2},
}

// TestOutcomeError: an operation fails as slowly as it would have succeeded,
// and leaves a resource that can be brought back or deleted.
func TestOutcomeError(t *testing.T) {
	t.Parallel()
	for name, progression := range progressions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cloud, settle := openSettling(t, progression)
			ctx := ending(t, "error", 0)
			instance := must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"}))
			if instance.Resource.State != simcloud.InstancePending || instance.Operation.State != simcloud.OperationRunning {
				t.Errorf("the answer is %+v", instance)
			}
			settle()
			failed(t, cloud, instance.Operation.ID, "instance/i-1 is in error instead of running")
			got := must[simcloud.Instance](t)(cloud.GetInstance(t.Context(), "i-1"))
			if got.State != simcloud.InstanceError || got.Operation != "" {
				t.Errorf("the instance is %s, under operation %q", got.State, got.Operation)
			}
			must[instanceResult](t)(cloud.StartInstance(t.Context(), "i-1"))
			settle()
			if got := must[simcloud.Instance](t)(cloud.GetInstance(t.Context(), "i-1")).State; got != simcloud.InstanceRunning {
				t.Errorf("started again it is %s", got)
			}
			deletion := must[simcloud.Operation](t)(cloud.DeleteInstance(ctx, "i-1"))
			settle()
			failed(t, cloud, deletion.ID, "instead of gone")
			must[simcloud.Operation](t)(cloud.DeleteInstance(t.Context(), "i-1"))
			settle()
			_, err := cloud.GetInstance(t.Context(), "i-1")
			wantCode(t, "after its deletion", err, simcloud.NotFound)
			if err := cloud.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// openSettling opens a cloud, and returns what lets its operations end.
func openSettling(t *testing.T, progression simcloud.Progression) (cloud *core.Cloud, settle func()) {
	t.Helper()
	machine := newFakeClock()
	cloud = open(t, core.Config{Clock: machine, Progression: progression})
	return cloud, func() {
		t.Helper()
		machine.move(time.Hour)
		page := must[simcloud.Page[simcloud.Operation]](t)(cloud.ListOperations(t.Context(), simcloud.ListOptions{State: "running"}))
		for _, op := range page.Items {
			must[simcloud.Operation](t)(cloud.WaitOperation(t.Context(), op.ID))
		}
	}
}

func TestOutcomeOfLoadBalancers(t *testing.T) {
	t.Parallel()
	cloud, settle := openSettling(t, minute)
	ctx := ending(t, "error", 0)
	lb := must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{Name: "lb"}))
	settle()
	failed(t, cloud, lb.Operation.ID, "load_balancer/lb-1 is in error instead of active")
	state := func() simcloud.LoadBalancerState {
		return must[simcloud.LoadBalancer](t)(cloud.GetLoadBalancer(t.Context(), "lb-1")).State
	}
	if got := state(); got != simcloud.LoadBalancerError {
		t.Errorf("the load balancer is %s", got)
	}
	must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.FailoverLoadBalancer(t.Context(), "lb-1"))
	settle()
	if got := state(); got != simcloud.LoadBalancerActive {
		t.Errorf("failed over it is %s", got)
	}
	must[simcloud.Result[simcloud.LoadBalancer]](t)(cloud.FailoverLoadBalancer(ctx, "lb-1"))
	settle()
	must[simcloud.Operation](t)(cloud.DeleteLoadBalancer(t.Context(), "lb-1"))
	settle()
	_, err := cloud.GetLoadBalancer(t.Context(), "lb-1")
	wantCode(t, "after its deletion", err, simcloud.NotFound)
}

func TestOutcomeOfVolumes(t *testing.T) {
	t.Parallel()
	cloud, settle := openSettling(t, simcloud.Progression{})
	ctx := ending(t, "error", 0)
	state := func(id simcloud.ID) simcloud.VolumeState {
		return must[simcloud.Volume](t)(cloud.GetVolume(t.Context(), id)).State
	}
	broken := must[simcloud.Result[simcloud.Volume]](t)(cloud.CreateVolume(ctx, simcloud.VolumeSpec{Name: "a", SizeGiB: 1, Zone: "zone-a"}))
	settle()
	failed(t, cloud, broken.Operation.ID, "volume/vol-1 is in error instead of available")
	must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a", Zone: "zone-a"}))
	must[simcloud.Result[simcloud.Volume]](t)(cloud.CreateVolume(t.Context(), simcloud.VolumeSpec{Name: "b", SizeGiB: 1, Zone: "zone-a"}))
	attachment := must[simcloud.Result[simcloud.Volume]](t)(cloud.AttachVolume(ctx, "vol-2", simcloud.VolumeAttachment{Instance: "i-1"}))
	settle()
	failed(t, cloud, attachment.Operation.ID, "instead of in_use")
	for _, id := range []simcloud.ID{"vol-1", "vol-2"} {
		if got := state(id); got != simcloud.VolumeError {
			t.Errorf("%s is %s", id, got)
		}
		must[simcloud.Operation](t)(cloud.DeleteVolume(t.Context(), id))
		settle()
		_, err := cloud.GetVolume(t.Context(), id)
		wantCode(t, "after its deletion", err, simcloud.NotFound)
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestOutcomeOfAnotherState: a state that is not the error one is no failure, and no caller is locked out.
func TestOutcomeOfAnotherState(t *testing.T) {
	t.Parallel()
	cloud, settle := openSettling(t, simcloud.Progression{})
	op := must[instanceResult](t)(cloud.CreateInstance(ending(t, "pending", 0), simcloud.InstanceSpec{Name: "a"})).Operation
	settle()
	if op := must[simcloud.Operation](t)(cloud.GetOperation(t.Context(), op.ID)); op.State != simcloud.OperationDone || op.Error != "" {
		t.Errorf("the operation is %+v", op)
	}
	if got := must[simcloud.Instance](t)(cloud.GetInstance(t.Context(), "i-1")).State; got != simcloud.InstancePending {
		t.Errorf("the instance is %s", got)
	}
	must[simcloud.Operation](t)(cloud.DeleteInstance(t.Context(), "i-1"))
}

// TestOutcomeAfter: the time of the outcome comes before that of the progression.
func TestOutcomeAfter(t *testing.T) {
	t.Parallel()
	for name, progression := range progressions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cloud := open(t, core.Config{Progression: progression})
			r := must[instanceResult](t)(cloud.CreateInstance(ending(t, "", time.Hour), simcloud.InstanceSpec{Name: "a"}))
			if took := r.Operation.ReadyAt.Sub(r.Operation.Started); took != time.Hour {
				t.Errorf("the operation takes %s", took)
			}
			_, err := cloud.StopInstance(t.Context(), "i-1")
			wantCode(t, "meanwhile", err, simcloud.Locked)
		})
	}
}

// TestOutcomeImpossible: a state that the kind does not have is a mistake of the rule.
func TestOutcomeImpossible(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	_, err := cloud.CreateInstance(ending(t, "in_use", 0), simcloud.InstanceSpec{Name: "a"})
	wantCode(t, "a volume's state for an instance", err, simcloud.Internal)
	if err == nil || !strings.Contains(err.Error(), `"in_use"`) {
		t.Errorf("%v does not name the state", err)
	}
	_, err = cloud.CreateNetwork(ending(t, "error", 0), simcloud.NetworkSpec{Name: "a", CIDRs: []string{"10.9.0.0/16"}})
	wantCode(t, "a state for a network", err, simcloud.Internal)
	if state := must[simcloud.State](t)(cloud.GetState(t.Context())); len(state.Instances) != 0 || len(state.Networks) != 1 {
		t.Errorf("%d instances and %d networks were made", len(state.Instances), len(state.Networks)-1)
	}
}

// TestOutcomeLeavesOthersAlone: of an operation that changes several resources the outcome is for its own.
func TestOutcomeLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	cloud, settle := openSettling(t, minute)
	must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}))
	settle()
	op := must[instanceResult](t)(cloud.RecreateInstance(ending(t, "error", 0), "i-1")).Operation
	settle()
	failed(t, cloud, op.ID, "instance/i-2 is in error instead of running")
	_, err := cloud.GetInstance(t.Context(), "i-1")
	wantCode(t, "the one that was replaced", err, simcloud.NotFound)
	if got := must[simcloud.Instance](t)(cloud.GetInstance(t.Context(), "i-2")).State; got != simcloud.InstanceError {
		t.Errorf("the new one is %s", got)
	}
}
