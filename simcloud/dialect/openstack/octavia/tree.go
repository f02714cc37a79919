package octavia

import (
	"cmp"
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
	groups, err := groupsOf(c, id)
	if err != nil {
		return tree{}, err
	}
	return newTree(c, lb, partsOf(groups)[id])
}

// groupsOf reads the target groups that refer to a load balancer.
func groupsOf(c service.Call, lb simcloud.ID) ([]simcloud.TargetGroup, error) {
	return simcloud.ListAll(c.Ctx(), c.Cloud.ListTargetGroups, simcloud.ListOptions{
		PageSize: simcloud.MaxPageSize, RefersTo: simcloud.Ref(simcloud.KindLoadBalancer, lb),
	})
}

// partsOf are the target groups that are a part of a load balancer, by its id.
func partsOf(groups []simcloud.TargetGroup) map[simcloud.ID][]simcloud.TargetGroup {
	parts := map[simcloud.ID][]simcloud.TargetGroup{}
	for _, g := range groups {
		parts[g.PartOf] = append(parts[g.PartOf], g)
	}
	return parts
}

// trees reads the load balancers that a list is about, with their pools.
func trees(c service.Call, keep func(simcloud.LoadBalancer) bool) ([]tree, error) {
	lbs, err := service.All(c, c.Cloud.ListLoadBalancers)
	if err != nil {
		return nil, err
	}
	lbs = slices.DeleteFunc(lbs, func(lb simcloud.LoadBalancer) bool { return !keep(lb) })
	var groups []simcloud.TargetGroup
	if len(lbs) == 1 {
		groups, err = groupsOf(c, lbs[0].ID)
	} else if len(lbs) > 1 {
		groups, err = service.All(c, c.Cloud.ListTargetGroups)
	}
	if err != nil {
		return nil, err
	}
	parts, all := partsOf(groups), make([]tree, len(lbs))
	for i, lb := range lbs {
		if all[i], err = newTree(c, lb, parts[lb.ID]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// newTree is a load balancer as Octavia can show it: also one that another client has made, without the listeners of
// protocols that Octavia does not have.
func newTree(c service.Call, lb simcloud.LoadBalancer, pools []simcloud.TargetGroup) (t tree, err error) {
	lb.Listeners = slices.DeleteFunc(slices.Clone(lb.Listeners), func(l simcloud.Listener) bool { return protocolAt(l.Protocol) < 0 })
	t = tree{lb, slices.Clone(pools)}
	for i := range t.pools {
		if err = addressed(c, &t.pools[i]); err != nil {
			return t, err
		}
	}
	return t, nil
}

// addressed gives the targets that another client has added the address that Octavia knows members by.
func addressed(c service.Call, g *simcloud.TargetGroup) error {
	var cloned bool
	for i, target := range g.Targets {
		if target.Options[optionAddress] != "" {
			continue
		}
		if !cloned {
			g.Targets, cloned = slices.Clone(g.Targets), true
		}
		address, err := addressOf(c, target, g.Network)
		if err != nil {
			return err
		}
		kept := copyOptions(target.Options)
		kept.text(optionAddress, address)
		g.Targets[i].Options = kept
	}
	return nil
}

// addressOf is the address of a target: its own, or one that its instance has in a network.
func addressOf(c service.Call, target simcloud.GroupTarget, network simcloud.ID) (string, error) {
	if target.Address != "" {
		return target.Address, nil
	}
	instance, err := c.Cloud.GetInstance(c.Ctx(), target.Instance)
	if err != nil && simcloud.CodeOf(err) != simcloud.NotFound {
		return "", err
	}
	return privateAddress(instance, network), nil
}

// privateAddress is the first address that an instance has in a network; empty when it has none.
func privateAddress(i simcloud.Instance, network simcloud.ID) string {
	for _, a := range i.Addresses {
		if isIn(a, i, network) {
			return a.Address
		}
	}
	return ""
}

// isIn reports whether an address of an instance is in a network.
func isIn(a simcloud.Address, of simcloud.Instance, network simcloud.ID) bool {
	return a.Scope == simcloud.ScopePrivate && cmp.Or(a.Network, of.Network) == network
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
	if shown := t.pool(id); shown != nil {
		pool = *shown
	}
	return t, pool, err
}

// pool returns the pool of an id; nil when the load balancer has none such.
func (t tree) pool(id simcloud.ID) *simcloud.TargetGroup {
	i := slices.IndexFunc(t.pools, func(p simcloud.TargetGroup) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return &t.pools[i]
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
		if pool.Options[optionAlgorithm] == leastConnections {
			algorithm = simcloud.LeastConnections
		}
		if p := valueIn[*persistence](pool.Options, optionPersistence); p != nil && p.Type == sourceIP {
			affinity = simcloud.Affinity{ClientIP: true, TimeoutSeconds: p.timeout()}
		}
	}
	return algorithm, affinity
}
