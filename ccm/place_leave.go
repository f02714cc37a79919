package ccm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// leaveElsewhere removes what a Service has where it is not served any more. It
// comes before the Service has anything in its new place: so who is found there
// has left everything else, and nobody needs to look again.
func (l *loadBalancers) leaveElsewhere(ctx context.Context, svc *v1.Service, want desired, inv inventory) error {
	if settled(want, inv) {
		return nil
	}
	if want.Place.joined() {
		if err := l.removeOwn(ctx, svc.UID); err != nil {
			return err
		}
	}
	all, err := l.joined(ctx, svc.UID)
	if err != nil {
		return err
	}
	for _, lb := range all {
		if placeOfBalancer(lb) == want.Place && (len(inv.balancers) == 0 || inv.balancers[0].ID == lb.ID) {
			return notReady("%s has just appeared", simcloud.Ref(simcloud.KindLoadBalancer, lb.ID))
		}
		if err := l.moveAway(ctx, svc, want, lb); err != nil {
			return err
		}
	}
	return l.foundingOverdue(svc.UID, ownerOf(want), all)
}

// moveAway leaves a load balancer while it is the Service's turn in another
// place. It does not wait for the turn there: somebody who moves the other way
// might wait for ours.
func (l *loadBalancers) moveAway(ctx context.Context, svc *v1.Service, want desired, lb simcloud.LoadBalancer) error {
	from := placeOfBalancer(lb)
	if from != want.Place {
		if _, mine := l.turns.begin(from.turn()); !mine {
			return notReady("%s is just being joined or left", simcloud.Ref(simcloud.KindLoadBalancer, lb.ID))
		}
		defer l.turns.end(from.turn())
	}
	return l.leave(ctx, svc, want.Cluster, lb)
}

// settled reports whether a Service is in its place already.
func settled(want desired, inv inventory) bool {
	return slices.ContainsFunc(inv.balancers, func(lb simcloud.LoadBalancer) bool {
		return !want.Place.joined() || uses(want.UID, lb)
	})
}

// leaveAll leaves all load balancers that a Service has joined, each in its turn.
func (l *loadBalancers) leaveAll(ctx context.Context, svc *v1.Service, cluster string) error {
	all, err := l.joined(ctx, svc.UID)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		l.settleAll(svc.UID)
	}
	for _, lb := range all {
		end, err := l.turns.take(ctx, placeOfBalancer(lb).turn())
		if err != nil {
			return err
		}
		err = l.leave(ctx, svc, cluster, lb)
		end()
		if err != nil {
			return err
		}
	}
	return l.foundingOverdue(svc.UID, "", all)
}

// errLastUser says that a shared load balancer is to go with the Service that leaves it.
var errLastUser = errors.New("nobody else uses it")

// leave removes what a Service has of a load balancer, and at last the label
// that says so. A shared one goes with the last of its users.
func (l *loadBalancers) leave(ctx context.Context, svc *v1.Service, cluster string, lb simcloud.LoadBalancer) error {
	planned := func(lb simcloud.LoadBalancer) ([]step, error) {
		others := len(l.services.others(lb, svc.UID))
		if others == 0 && lb.Labels[LabelShare] != "" {
			return nil, errLastUser
		}
		return planLeaving(lb, cluster, svc.UID, others > 0), nil
	}
	if err := usable(lb); err != nil && lb.State != simcloud.LoadBalancerError {
		return err
	}
	if _, last := planned(lb); lb.State == simcloud.LoadBalancerError && last == nil {
		if err := l.failover(ctx, svc, lb); err != nil { // in that state it can be changed in no other way
			return ignoreGone(err)
		}
		var err error
		if lb, err = l.get(ctx, lb.ID); err != nil {
			return ignoreGone(err)
		}
	}
	lb, err := l.converge(ctx, svc, lb, guarded, planned)
	if errors.Is(err, errLastUser) {
		err = l.dismantle(ctx, lb)
	}
	return ignoreGone(err)
}

// dismantle removes a shared load balancer and its floating IPs, the load
// balancer last: it is what they are found by. Somebody who joins meanwhile
// makes another version of it, which stays.
func (l *loadBalancers) dismantle(ctx context.Context, lb simcloud.LoadBalancer) error {
	owner := types.UID(lb.Labels[LabelServiceUID])
	inv, err := l.shareInventory(ctx, lb.Labels[LabelShare], lb.Labels[LabelCluster])
	if err != nil {
		return err
	}
	users := usersOf(lb)
	for _, ip := range inv.floatingIPs {
		if !ownedBy(owner, ip.Labels) {
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
func (l *loadBalancers) releaseShare(ctx context.Context, svc *v1.Service, cluster string) error {
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

// shareLeftovers are the free floating IPs of a Service's share when nobody else can want them.
func (l *loadBalancers) shareLeftovers(ctx context.Context, svc *v1.Service, cluster string) ([]simcloud.FloatingIP, error) {
	share, err := parseShare(svc.Annotations[AnnotationShare])
	if err != nil || l.services.sharing(share, svc.UID) {
		return nil, nil
	}
	inv, err := l.shareInventory(ctx, share, cluster)
	if err != nil || len(inv.balancers) > 0 {
		return nil, err
	}
	return slices.DeleteFunc(inv.floatingIPs, func(ip simcloud.FloatingIP) bool { return !isFree(ip) }), nil
}

func (l *loadBalancers) failover(ctx context.Context, svc *v1.Service, lb simcloud.LoadBalancer) error {
	l.events.warning(svc, ReasonFailover, "Load balancer %s is in state error (%s) and is failed over", lb.ID, lb.StatusText)
	if _, err := l.api.FailoverLoadBalancer(ctx, lb.ID); err != nil {
		return fmt.Errorf("fail over load balancer %s: %w", lb.ID, err)
	}
	return nil
}
