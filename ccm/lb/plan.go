package lb

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// step is one call on the way to what is desired.
type step struct {
	does string // for logs, errors and tests
	// target is the instance that the step adds, if it does.
	target simcloud.ID
	// updatesUsers is whether the step says who uses a joined load balancer: it is taken
	// only if all before it were, and what comes after it only if it was.
	updatesUsers bool
	// do returns the load balancer as it is then, or none when nothing had to be done.
	do func(ctx context.Context, api API, opts ...simcloud.CallOption) (simcloud.LoadBalancer, error)
}

// plan returns the calls that make lb what is wanted, additions first, so that
// no connection meets a load balancer without listener or target on the way.
// Listeners and targets of others stay; one that is in the way is an error, and
// does not stop the rest.
func plan(lb simcloud.LoadBalancer, want desired) ([]step, error) {
	listeners, err := planListeners(lb, want)
	targets := planTargets(lb, want)
	return slices.Concat(planSettings(lb, want), listeners.add, targets.add, listeners.remove, targets.remove), err
}

// changes are steps that add or change, and steps that remove.
type changes struct{ add, remove []step }

// planSettings is the first of a plan: the labels say who is at work there.
func planSettings(lb simcloud.LoadBalancer, want desired) []step {
	var update simcloud.LoadBalancerUpdate
	does := ""
	if !label.Has(lb.Labels, want.Labels) {
		labels := label.With(lb.Labels, want.Labels)
		update.Labels, does = &labels, does+" labels"
	}
	if lb.Algorithm != want.Algorithm && !want.Follows {
		update.Algorithm, does = &want.Algorithm, does+" algorithm="+string(want.Algorithm)
	}
	if lb.Affinity != want.Affinity && !want.Follows {
		update.Affinity, does = &want.Affinity, does+fmt.Sprintf(" affinity=%+v", want.Affinity)
	}
	if does == "" {
		return nil
	}
	settings := updateBalancer(lb, "update"+does, update)
	settings.updatesUsers = want.Ref.joined() && update.Labels != nil
	return []step{settings}
}

func planListeners(lb simcloud.LoadBalancer, want desired) (c changes, err error) {
	have := map[simcloud.ID]simcloud.Listener{}
	for _, l := range lb.Listeners {
		have[l.ID] = l
	}
	wanted := map[simcloud.ID]bool{}
	for _, spec := range want.Listeners {
		id := simcloud.ListenerID(spec.Protocol, spec.Port)
		wanted[id] = true
		got, exists := have[id]
		switch {
		case !exists:
			c.add = append(c.add, createListener(lb.ID, spec))
		case !label.OwnedBy(want.UID, got.Labels):
			err = simcloud.Errorf(simcloud.InUse, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID),
				"listener %s is there and not this Service's: remove it, or choose another port", id)
		case !sameListener(got.ListenerConfig, spec.ListenerConfig):
			c.add = append(c.add, updateListener(lb.ID, got, spec.ListenerConfig))
		}
	}
	for _, l := range lb.Listeners {
		if label.OwnedBy(want.UID, l.Labels) && !wanted[l.ID] {
			c.remove = append(c.remove, deleteListener(lb.ID, l.ID))
		}
	}
	return c, err
}

// planDetach returns the calls that detach a Service from a load balancer which
// it has joined. Targets stay as long as other Services of the cluster need them.
func planDetach(lb simcloud.LoadBalancer, cluster string, uid types.UID, others bool) []step {
	gone := desired{UID: uid, Cluster: cluster, Ref: refOfBalancer(lb)}
	listeners, _ := planListeners(lb, gone)
	steps := listeners.remove
	if !others {
		steps = append(steps, planTargets(lb, gone).remove...)
	}
	if !uses(uid, lb) {
		return steps
	}
	labels := label.With(lb.Labels, nil)
	delete(labels, userLabel(uid))
	releaseStep := updateBalancer(lb, "update labels, without "+string(uid), simcloud.LoadBalancerUpdate{Labels: &labels})
	releaseStep.updatesUsers = true
	return append(steps, releaseStep)
}

// sameListener compares what is wanted; labels of others do not count.
func sameListener(have, want simcloud.ListenerConfig) bool {
	return have.TargetPort == want.TargetPort &&
		reflect.DeepEqual(have.HealthCheck, want.HealthCheck) &&
		slices.Equal(have.AllowedCIDRs, want.AllowedCIDRs) &&
		have.ProxyProtocol == want.ProxyProtocol &&
		have.IdleTimeoutSeconds == want.IdleTimeoutSeconds &&
		label.Has(have.Labels, want.Labels)
}
