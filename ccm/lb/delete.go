package lb

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// EnsureLoadBalancerDeleted removes all that was made for a Service: its load
// balancer, then its floating IPs, and what it has of load balancers that it has
// joined. It is an error while more may still appear.
func (l *Balancers) EnsureLoadBalancerDeleted(ctx context.Context, cluster string, svc *v1.Service) error {
	end, err := l.deps.Turns.Take(ctx, svc.UID)
	if err != nil {
		return err
	}
	defer end()
	if err := l.removeOwn(ctx, svc.UID); err != nil {
		return err
	}
	if err := l.detachAll(ctx, svc, cluster); err != nil {
		return err
	}
	if err := l.releaseShare(ctx, svc, cluster); err != nil {
		return err
	}
	return l.unknown(svc)
}

// removeOwn removes what was made for a Service alone.
func (l *Balancers) removeOwn(ctx context.Context, uid types.UID) error {
	inv, err := l.inventory(ctx, uid)
	if err != nil {
		return err
	}
	if len(inv.balancers) > 0 || len(inv.floatingIPs) > 0 {
		l.settleAll(uid) // there is one load balancer at most, and without it no floating IP is made
	}
	for _, lb := range inv.balancers {
		if err := l.delete(ctx, lb); err != nil {
			return err
		}
	}
	for _, ip := range inv.floatingIPs {
		if err := l.release(ctx, ip, inv.balancers, detached); err != nil {
			return err
		}
	}
	return l.overdue(uid, inv)
}

// delete removes a load balancer. It is an error while the cloud is still at it.
func (l *Balancers) delete(ctx context.Context, lb simcloud.LoadBalancer, opts ...simcloud.CallOption) error {
	if lb.State == simcloud.LoadBalancerDeleting {
		return call.NotReady("load balancer %s is still being deleted", lb.ID)
	}
	op, err := l.api.DeleteLoadBalancer(ctx, lb.ID, opts...)
	switch {
	case call.IsGone(err):
		return nil
	case err != nil:
		return fmt.Errorf("delete load balancer %s: %w", lb.ID, err)
	case op.State != simcloud.OperationDone:
		return call.NotReady("load balancer %s is being deleted: operation %s is %s", lb.ID, op.ID, op.State)
	}
	return nil
}
