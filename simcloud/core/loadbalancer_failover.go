package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// FailoverLoadBalancer replaces the machines behind a load balancer.
func (m mutations) FailoverLoadBalancer(
	ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.LoadBalancer], error) {
	req := request{verb: "FailoverLoadBalancer", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (loadBalancerResult, error) {
		lb, err := getForUpdate(t, store.LoadBalancers, id)
		if err != nil {
			return loadBalancerResult{}, err
		}
		return t.reconfigure(lb)
	})
}

// reconfigure keeps a changed load balancer, which is active again once the operation is done. The change of one that is busy is
// done at once, and the operation that runs on it goes on.
func (t *txn) reconfigure(lb simcloud.LoadBalancer) (loadBalancerResult, error) {
	busy := lb.Operation != "" // see Config.ChangesWhileBusy
	op, err := t.start(simcloud.KindLoadBalancer, lb.ID, !busy)
	if err != nil {
		return loadBalancerResult{}, err
	}
	var effects []store.Effect
	if !busy {
		lb.StatusText = ""
		effects = settleInto(&lb, op, simcloud.LoadBalancerUpdating)
	}
	if err := store.LoadBalancers.Update(t.tx, t.now, &lb); err != nil {
		return loadBalancerResult{}, err
	}
	return loadBalancerResult{Resource: lb, Operation: op}, t.record(&op, effects...)
}

// mutable answers Conflict for a load balancer in error. As in OpenStack's
// Octavia it can be failed over or deleted, and nothing else: the effect
// of a change on its machines is unknown. Floating IPs can still be attached and
// detached: they do not depend on the machines.
func mutable(lb simcloud.LoadBalancer) error {
	if lb.State != simcloud.LoadBalancerError {
		return nil
	}
	return simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID),
		"it is in error: fail it over or delete it")
}

// brokenText is what the cloud says of a load balancer in error.
const brokenText = "the last operation failed: the load balancer has to be failed over"
