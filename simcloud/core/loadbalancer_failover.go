package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// FailoverLoadBalancer replaces the machines behind a load balancer.
func (c *Cloud) FailoverLoadBalancer(
	ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.LoadBalancer], error) {
	call := call{verb: "FailoverLoadBalancer", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return mutate(ctx, c, call, func(w *work) (loadBalancerResult, error) {
		lb, err := take(w, store.LoadBalancers, id)
		if err != nil {
			return loadBalancerResult{}, err
		}
		return w.reconfigure(lb)
	})
}

// reconfigure keeps a changed load balancer, which is active again once the operation is done.
func (w *work) reconfigure(lb simcloud.LoadBalancer) (loadBalancerResult, error) {
	op, err := w.start(simcloud.KindLoadBalancer, lb.ID, true)
	if err != nil {
		return loadBalancerResult{}, err
	}
	lb.StatusText = ""
	effects := settleInto(&lb, op, simcloud.LoadBalancerUpdating)
	if err := store.LoadBalancers.Update(w.tx, w.now, &lb); err != nil {
		return loadBalancerResult{}, err
	}
	return loadBalancerResult{Resource: lb, Operation: op}, w.record(&op, effects...)
}

// mutable answers Conflict for a load balancer in error. As in OpenStack's
// Octavia it can be failed over or deleted, and nothing else: what its machines
// would make of a change nobody knows. Floating IPs come and go all the same:
// they are not a matter of the machines.
func mutable(lb simcloud.LoadBalancer) error {
	if lb.State != simcloud.LoadBalancerError {
		return nil
	}
	return simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID),
		"it is in error: fail it over or delete it")
}

// brokenText is what the cloud says of a load balancer in error.
const brokenText = "the last operation failed: the load balancer has to be failed over"
