package core

import (
	"context"
	"fmt"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// CreateTarget lets a load balancer forward to an instance or an address.
func (m mutations) CreateTarget(
	ctx context.Context, lb simcloud.ID, spec simcloud.TargetSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.LoadBalancer], error) {
	req := request{verb: "CreateTarget", ids: []simcloud.ID{lb}, spec: spec, opts: simcloud.Options(opts)}
	return m.changeLoadBalancer(ctx, req, func(t *txn, lb *simcloud.LoadBalancer) error {
		if targetAt(*lb, spec.Key()) >= 0 {
			return simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID),
				"%s is a target", targetText(spec.Key()))
		}
		return t.addTarget(lb, spec, "")
	})
}

// DeleteTarget removes an instance or an address from the targets.
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

func noTarget(lb, key simcloud.ID) error {
	return simcloud.Errorf(simcloud.NotFound, simcloud.Ref(simcloud.KindLoadBalancer, lb), "%s is not a target", targetText(key))
}

// targetAt is the place of the target that is an instance or has an address.
func targetAt(lb simcloud.LoadBalancer, key simcloud.ID) int {
	key = simcloud.ID(simcloud.PlainAddress(string(key)))
	return slices.IndexFunc(lb.Targets, func(t simcloud.Target) bool { return t.Key() == key })
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
	health, err := t.reached(*lb, spec, path)
	if err != nil {
		return err
	}
	if lb.MaxTargets > 0 && len(lb.Targets) >= lb.MaxTargets {
		return simcloud.Errorf(simcloud.Capacity, string(simcloud.KindLoadBalancer), "it takes %d targets, and has them", lb.MaxTargets)
	}
	lb.Targets = append(lb.Targets, simcloud.Target{
		Instance: spec.Instance, Address: simcloud.PlainAddress(spec.Address), Weight: orDefault(spec.Weight, 1), Health: health,
		UsePrivateIP: spec.UsePrivateIP, Labels: copyLabels(spec.Labels),
	})
	return nil
}

// reached is the health of a new target to which a way leads; path leads to the spec in the request.
func (t *txn) reached(lb simcloud.LoadBalancer, spec simcloud.TargetSpec, path string) (simcloud.TargetHealth, error) {
	if spec.Address != "" {
		return healthOf(behindAddress, ""), t.canReachAddress(lb, spec.Address, spec.UsePrivateIP)
	}
	instance, err := find(t.tx, store.Instances, t.caller.Project, spec.Instance)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return "", invalid(string(simcloud.KindLoadBalancer), path+"instance", "instance %q not found", spec.Instance)
	}
	if err != nil {
		return "", err
	}
	return healthOf(instance, ""), canReach(lb, instance, spec.UsePrivateIP)
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
