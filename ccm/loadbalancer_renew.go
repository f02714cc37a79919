package ccm

import (
	"context"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// becomes reports whether a load balancer can be changed into what is wanted.
func becomes(lb simcloud.LoadBalancer, want desired) bool {
	return lb.State != simcloud.LoadBalancerError && lb.Scheme == want.Scheme && want.Addresses.had(lb)
}

// renew puts a load balancer that cannot be changed into what is wanted into
// a state in which it can, or has it make way for another.
func (l *loadBalancers) renew(ctx context.Context, svc *v1.Service, lb simcloud.LoadBalancer, want desired) error {
	others := l.services.others(lb, want.UID)
	switch {
	case !want.Place.joined() || len(others) == 0:
		return l.replace(ctx, svc, lb, want)
	case lb.State == simcloud.LoadBalancerError:
		return l.failover(ctx, svc, lb)
	default:
		return simcloud.Errorf(simcloud.InUse, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID),
			"the Service asks for %s, and %d others are served: it cannot be replaced", want.kind(), len(others))
	}
}

// replace deletes a load balancer that cannot be changed into what is wanted.
// It goes before its successor comes, so that there are never two; a floating IP stays.
func (l *loadBalancers) replace(ctx context.Context, svc *v1.Service, lb simcloud.LoadBalancer, want desired) error {
	if err := usable(lb); err != nil && lb.State != simcloud.LoadBalancerError {
		return err
	}
	if lb.State == simcloud.LoadBalancerError {
		l.events.warning(svc, ReasonReplacing, "Load balancer %s is in state error (%s) and is replaced", lb.ID, lb.StatusText)
	} else {
		l.events.normal(svc, ReasonReplacing, "Load balancer %s is %s and is replaced, because the Service asks for %s", lb.ID, lb.Scheme, want.kind())
	}
	return l.delete(ctx, lb)
}
