package ccm

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// desire is what the load balancer is to be. A Service that asks for what
// cannot be is told so, before anything has changed.
func (l *loadBalancers) desire(ctx context.Context, cluster string, svc *v1.Service, nodes []*v1.Node) (desired, error) {
	want, err := desire(cluster, svc, nil, l.config)
	if err != nil {
		l.events.warning(svc, ReasonInvalid, "%v", err)
		return desired{}, fmt.Errorf("service %s/%s: %w", svc.Namespace, svc.Name, err)
	}
	targets, err := l.targetsOf(ctx, nodes)
	if err != nil {
		return desired{}, retryLater(err)
	}
	want.Targets = want.targetSpecs(targets)
	return want, nil
}

// targetsOf returns the instances of nodes. A Node that is not initialised yet
// comes back once it is: its provider id is a change that the controller follows.
// A Node that the cloud could not be asked about is an error, because it may be a target now.
func (l *loadBalancers) targetsOf(ctx context.Context, nodes []*v1.Node) ([]simcloud.ID, error) {
	var ids []simcloud.ID
	for _, node := range nodes {
		if node.Spec.ProviderID == "" {
			klog.V(2).InfoS("The node is no target until it has a provider id", "node", node.Name)
			continue
		}
		id, err := l.regions.parse(ctx, node.Spec.ProviderID)
		switch {
		case err != nil && !errors.Is(err, errForeign):
			return nil, fmt.Errorf("node %s: %w", node.Name, err)
		case err != nil:
			klog.InfoS("The node is no target", "node", node.Name, "reason", err.Error())
		default:
			ids = append(ids, id.Instance)
		}
	}
	return ids, nil
}

func (l *loadBalancers) ensure(ctx context.Context, svc *v1.Service, want desired) (*v1.LoadBalancerStatus, error) {
	if want.Place.joined() {
		end, err := l.turns.take(ctx, want.Place.turn())
		if err != nil {
			return nil, err
		}
		defer end()
	}
	want, inv, err := l.arrive(ctx, svc, want)
	if err != nil {
		return nil, err
	}
	lb, err := l.ensureBalancer(ctx, svc, want, inv)
	if err != nil {
		return nil, err
	}
	lb, err = l.converge(ctx, svc, lb, want.Place.joined(), func(lb simcloud.LoadBalancer) ([]step, error) { return plan(lb, want) })
	if err != nil {
		return nil, err
	}
	l.tellLeftOut(svc, lb, want)
	l.tellFollowing(svc, want, lb)
	lb, addresses, err := l.ensureAddresses(ctx, want, lb, inv)
	if err != nil {
		return nil, err
	}
	if err := l.judgeFamilies(svc, want, lb, addresses); err != nil {
		return nil, err
	}
	l.settleAll(svc.UID)
	return statusOf(addresses, want.IPMode), usable(lb)
}

// arrive brings a Service to its place: it has left any other then, and what
// is there can be changed into what is wanted.
func (l *loadBalancers) arrive(ctx context.Context, svc *v1.Service, want desired) (desired, inventory, error) {
	want, inv, err := l.at(ctx, want)
	if err != nil {
		return want, inv, err
	}
	if want.Place.joined() && len(inv.balancers) > 0 {
		if err := l.judge(want, inv.balancers[0]); err != nil {
			return want, inv, err
		}
	}
	if err := l.leaveElsewhere(ctx, svc, want, inv); err != nil {
		return want, inv, err
	}
	if len(inv.balancers) == 1 && !becomes(inv.balancers[0], want) {
		if err := l.renew(ctx, svc, inv.balancers[0], want); err != nil {
			return want, inv, err
		}
		return l.at(ctx, want)
	}
	return want, inv, nil
}

// ensureBalancer returns the load balancer of the Service, and makes it when there is none.
func (l *loadBalancers) ensureBalancer(ctx context.Context, svc *v1.Service, want desired, inv inventory) (simcloud.LoadBalancer, error) {
	if len(inv.balancers) > 0 {
		lb, err := only(inv.balancers, svc)
		if err != nil {
			return lb, err
		}
		l.newBalancer.forget(ownerOf(want))
		return lb, usable(lb)
	}
	lb, err := l.createBalancer(ctx, svc, want, inv.balancersAt)
	if err != nil {
		return lb, fmt.Errorf("create the load balancer: %w", err)
	}
	if lb.State == simcloud.LoadBalancerActive && !becomes(lb, want) {
		return lb, notReady("%s was made for an earlier version of the Service", simcloud.Ref(simcloud.KindLoadBalancer, lb.ID))
	}
	return lb, usable(lb)
}

// usable reports whether the load balancer can be changed and its addresses can be told.
func usable(lb simcloud.LoadBalancer) error {
	ref := simcloud.Ref(simcloud.KindLoadBalancer, lb.ID)
	switch lb.State {
	case simcloud.LoadBalancerActive:
		return nil
	case simcloud.LoadBalancerProvisioning, simcloud.LoadBalancerUpdating, simcloud.LoadBalancerDeleting:
		return notReady("%s is %s", ref, lb.State)
	default:
		return fmt.Errorf("%s is in state %s: %s", ref, lb.State, lb.StatusText)
	}
}

func (l *loadBalancers) get(ctx context.Context, id simcloud.ID) (simcloud.LoadBalancer, error) {
	lb, err := l.api.GetLoadBalancer(ctx, id)
	if err != nil {
		return lb, fmt.Errorf("read load balancer %s: %w", id, err)
	}
	return lb, nil
}

// tellRefusal puts an Event on the Service when the cloud will not, until
// somebody does something about it. What is only late or busy is not told.
func (l *loadBalancers) tellRefusal(svc *v1.Service, err error) {
	switch simcloud.CodeOf(err) {
	case simcloud.Invalid, simcloud.AlreadyExists, simcloud.InUse, simcloud.QuotaExceeded, simcloud.Capacity,
		simcloud.Unauthenticated, simcloud.Forbidden, simcloud.Unimplemented:
		l.events.warning(svc, ReasonRefused, "%v", err)
	default:
	}
}
