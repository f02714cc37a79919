package core

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// joinBalancer makes a group part of a load balancer, or of none: see TargetGroup.PartOf.
func (t *txn) joinBalancer(group *simcloud.TargetGroup, id simcloud.ID) error {
	if id == group.PartOf {
		return nil
	}
	if id != "" {
		if err := t.canJoin(*group, id); err != nil {
			return err
		}
	}
	group.PartOf = id
	return nil
}

func (t *txn) canJoin(group simcloud.TargetGroup, id simcloud.ID) error {
	const kind, field = string(simcloud.KindTargetGroup), "partOf"
	lb, err := find(t.tx, store.LoadBalancers, t.caller.Project, id)
	switch {
	case simcloud.CodeOf(err) == simcloud.NotFound:
		return invalid(kind, field, "load balancer %q not found", id)
	case err != nil:
		return err
	case lb.Network != group.Network:
		return invalid(kind, field, "%s is of %s: must be of %s", id, lb.Network, group.Network)
	}
	if lb.State == simcloud.LoadBalancerDeleting {
		if err := t.idle(simcloud.Ref(simcloud.KindLoadBalancer, id), &lb.Meta); err != nil {
			return err
		}
	}
	group.PartOf = "" // which the call replaces
	return groupFree(group, id)
}

// dropParts removes the groups that are part of a load balancer, which is gone: no listener of it names a group any more, so
// that those that refer to it are its parts.
func (t *txn) dropParts(lb simcloud.ID) error {
	groups, err := store.TargetGroups.Referring(t.tx, store.Ref{Kind: simcloud.KindLoadBalancer, ID: lb})
	if err != nil {
		return err
	}
	for _, group := range groups {
		if err := store.TargetGroups.Delete(t.tx, t.now, group.ID); err != nil {
			return err
		}
	}
	return nil
}
