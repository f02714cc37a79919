package lb

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// planTargets returns the calls that make the targets those that are wanted, as
// far as the load balancer takes so many.
func planTargets(lb simcloud.LoadBalancer, want desired) (c changes) {
	wanted := chooseTargets(lb, want)
	for _, spec := range wanted {
		// A target that another client has added serves as well.
		if !isTarget(lb, spec.Instance) {
			c.add = append(c.add, createTarget(lb.ID, spec))
		}
	}
	for _, t := range lb.Targets {
		if isOurs(lb, t, want) && !slices.ContainsFunc(wanted, func(spec simcloud.TargetSpec) bool { return spec.Instance == t.Instance }) {
			c.remove = append(c.remove, deleteTarget(lb.ID, t.Key()))
		}
	}
	return c.withRoom(lb)
}

// isOurs reports whether a target is the Service's to remove. One of a Service
// that has left a load balancer belongs to all Services of the same cluster that have stayed.
func isOurs(lb simcloud.LoadBalancer, t simcloud.Target, want desired) bool {
	owner := t.Labels[label.ServiceUID]
	return label.OwnedBy(want.UID, t.Labels) ||
		want.Ref.joined() && t.Labels[label.Cluster] == want.Cluster && owner != "" && !uses(types.UID(owner), lb)
}

func isTarget(lb simcloud.LoadBalancer, instance simcloud.ID) bool {
	return slices.ContainsFunc(lb.Targets, func(t simcloud.Target) bool { return t.Instance == instance })
}

// chooseTargets returns those of the wanted targets that there is room for. It
// keeps who is a target already, and otherwise goes by the ids, so that it
// chooses the same each time.
func chooseTargets(lb simcloud.LoadBalancer, want desired) []simcloud.TargetSpec {
	if lb.MaxTargets == 0 {
		return want.Targets
	}
	room := lb.MaxTargets
	for _, t := range lb.Targets {
		wanted := slices.ContainsFunc(want.Targets, func(spec simcloud.TargetSpec) bool { return spec.Instance == t.Instance })
		if wanted || !isOurs(lb, t, want) {
			room--
		}
	}
	var chosen []simcloud.TargetSpec
	for _, spec := range want.Targets {
		is := isTarget(lb, spec.Instance)
		if !is && room <= 0 {
			continue
		}
		if !is {
			room--
		}
		chosen = append(chosen, spec)
	}
	return chosen
}

// withRoom has a target removed before one is added that would be too many.
func (c changes) withRoom(lb simcloud.LoadBalancer) changes {
	if lb.MaxTargets == 0 {
		return c
	}
	room := lb.MaxTargets - len(lb.Targets)
	var add []step
	for _, s := range c.add {
		if room <= 0 && len(c.remove) > 0 {
			add, c.remove = append(add, c.remove[0]), c.remove[1:]
			room++
		}
		add, room = append(add, s), room-1
	}
	c.add = add
	return c
}

// leftOut are the wanted targets that a load balancer has no room for.
func leftOut(lb simcloud.LoadBalancer, want desired) []simcloud.ID {
	var left []simcloud.ID
	for _, spec := range want.Targets {
		if lb.MaxTargets > 0 && len(lb.Targets) >= lb.MaxTargets && !isTarget(lb, spec.Instance) {
			left = append(left, spec.Instance)
		}
	}
	return left
}
