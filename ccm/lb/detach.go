package lb

import (
	"context"
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// detachElsewhere removes what a Service has where it is not served any more. It
// comes before the Service has anything of its new load balancer: so a Service
// that is found there has nothing elsewhere, and no later pass has to look again.
func (l *Balancers) detachElsewhere(ctx context.Context, svc *v1.Service, want desired, inv inventory) error {
	if settled(want, inv) {
		return nil
	}
	if want.Ref.joined() {
		if err := l.removeOwn(ctx, svc.UID); err != nil {
			return err
		}
	}
	all, err := l.joined(ctx, svc.UID)
	if err != nil {
		return err
	}
	for _, lb := range all {
		if refOfBalancer(lb) == want.Ref && (len(inv.balancers) == 0 || inv.balancers[0].ID == lb.ID) {
			return call.NotReady("%s has just appeared", simcloud.Ref(simcloud.KindLoadBalancer, lb.ID))
		}
		if err := l.detachFrom(ctx, svc, want, lb); err != nil {
			return err
		}
	}
	return l.pendingCreateError(svc.UID, want.owner(), all)
}

// detachFrom detaches a Service from a load balancer during its turn at another
// one. It does not wait for the turn of the first: a Service that moves the
// other way might wait for ours.
func (l *Balancers) detachFrom(ctx context.Context, svc *v1.Service, want desired, lb simcloud.LoadBalancer) error {
	from := refOfBalancer(lb)
	if from != want.Ref {
		if _, mine := l.deps.Turns.Begin(from.turn()); !mine {
			return call.NotReady("%s is just being joined or left", simcloud.Ref(simcloud.KindLoadBalancer, lb.ID))
		}
		defer l.deps.Turns.End(from.turn())
	}
	return l.detach(ctx, svc, want.Cluster, lb)
}

// settled reports whether the load balancer that is to serve a Service does so already.
func settled(want desired, inv inventory) bool {
	return slices.ContainsFunc(inv.balancers, func(lb simcloud.LoadBalancer) bool {
		return !want.Ref.joined() || uses(want.UID, lb)
	})
}

// detachAll detaches a Service from all load balancers that it has joined, each in its turn.
func (l *Balancers) detachAll(ctx context.Context, svc *v1.Service, cluster string) error {
	all, err := l.joined(ctx, svc.UID)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		l.settleAll(svc.UID)
	}
	for _, lb := range all {
		end, err := l.deps.Turns.Take(ctx, refOfBalancer(lb).turn())
		if err != nil {
			return err
		}
		err = l.detach(ctx, svc, cluster, lb)
		end()
		if err != nil {
			return err
		}
	}
	return l.pendingCreateError(svc.UID, "", all)
}

// errLastUser reports that a shared load balancer is to be deleted with its last Service. It is never returned.
var errLastUser = errors.New("no other Service uses it")

// detach removes what a Service has of a load balancer, and at last the label
// of the user. A shared one is deleted with the last of its users.
func (l *Balancers) detach(ctx context.Context, svc *v1.Service, cluster string, lb simcloud.LoadBalancer) error {
	planned := func(lb simcloud.LoadBalancer) ([]step, error) {
		others := len(l.deps.Services.others(lb, svc.UID))
		if others == 0 && lb.Labels[label.Share] != "" {
			return nil, errLastUser
		}
		return planDetach(lb, cluster, svc.UID, others > 0), nil
	}
	if err := usable(lb); err != nil && lb.State != simcloud.LoadBalancerError {
		return err
	}
	if _, last := planned(lb); lb.State == simcloud.LoadBalancerError && last == nil {
		if err := l.failover(ctx, svc, lb); err != nil { // in that state it can be changed in no other way
			return call.IgnoreGone(err)
		}
		var err error
		if lb, err = l.get(ctx, lb.ID); err != nil {
			return call.IgnoreGone(err)
		}
	}
	lb, err := l.converge(ctx, svc, lb, guarded, planned)
	if errors.Is(err, errLastUser) {
		err = l.dismantle(ctx, lb)
	}
	return call.IgnoreGone(err)
}

// dismantle removes a shared load balancer and its floating IPs, the load
// balancer last: it is what they are found by. A Service that joins meanwhile
// makes another version of it, which stays.
func (l *Balancers) dismantle(ctx context.Context, lb simcloud.LoadBalancer) error {
	owner := types.UID(lb.Labels[label.ServiceUID])
	inv, err := l.shareInventory(ctx, lb.Labels[label.Share], lb.Labels[label.Cluster])
	if err != nil {
		return err
	}
	users := usersOf(lb)
	for _, ip := range inv.floatingIPs {
		if !label.OwnedBy(owner, ip.Labels) {
			continue
		}
		if err := l.release(ctx, ip, []simcloud.LoadBalancer{lb}, attached); err != nil {
			return err
		}
	}
	if lb, err = l.get(ctx, lb.ID); err != nil {
		return err
	}
	if now := usersOf(lb); !slices.Equal(users, now) {
		return simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID), "its users have changed from %v to %v", users, now)
	}
	if err := l.delete(ctx, lb, simcloud.IfVersion(lb.Version)); err != nil {
		return err
	}
	return l.overdue(owner, inventory{})
}

// releaseShare removes the floating IPs of a share that has no load balancer
// any more, unless other Services of the cluster are about to make one.
func (l *Balancers) releaseShare(ctx context.Context, svc *v1.Service, cluster string) error {
	left, err := l.shareLeftovers(ctx, svc, cluster)
	if err != nil {
		return err
	}
	for _, ip := range left {
		if err := l.release(ctx, ip, nil, detached); err != nil {
			return err
		}
	}
	return nil
}

// shareLeftovers are the free floating IPs of a Service's share when no other Service can want them.
func (l *Balancers) shareLeftovers(ctx context.Context, svc *v1.Service, cluster string) ([]simcloud.FloatingIP, error) {
	share, err := annotation.ParseShare(svc.Annotations[annotation.Share])
	if err != nil || l.deps.Services.sharing(share, svc.UID) {
		return nil, nil
	}
	inv, err := l.shareInventory(ctx, share, cluster)
	if err != nil || len(inv.balancers) > 0 {
		return nil, err
	}
	return slices.DeleteFunc(inv.floatingIPs, func(ip simcloud.FloatingIP) bool { return !isFree(ip) }), nil
}

func (l *Balancers) failover(ctx context.Context, svc *v1.Service, lb simcloud.LoadBalancer) error {
	l.deps.Events.warning(svc, ReasonFailover, "Load balancer %s is in state error (%s) and is failed over", lb.ID, lb.StatusText)
	if _, err := l.api.FailoverLoadBalancer(ctx, lb.ID); err != nil {
		return fmt.Errorf("fail over load balancer %s: %w", lb.ID, err)
	}
	return nil
}
