package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// DeleteLoadBalancer removes a load balancer.
func (m mutations) DeleteLoadBalancer(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteLoadBalancer", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (simcloud.Operation, error) {
		lb, err := getForDeletion(t, store.LoadBalancers, id)
		if err != nil {
			return simcloud.Operation{}, err
		}
		op, err := t.start(simcloud.KindLoadBalancer, id, true)
		if err != nil {
			return op, err
		}
		if !running(op) {
			if err := t.buryLoadBalancer(lb); err != nil {
				return op, err
			}
			return op, t.record(&op)
		}
		lb.State, lb.Operation = simcloud.LoadBalancerDeleting, op.ID
		if err := store.LoadBalancers.Update(t.tx, t.now, &lb); err != nil {
			return op, err
		}
		return op, t.record(&op, store.Effect{Ref: store.Ref{Kind: simcloud.KindLoadBalancer, ID: id}})
	})
}

// buryLoadBalancer removes a load balancer, all that leads to it and the target groups that are part of it. The groups go last:
// whoever follows the events sees no listener without its group.
func (t *txn) buryLoadBalancer(lb simcloud.LoadBalancer) error {
	if err := t.detachAll(store.Ref{Kind: simcloud.KindLoadBalancer, ID: lb.ID}); err != nil {
		return err
	}
	if err := t.assignGroups(lb.ID, lb.Listeners, nil); err != nil {
		return err
	}
	for _, vip := range lb.VIPs {
		if err := t.releaseVIP(lb, vip); err != nil {
			return err
		}
	}
	if err := store.LoadBalancers.Delete(t.tx, t.now, lb.ID); err != nil {
		return err
	}
	return t.dropParts(lb.ID)
}
