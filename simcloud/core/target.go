package core

import (
	"context"
	"fmt"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// CreateTarget lets a load balancer forward to an instance.
func (c *Cloud) CreateTarget(
	ctx context.Context, lb simcloud.ID, spec simcloud.TargetSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.LoadBalancer], error) {
	call := call{verb: "CreateTarget", ids: []simcloud.ID{lb}, spec: spec, opts: simcloud.Options(opts)}
	return c.changeLoadBalancer(ctx, call, func(w *work, lb *simcloud.LoadBalancer) error {
		if targetAt(*lb, spec.Instance) >= 0 {
			return simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID),
				"instance %s is a target", spec.Instance)
		}
		return w.addTarget(lb, spec, "")
	})
}

// DeleteTarget removes an instance from the targets.
func (c *Cloud) DeleteTarget(
	ctx context.Context, lb, instance simcloud.ID, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.LoadBalancer], error) {
	call := call{verb: "DeleteTarget", ids: []simcloud.ID{lb, instance}, opts: simcloud.Options(opts)}
	return c.changeLoadBalancer(ctx, call, func(_ *work, lb *simcloud.LoadBalancer) error {
		i := targetAt(*lb, instance)
		if i < 0 {
			return simcloud.Errorf(simcloud.NotFound, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID),
				"instance %q is not a target", instance)
		}
		lb.Targets = slices.Delete(lb.Targets, i, i+1)
		return nil
	})
}

func targetAt(lb simcloud.LoadBalancer, instance simcloud.ID) int {
	return slices.IndexFunc(lb.Targets, func(t simcloud.Target) bool { return t.Instance == instance })
}

func (w *work) addTargets(lb *simcloud.LoadBalancer, specs []simcloud.TargetSpec) error {
	for i, spec := range specs {
		if err := w.addTarget(lb, spec, fmt.Sprintf("targets[%d].", i)); err != nil {
			return err
		}
	}
	return nil
}

// addTarget adds a target; path leads to the spec in the request.
func (w *work) addTarget(lb *simcloud.LoadBalancer, spec simcloud.TargetSpec, path string) error {
	instance, err := find(w.tx, store.Instances, w.caller.Project, spec.Instance)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return invalid(string(simcloud.KindLoadBalancer), path+"instance", "there is no instance %q", spec.Instance)
	}
	if err != nil {
		return err
	}
	lb.Targets = append(lb.Targets, simcloud.Target{
		Instance: instance.ID, Weight: orDefault(spec.Weight, 1), Health: healthOf(instance), Labels: copyLabels(spec.Labels),
	})
	return nil
}

// healthOf is the health of an instance as a target: without a data plane
// whoever runs is healthy, unless its zone is down. One that is gone, the zero
// instance, is not.
func healthOf(instance simcloud.Instance) simcloud.TargetHealth {
	switch {
	case instance.State != simcloud.InstanceRunning:
		return simcloud.TargetUnhealthy
	case instance.Unreachable:
		return simcloud.TargetDraining
	default:
		return simcloud.TargetHealthy
	}
}

// refreshTargets lets the load balancers of instances know their health, each
// load balancer at once.
func (w *work) refreshTargets(instances ...simcloud.Instance) error {
	health := map[simcloud.ID]simcloud.TargetHealth{}
	for _, instance := range instances {
		health[instance.ID] = healthOf(instance)
	}
	for _, instance := range instances {
		if err := w.setHealth(store.Ref{Kind: simcloud.KindInstance, ID: instance.ID}, health); err != nil {
			return err
		}
	}
	return nil
}

// failTargets lets the load balancers of an instance that goes know it.
func (w *work) failTargets(instance store.Ref) error {
	return w.setHealth(instance, map[simcloud.ID]simcloud.TargetHealth{instance.ID: simcloud.TargetUnhealthy})
}

// setHealth sets the health that is given, in the load balancers of an instance.
func (w *work) setHealth(instance store.Ref, health map[simcloud.ID]simcloud.TargetHealth) error {
	return w.editReferring(instance, func(lb *simcloud.LoadBalancer) {
		for i, target := range lb.Targets {
			if is, given := health[target.Instance]; given {
				lb.Targets[i].Health = is
			}
		}
	})
}

// editReferring changes the load balancers that refer to a resource, as far as
// edit changes them. This follows from a change elsewhere: no operation stands in its way.
func (w *work) editReferring(ref store.Ref, edit func(*simcloud.LoadBalancer)) error {
	lbs, err := store.LoadBalancers.Referring(w.tx, ref)
	if err != nil {
		return err
	}
	for _, before := range lbs {
		lb := copyLoadBalancer(before)
		edit(&lb)
		if same(before, lb) {
			continue
		}
		if err := store.LoadBalancers.Update(w.tx, w.now, &lb); err != nil {
			return err
		}
	}
	return nil
}
