package core

import (
	"context"
	"fmt"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// CreateTarget lets a load balancer forward to an instance.
func (m mutations) CreateTarget(
	ctx context.Context, lb simcloud.ID, spec simcloud.TargetSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.LoadBalancer], error) {
	req := request{verb: "CreateTarget", ids: []simcloud.ID{lb}, spec: spec, opts: simcloud.Options(opts)}
	return m.changeLoadBalancer(ctx, req, func(t *txn, lb *simcloud.LoadBalancer) error {
		if targetAt(*lb, spec.Instance) >= 0 {
			return simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID),
				"instance %s is a target", spec.Instance)
		}
		return t.addTarget(lb, spec, "")
	})
}

// DeleteTarget removes an instance from the targets.
func (m mutations) DeleteTarget(
	ctx context.Context, lb, instance simcloud.ID, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.LoadBalancer], error) {
	req := request{verb: "DeleteTarget", ids: []simcloud.ID{lb, instance}, opts: simcloud.Options(opts)}
	return m.changeLoadBalancer(ctx, req, func(_ *txn, lb *simcloud.LoadBalancer) error {
		i := targetAt(*lb, instance)
		if i < 0 {
			return noTarget(lb.ID, instance)
		}
		lb.Targets = slices.Delete(lb.Targets, i, i+1)
		return nil
	})
}

func noTarget(lb, instance simcloud.ID) error {
	return simcloud.Errorf(simcloud.NotFound, simcloud.Ref(simcloud.KindLoadBalancer, lb), "instance %q is not a target", instance)
}

func targetAt(lb simcloud.LoadBalancer, instance simcloud.ID) int {
	return slices.IndexFunc(lb.Targets, func(t simcloud.Target) bool { return t.Instance == instance })
}

func (t *txn) addTargets(lb *simcloud.LoadBalancer, specs []simcloud.TargetSpec) error {
	for i, spec := range specs {
		if err := t.addTarget(lb, spec, fmt.Sprintf("targets[%d].", i)); err != nil {
			return err
		}
	}
	return nil
}

// addTarget adds a target; path leads to the spec in the request.
func (t *txn) addTarget(lb *simcloud.LoadBalancer, spec simcloud.TargetSpec, path string) error {
	instance, err := find(t.tx, store.Instances, t.caller.Project, spec.Instance)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return invalid(string(simcloud.KindLoadBalancer), path+"instance", "instance %q not found", spec.Instance)
	}
	if err != nil {
		return err
	}
	if err := canReach(*lb, instance, spec.UsePrivateIP); err != nil {
		return err
	}
	if lb.MaxTargets > 0 && len(lb.Targets) >= lb.MaxTargets {
		return simcloud.Errorf(simcloud.Capacity, string(simcloud.KindLoadBalancer), "it takes %d targets, and has them", lb.MaxTargets)
	}
	lb.Targets = append(lb.Targets, simcloud.Target{
		Instance: instance.ID, Weight: orDefault(spec.Weight, 1), Health: healthOf(instance, ""),
		UsePrivateIP: spec.UsePrivateIP, Labels: copyLabels(spec.Labels),
	})
	return nil
}

// healthOf is the health of an instance as a target: what the data plane has
// reported, if anything, of one that would be healthy without.
func healthOf(instance simcloud.Instance, reported simcloud.TargetHealth) simcloud.TargetHealth {
	if known := instance.TargetHealth(); known != simcloud.TargetHealthy || reported == "" {
		return known
	}
	return reported
}

// refreshTargets lets the load balancers and target groups of instances know their health, each
// of them at once.
func (t *txn) refreshTargets(instances ...simcloud.Instance) error {
	known := map[simcloud.ID]simcloud.Instance{}
	for _, instance := range instances {
		known[instance.ID] = instance
	}
	for _, instance := range instances {
		if err := t.setHealth(store.Ref{Kind: simcloud.KindInstance, ID: instance.ID}, known); err != nil {
			return err
		}
	}
	return nil
}

// failTargets lets the load balancers and target groups of an instance that goes know it.
func (t *txn) failTargets(instance store.Ref) error {
	return t.setHealth(instance, map[simcloud.ID]simcloud.Instance{instance.ID: {}})
}

// setHealth sets the health of the targets that are known instances, in the
// load balancers and target groups of one of them.
func (t *txn) setHealth(instance store.Ref, known map[simcloud.ID]simcloud.Instance) error {
	if err := t.setGroupHealth(instance, known); err != nil {
		return err
	}
	return t.editReferring(instance, func(lb *simcloud.LoadBalancer) {
		for i, target := range lb.Targets {
			if is, given := known[target.Instance]; given {
				lb.Targets[i].Health = healthOf(is, target.Reported)
			}
		}
	})
}

// editReferring changes the load balancers that refer to a resource, as far as
// edit changes them. This follows from a change elsewhere: no operation stands in its way.
func (t *txn) editReferring(ref store.Ref, edit func(*simcloud.LoadBalancer)) error {
	lbs, err := store.LoadBalancers.Referring(t.tx, ref)
	if err != nil {
		return err
	}
	for _, before := range lbs {
		lb := copyLoadBalancer(before)
		edit(&lb)
		if same(before, lb) {
			continue
		}
		if err := store.LoadBalancers.Update(t.tx, t.now, &lb); err != nil {
			return err
		}
	}
	return nil
}
