package core

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// groupFits answers what keeps a listener of a load balancer from forwarding to the group
// that it names, if it names one; path leads to the listener in the request.
func (t *txn) groupFits(lb simcloud.LoadBalancer, listener simcloud.Listener, path string) error {
	id, kind := listener.TargetGroup, string(simcloud.KindLoadBalancer)
	if id == "" {
		return nil
	}
	group, err := find(t.tx, store.TargetGroups, t.caller.Project, id)
	switch field := path + "targetGroup"; {
	case simcloud.CodeOf(err) == simcloud.NotFound:
		return invalid(kind, field, "target group %q not found", id)
	case err != nil:
		return err
	case group.Network != lb.Network:
		return invalid(kind, field, "%s is of %s: must be of %s", id, group.Network, lb.Network)
	case !group.Fits(listener.Protocol):
		return invalid(kind, field, "%s is for %s: must take the transports of %s", id, group.Protocol, listener.Protocol)
	default:
		return groupFree(group, lb.ID)
	}
}

// groupFree answers Conflict for a group that another load balancer has: its listeners name it, or it is part of it.
func groupFree(group simcloud.TargetGroup, lb simcloud.ID) error {
	ref := simcloud.Ref(simcloud.KindTargetGroup, group.ID)
	switch {
	case group.LoadBalancer != "" && group.LoadBalancer != lb:
		return simcloud.Errorf(simcloud.Conflict, ref, "listeners of %s forward to it", simcloud.Ref(simcloud.KindLoadBalancer, group.LoadBalancer))
	case group.PartOf != "" && group.PartOf != lb:
		return simcloud.Errorf(simcloud.Conflict, ref, "it is part of %s", simcloud.Ref(simcloud.KindLoadBalancer, group.PartOf))
	}
	return nil
}

// assignGroups gives a load balancer the groups that its listeners name, and frees those
// that they named before and name no more.
func (t *txn) assignGroups(lb simcloud.ID, before, after []simcloud.Listener) error {
	had, has := groupsNamed(before), groupsNamed(after)
	for _, id := range had {
		if !slices.Contains(has, id) {
			if err := t.assignGroup(id, ""); err != nil {
				return err
			}
		}
	}
	for _, id := range has {
		if !slices.Contains(had, id) {
			if err := t.assignGroup(id, lb); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *txn) assignGroup(id, lb simcloud.ID) error {
	group, err := store.TargetGroups.Get(t.tx, id)
	if err != nil {
		return err
	}
	group.LoadBalancer = lb
	return store.TargetGroups.Update(t.tx, t.now, &group)
}

// groupsNamed are the groups of listeners, each once.
func groupsNamed(listeners []simcloud.Listener) []simcloud.ID {
	var ids []simcloud.ID
	for _, listener := range listeners {
		if id := listener.TargetGroup; id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// takeBackListeners brings the listeners of before back. One whose group is gone by now, or
// another load balancer's, stays as it is, or stays away.
func (t *txn) takeBackListeners(lb *simcloud.LoadBalancer, was []simcloud.Listener) error {
	now := lb.Listeners
	lb.Listeners = []simcloud.Listener{}
	for _, listener := range was {
		if id := listener.TargetGroup; id != "" {
			group, err := store.TargetGroups.Get(t.tx, id)
			if err != nil && simcloud.CodeOf(err) != simcloud.NotFound {
				return err
			}
			if err != nil || groupFree(group, lb.ID) != nil {
				i := slices.IndexFunc(now, func(l simcloud.Listener) bool { return l.ID == listener.ID })
				if i < 0 {
					continue
				}
				listener = now[i]
			}
		}
		lb.Listeners = append(lb.Listeners, listener)
	}
	return t.assignGroups(lb.ID, now, lb.Listeners)
}
