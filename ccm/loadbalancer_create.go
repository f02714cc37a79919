package ccm

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// createBalancer makes the load balancer whole, in one call. Targets that the
// cloud does not know are left out, and the rest is made.
func (l *loadBalancers) createBalancer(ctx context.Context, svc *v1.Service, want desired, seen uint64) (simcloud.LoadBalancer, error) {
	spec := specOf(want)
	for {
		_, unsettled := l.newBalancer.lookup(svc.UID)
		lb, err := l.newBalancer.make(ctx, svc.UID, spec, seen)
		unknown := unknownTargets(err, spec)
		if unsettled || len(unknown) == 0 {
			return lb, err
		}
		for _, instance := range unknown {
			l.skipTarget(svc, instance, err)
		}
		spec.Targets = slices.DeleteFunc(slices.Clone(spec.Targets), func(t simcloud.TargetSpec) bool {
			return slices.Contains(unknown, t.Instance)
		})
	}
}

func specOf(want desired) simcloud.LoadBalancerSpec {
	return simcloud.LoadBalancerSpec{
		Name: want.Name, Labels: want.Labels, Scheme: want.Scheme, Class: want.Class, Network: want.Network,
		Listeners: want.Listeners, Targets: want.Targets, Algorithm: want.Algorithm, Affinity: want.Affinity,
	}
}

// targetField is how the cloud names the wrong instance of a target.
var targetField = regexp.MustCompile(`^targets\[(\d+)\]\.instance$`)

// unknownTargets returns the instances that err says are none, if it says nothing else.
func unknownTargets(err error, spec simcloud.LoadBalancerSpec) []simcloud.ID {
	var invalid *simcloud.Error
	if !errors.As(err, &invalid) || invalid.Code != simcloud.Invalid {
		return nil
	}
	var unknown []simcloud.ID
	for _, f := range invalid.Fields {
		match := targetField.FindStringSubmatch(f.Field)
		if match == nil {
			return nil
		}
		i, err := strconv.Atoi(match[1])
		if err != nil || i >= len(spec.Targets) {
			return nil
		}
		unknown = append(unknown, spec.Targets[i].Instance)
	}
	return unknown
}

func (l *loadBalancers) skipTarget(svc *v1.Service, instance simcloud.ID, err error) {
	l.events.warning(svc, ReasonTargetSkipped, "Instance %s is no target of the load balancer: %v", instance, err)
}

// converge carries out what planned says, and returns the load balancer as it
// is then. When somebody else has changed it meanwhile, it plans once more.
func (l *loadBalancers) converge(ctx context.Context, svc *v1.Service, lb simcloud.LoadBalancer,
	planned func(simcloud.LoadBalancer) ([]step, error),
) (simcloud.LoadBalancer, error) {
	for again := false; ; again = true {
		steps, err := planned(lb)
		if err != nil || len(steps) == 0 {
			return lb, err
		}
		err = l.apply(ctx, svc, lb, steps)
		if err != nil && (again || !changedMeanwhile(err)) {
			return lb, err
		}
		var readErr error
		if lb, readErr = l.get(ctx, lb.ID); readErr != nil || err == nil {
			return lb, readErr
		}
	}
}

// apply takes the steps in turn. A target whose instance is gone does not stop the rest.
func (l *loadBalancers) apply(ctx context.Context, svc *v1.Service, lb simcloud.LoadBalancer, steps []step) error {
	for _, s := range steps {
		err := s.do(ctx, l.api)
		switch {
		case err == nil:
		case s.target != "" && errors.Is(err, simcloud.Invalid):
			l.skipTarget(svc, s.target, err)
		default:
			return fmt.Errorf("load balancer %s: %s: %w", lb.ID, s.does, err)
		}
	}
	return nil
}

// delete removes a load balancer. It is an error while the cloud is still at it.
func (l *loadBalancers) delete(ctx context.Context, lb simcloud.LoadBalancer) error {
	if lb.State == simcloud.LoadBalancerDeleting {
		return notReady("load balancer %s is still being deleted", lb.ID)
	}
	op, err := l.api.DeleteLoadBalancer(ctx, lb.ID)
	switch {
	case isGone(err):
		return nil
	case err != nil:
		return fmt.Errorf("delete load balancer %s: %w", lb.ID, err)
	case op.State != simcloud.OperationDone:
		return notReady("load balancer %s is being deleted: operation %s is %s", lb.ID, op.ID, op.State)
	}
	return nil
}
