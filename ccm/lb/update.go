package lb

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// UpdateLoadBalancer makes the targets of a Service's load balancer those that
// the nodes are. Without a load balancer it is an error: the controller then
// asks whether there still has to be one.
func (l *Balancers) UpdateLoadBalancer(ctx context.Context, cluster string, svc *v1.Service, nodes []*v1.Node) error {
	end, err := l.deps.Turns.Take(ctx, svc.UID)
	if err != nil {
		return err
	}
	defer end()
	if svc.DeletionTimestamp != nil {
		return nil
	}
	if err := l.updateTargets(ctx, cluster, svc, nodes); err != nil {
		l.deps.Turns.Miss(svc.UID)
		return call.RetryLater(err)
	}
	return nil
}

func (l *Balancers) updateTargets(ctx context.Context, cluster string, svc *v1.Service, nodes []*v1.Node) error {
	want, err := l.desire(ctx, cluster, svc, nodes)
	if err != nil {
		return err
	}
	end, err := l.takeShared(ctx, want.Ref)
	if err != nil {
		return err
	}
	defer end()
	want, inv, err := l.find(ctx, want)
	if err != nil {
		return err
	}
	lb, err := only(inv.balancers, svc)
	if err != nil {
		return err
	}
	if want.Ref.joined() && !uses(svc.UID, lb) {
		return simcloud.Errorf(simcloud.NotFound, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID), "the Service does not use it yet")
	}
	lb, err = l.converge(ctx, svc, lb, want.Ref.joined(), func(lb simcloud.LoadBalancer) ([]step, error) {
		targets := planTargets(lb, want)
		return slices.Concat(targets.add, targets.remove), nil
	})
	l.recordSkippedNodes(svc, lb, want)
	return err
}
