package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// DeleteLoadBalancer removes a load balancer.
func (c *Cloud) DeleteLoadBalancer(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	call := call{verb: "DeleteLoadBalancer", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, c, call, func(w *work) (simcloud.Operation, error) {
		lb, err := take(w, store.LoadBalancers, id)
		if err != nil {
			return simcloud.Operation{}, err
		}
		op, err := w.start(simcloud.KindLoadBalancer, id, true)
		if err != nil {
			return op, err
		}
		if !running(op) {
			if err := w.buryLoadBalancer(lb); err != nil {
				return op, err
			}
			return op, w.record(&op)
		}
		lb.State, lb.Operation = simcloud.LoadBalancerDeleting, op.ID
		if err := store.LoadBalancers.Update(w.tx, w.now, &lb); err != nil {
			return op, err
		}
		return op, w.record(&op, store.Effect{Ref: store.Ref{Kind: simcloud.KindLoadBalancer, ID: id}})
	})
}

// buryLoadBalancer removes a load balancer and all that leads to it.
func (w *work) buryLoadBalancer(lb simcloud.LoadBalancer) error {
	ref := store.Ref{Kind: simcloud.KindLoadBalancer, ID: lb.ID}
	if err := w.detachAll(ref); err != nil {
		return err
	}
	for _, vip := range lb.VIPs {
		if vip.FloatingIP != "" {
			continue
		}
		if err := w.releasePrivate(lb.Network, vip.Address, ref); err != nil {
			return err
		}
	}
	return store.LoadBalancers.Delete(w.tx, w.now, lb.ID)
}
