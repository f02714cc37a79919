package octavia

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// tree is a load balancer with its pools.
type tree struct {
	simcloud.LoadBalancer
	pools []simcloud.TargetGroup
}

// treeOf reads a load balancer with its pools.
func treeOf(c service.Call, id simcloud.ID) (tree, error) {
	lb, err := c.Cloud.GetLoadBalancer(c.Ctx(), id)
	if err != nil {
		return tree{}, err
	}
	pools, err := simcloud.ListAll(c.Ctx(), c.Cloud.ListTargetGroups, simcloud.ListOptions{
		PageSize: simcloud.MaxPageSize, RefersTo: simcloud.Ref(simcloud.KindLoadBalancer, id),
	})
	return tree{lb, partsOf(id, pools)}, err
}

// partsOf are the target groups that are a part of a load balancer.
func partsOf(lb simcloud.ID, groups []simcloud.TargetGroup) []simcloud.TargetGroup {
	return slices.DeleteFunc(groups, func(g simcloud.TargetGroup) bool { return g.PartOf != lb })
}

// trees reads all load balancers with their pools.
func trees(c service.Call) ([]tree, error) {
	lbs, err := service.All(c, c.Cloud.ListLoadBalancers)
	if err != nil {
		return nil, err
	}
	groups, err := service.All(c, c.Cloud.ListTargetGroups)
	if err != nil {
		return nil, err
	}
	all := make([]tree, len(lbs))
	for i, lb := range lbs {
		all[i] = tree{lb, partsOf(lb.ID, slices.Clone(groups))}
	}
	return all, nil
}

// uuid is the id of the load balancer.
func (t tree) uuid() string { return service.LoadBalancers.UUID(t.ID) }

// listener returns the listener of an id; nil when the load balancer has none such.
func (t tree) listener(id simcloud.ID) *simcloud.Listener {
	i := slices.IndexFunc(t.Listeners, func(l simcloud.Listener) bool { return l.ID == id })
	if i < 0 {
		return nil
	}
	return &t.Listeners[i]
}

// listenersOf are the listeners that forward to a pool.
func (t tree) listenersOf(pool simcloud.ID) []simcloud.Listener {
	return slices.DeleteFunc(slices.Clone(t.Listeners), func(l simcloud.Listener) bool { return l.TargetGroup != pool })
}

// poolOf is the tree of a pool, and the pool in it.
func poolOf(c service.Call, id simcloud.ID) (tree, simcloud.TargetGroup, error) {
	pool, err := c.Cloud.GetTargetGroup(c.Ctx(), id)
	if err != nil {
		return tree{}, pool, err
	}
	if pool.PartOf == "" { // it is of another dialect
		return tree{}, pool, simcloud.Errorf(simcloud.NotFound, simcloud.Ref(simcloud.KindTargetGroup, id), "it is no part of a load balancer")
	}
	t, err := treeOf(c, pool.PartOf)
	return t, pool, err
}

// mutable answers a conflict while something runs on the load balancer, or when it is in error: what is a part of it
// cannot be changed then.
func (t tree) mutable() error {
	if t.State == simcloud.LoadBalancerActive {
		return nil
	}
	return service.Refuse(simcloud.Conflict, service.Code{Status: http.StatusConflict}, "Load Balancer %s is immutable and cannot be updated.", t.uuid())
}

// in answers a conflict unless the load balancer itself is in one of the states that a change of it needs.
func (t tree) in(states ...simcloud.LoadBalancerState) error {
	if slices.Contains(states, t.State) {
		return nil
	}
	return service.Refuse(simcloud.Conflict, service.Code{Status: http.StatusConflict}, "Invalid state %s of loadbalancer resource %s", provisioning[t.State], t.uuid())
}

// touched makes the load balancer busy for a change of what is a part of it: that is no change of the load balancer in the
// cloud, but in Octavia it is.
func (t tree) touched(c service.Call) error {
	kept := copyOptions(t.Options)
	kept[optionGeneration] = strconv.Itoa(numberIn(kept, optionGeneration, 0) + 1)
	plain := map[string]string(kept)
	update := simcloud.LoadBalancerUpdate{Options: &plain}
	t.balance(&update)
	_, err := c.Cloud.UpdateLoadBalancer(c.Ctx(), t.ID, update)
	return err
}

// balance takes over how the first pool chooses members: the cloud knows that of the whole load balancer.
func (t tree) balance(update *simcloud.LoadBalancerUpdate) {
	algorithm, affinity := balancing(t.pools)
	update.Algorithm, update.Affinity = &algorithm, &affinity
}

func balancing(pools []simcloud.TargetGroup) (simcloud.Algorithm, simcloud.Affinity) {
	algorithm, affinity := simcloud.RoundRobin, simcloud.Affinity{}
	for _, pool := range pools {
		if pool.Options[optionAlgorithm] == "LEAST_CONNECTIONS" {
			algorithm = simcloud.LeastConnections
		}
		if p := valueIn[*persistence](pool.Options, optionPersistence); p != nil && p.Type == sourceIP {
			affinity = simcloud.Affinity{ClientIP: true, TimeoutSeconds: p.timeout()}
		}
	}
	return algorithm, affinity
}
