package ccm

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// step is one call on the way to what is desired.
type step struct {
	does string // for logs, errors and tests
	// target is the instance that the step adds or removes, if it does.
	target simcloud.ID
	do     func(ctx context.Context, api loadBalancerAPI) error
}

// plan returns the calls that make lb what is wanted, additions first, so that
// no connection meets a load balancer without listener or target on the way.
// Listeners and targets of others stay; one that is in the way is an error.
func plan(lb simcloud.LoadBalancer, want desired) ([]step, error) {
	uid := ownerOf(want)
	listeners, err := planListeners(lb, want, uid)
	if err != nil {
		return nil, err
	}
	targets := planTargets(lb, want, uid)
	return slices.Concat(planSettings(lb, want), listeners.add, targets.add, listeners.remove, targets.remove), nil
}

// changes are steps that add or change, and steps that remove.
type changes struct{ add, remove []step }

func planSettings(lb simcloud.LoadBalancer, want desired) []step {
	var update simcloud.LoadBalancerUpdate
	does := ""
	if !hasLabels(lb.Labels, want.Labels) {
		labels := withLabels(lb.Labels, want.Labels)
		update.Labels, does = &labels, does+" labels"
	}
	if lb.Algorithm != want.Algorithm {
		update.Algorithm, does = &want.Algorithm, does+" algorithm="+string(want.Algorithm)
	}
	if lb.Affinity != want.Affinity {
		update.Affinity, does = &want.Affinity, does+fmt.Sprintf(" affinity=%+v", want.Affinity)
	}
	if does == "" {
		return nil
	}
	return []step{{does: "update" + does, do: func(ctx context.Context, api loadBalancerAPI) error {
		// The version guards the labels, which are replaced as a whole.
		_, err := api.UpdateLoadBalancer(ctx, lb.ID, update, simcloud.IfVersion(lb.Version))
		return err
	}}}
}

func planListeners(lb simcloud.LoadBalancer, want desired, uid types.UID) (c changes, err error) {
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
		case !ownedBy(uid, got.Labels):
			return c, simcloud.Errorf(simcloud.InUse, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID),
				"listener %s is there and not this Service's: remove it, or choose another port", id)
		case !sameListener(got.ListenerConfig, spec.ListenerConfig):
			c.add = append(c.add, updateListener(lb.ID, got, spec.ListenerConfig))
		}
	}
	for _, l := range lb.Listeners {
		if ownedBy(uid, l.Labels) && !wanted[l.ID] {
			c.remove = append(c.remove, deleteListener(lb.ID, l.ID))
		}
	}
	return c, nil
}

func planTargets(lb simcloud.LoadBalancer, want desired, uid types.UID) (c changes) {
	wanted := map[simcloud.ID]bool{}
	for _, spec := range want.Targets {
		wanted[spec.Instance] = true
		// A target that somebody else has added serves as well.
		if !slices.ContainsFunc(lb.Targets, func(t simcloud.Target) bool { return t.Instance == spec.Instance }) {
			c.add = append(c.add, createTarget(lb.ID, spec))
		}
	}
	for _, t := range lb.Targets {
		if ownedBy(uid, t.Labels) && !wanted[t.Instance] {
			c.remove = append(c.remove, deleteTarget(lb.ID, t.Instance))
		}
	}
	return c
}

// sameListener compares what is wanted; labels of others do not count.
func sameListener(have, want simcloud.ListenerConfig) bool {
	return have.TargetPort == want.TargetPort &&
		sameHealthCheck(have.HealthCheck, want.HealthCheck) &&
		slices.Equal(have.AllowedCIDRs, want.AllowedCIDRs) &&
		have.ProxyProtocol == want.ProxyProtocol &&
		have.IdleTimeoutSeconds == want.IdleTimeoutSeconds &&
		hasLabels(have.Labels, want.Labels)
}

func sameHealthCheck(have, want *simcloud.HealthCheck) bool {
	if have == nil || want == nil {
		return have == want
	}
	return *have == *want
}
