package lb

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// EnsureLoadBalancer makes the load balancer of a Service what it is to be and
// returns its addresses. It can begin again from wherever it was interrupted,
// and writes nothing when nothing differs.
func (l *Balancers) EnsureLoadBalancer(ctx context.Context, cluster string, svc *v1.Service, nodes []*v1.Node) (*v1.LoadBalancerStatus, error) {
	end, err := l.deps.Turns.Take(ctx, svc.UID)
	if err != nil {
		return nil, err
	}
	defer end()
	if svc.DeletionTimestamp != nil {
		return nil, fmt.Errorf("service %s/%s is being deleted: nothing is made for it any more", svc.Namespace, svc.Name)
	}
	want, err := l.desire(ctx, cluster, svc, nodes)
	if err != nil {
		return nil, err
	}
	status, err := l.ensure(ctx, svc, want)
	if err != nil {
		l.recordRejected(svc, err)
		return nil, call.RetryLater(err)
	}
	return status, nil
}

// ensure brings the cloud to what is desired, in five phases: find what there
// is, adopt it or move away from another load balancer, get or create the load
// balancer, converge its parts, and publish its addresses. No phase needs to
// know whether it runs for the first time.
func (l *Balancers) ensure(ctx context.Context, svc *v1.Service, want desired) (*v1.LoadBalancerStatus, error) {
	end, err := l.takeShared(ctx, want.Ref)
	if err != nil {
		return nil, err
	}
	defer end()

	want, have, err := l.find(ctx, want)
	if err != nil {
		return nil, err
	}
	want, have, err = l.adoptOrMove(ctx, svc, want, have)
	if err != nil {
		return nil, err
	}
	lb, err := l.getOrCreate(ctx, svc, want, have)
	if err != nil {
		return nil, err
	}
	lb, err = l.converge(ctx, svc, lb, want.Ref.joined(), func(lb simcloud.LoadBalancer) ([]step, error) { return plan(lb, want) })
	if err != nil {
		return nil, err
	}
	l.recordSkippedNodes(svc, lb, want)
	l.recordIgnoredSettings(svc, want, lb)
	return l.publish(ctx, svc, want, lb, have)
}

// takeShared waits for the turn at a load balancer that Services join. One of
// the Service's own needs no turn but the Service's.
func (l *Balancers) takeShared(ctx context.Context, ref lbRef) (end func(), err error) {
	if !ref.joined() {
		return func() {}, nil
	}
	return l.deps.Turns.Take(ctx, ref.turn())
}

// adoptOrMove makes what was found fit to be changed into what is wanted: a
// load balancer that the Service may not join is refused, the Service is
// detached from any other, and one that cannot be changed is failed over or
// makes way for a new one.
func (l *Balancers) adoptOrMove(ctx context.Context, svc *v1.Service, want desired, have inventory) (desired, inventory, error) {
	if want.Ref.joined() && len(have.balancers) > 0 {
		if err := l.checkJoin(want, have.balancers[0]); err != nil {
			return want, have, err
		}
	}
	if err := l.detachElsewhere(ctx, svc, want, have); err != nil {
		return want, have, err
	}
	if len(have.balancers) == 1 && !becomes(have.balancers[0], want) {
		if err := l.renew(ctx, svc, have.balancers[0], want); err != nil {
			return want, have, err
		}
		return l.find(ctx, want)
	}
	return want, have, nil
}

// becomes reports whether a load balancer can be changed into what is wanted.
func becomes(lb simcloud.LoadBalancer, want desired) bool {
	return lb.State != simcloud.LoadBalancerError && lb.Scheme == want.Scheme && want.Addresses.had(lb)
}

// renew puts a load balancer that cannot be changed into what is wanted into
// a state in which it can, or has it make way for another.
func (l *Balancers) renew(ctx context.Context, svc *v1.Service, lb simcloud.LoadBalancer, want desired) error {
	others := l.deps.Services.others(lb, want.UID)
	switch {
	case !want.Ref.joined() || len(others) == 0:
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
func (l *Balancers) replace(ctx context.Context, svc *v1.Service, lb simcloud.LoadBalancer, want desired) error {
	if err := usable(lb); err != nil && lb.State != simcloud.LoadBalancerError {
		return err
	}
	if lb.State == simcloud.LoadBalancerError {
		l.deps.Events.warning(svc, ReasonReplacing, "Load balancer %s is in state error (%s) and is replaced", lb.ID, lb.StatusText)
	} else {
		l.deps.Events.normal(svc, ReasonReplacing, "Load balancer %s is %s and is replaced, because the Service asks for %s", lb.ID, lb.Scheme, want.kind())
	}
	return l.delete(ctx, lb)
}

// getOrCreate returns the load balancer of the Service, and makes it when there is none.
func (l *Balancers) getOrCreate(ctx context.Context, svc *v1.Service, want desired, inv inventory) (simcloud.LoadBalancer, error) {
	if len(inv.balancers) > 0 {
		lb, err := only(inv.balancers, svc)
		if err != nil {
			return lb, err
		}
		l.newBalancer.Forget(want.owner())
		return lb, usable(lb)
	}
	lb, err := l.createBalancer(ctx, svc, want, inv.balancersAt)
	if err != nil {
		return lb, fmt.Errorf("create the load balancer: %w", err)
	}
	if lb.State == simcloud.LoadBalancerActive && !becomes(lb, want) {
		return lb, call.NotReady("%s was made for an earlier version of the Service", simcloud.Ref(simcloud.KindLoadBalancer, lb.ID))
	}
	return lb, usable(lb)
}

// publish gives the load balancer its addresses and returns them as the status
// of the Service, once it can be reached by them.
func (l *Balancers) publish(ctx context.Context, svc *v1.Service, want desired, lb simcloud.LoadBalancer, have inventory) (*v1.LoadBalancerStatus, error) {
	lb, addresses, err := l.ensureAddresses(ctx, want, lb, have)
	if err != nil {
		return nil, err
	}
	if err := l.checkFamilies(svc, want, lb, addresses); err != nil {
		return nil, err
	}
	l.settleAll(svc.UID)
	return statusOf(addresses, want.IPMode), usable(lb)
}

// recordRejected emits an Event when the cloud rejects what the Service needs
// until an operator acts. What is only late or busy makes no Event.
func (l *Balancers) recordRejected(svc *v1.Service, err error) {
	switch simcloud.CodeOf(err) {
	case simcloud.Invalid, simcloud.AlreadyExists, simcloud.InUse, simcloud.QuotaExceeded, simcloud.Capacity,
		simcloud.Unauthenticated, simcloud.Forbidden, simcloud.Unimplemented:
		l.deps.Events.warning(svc, ReasonRefused, "%v", err)
	default:
	}
}
