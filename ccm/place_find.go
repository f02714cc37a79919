package ccm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// at returns what the cloud has in the place where a Service is to be served,
// and what is desired there.
func (l *loadBalancers) at(ctx context.Context, want desired) (desired, inventory, error) {
	switch {
	case want.Place.Balancer != "":
		inv, err := l.adopted(ctx, want.Place.Balancer)
		return want, inv, err
	case want.Place.Share != "":
		return l.shared(ctx, want)
	default:
		inv, err := l.inventory(ctx, want.UID)
		return want, inv, err
	}
}

// adopted reads a load balancer that somebody else has made.
func (l *loadBalancers) adopted(ctx context.Context, id simcloud.ID) (inventory, error) {
	lb, err := l.api.GetLoadBalancer(ctx, id)
	switch {
	case isGone(err):
		return inventory{}, simcloud.Errorf(simcloud.Invalid, simcloud.Ref(simcloud.KindLoadBalancer, id),
			"annotation %s: there is no such load balancer", AnnotationLoadBalancerID)
	case err != nil:
		return inventory{}, fmt.Errorf("read load balancer %s: %w", id, err)
	}
	return inventory{balancers: []simcloud.LoadBalancer{lb}}, nil
}

// shared finds the load balancer and the floating IPs of a share. After a crash
// in the middle of a create there can be two: the first is the share's, and who
// uses the second leaves it.
func (l *loadBalancers) shared(ctx context.Context, want desired) (desired, inventory, error) {
	inv, err := l.shareInventory(ctx, want.Place.Share, want.Cluster)
	if err != nil {
		return want, inv, err
	}
	inv.balancers = slices.DeleteFunc(inv.balancers, func(lb simcloud.LoadBalancer) bool { return !l.services.mayJoin(lb, want.UID) })
	owner := shareOwner(want.Place.Share, want.UID)
	switch {
	case len(inv.balancers) > 0:
		lb := slices.MinFunc(inv.balancers, func(a, b simcloud.LoadBalancer) int {
			return cmp.Or(time.Time.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
		})
		inv.balancers, owner = []simcloud.LoadBalancer{lb}, types.UID(lb.Labels[LabelServiceUID])
		want.Follows = l.services.first(lb, want.UID) != want.UID
	default:
		if i := slices.IndexFunc(inv.floatingIPs, isFree); i >= 0 { // the load balancer was deleted behind our back
			owner = types.UID(inv.floatingIPs[i].Labels[LabelServiceUID])
		}
	}
	inv.floatingIPs = slices.DeleteFunc(inv.floatingIPs, func(ip simcloud.FloatingIP) bool { return !ownedBy(owner, ip.Labels) })
	return want.sharedBy(owner), inv, nil
}

// shareInventory lists all that carries the labels of a share.
func (l *loadBalancers) shareInventory(ctx context.Context, share, cluster string) (inv inventory, err error) {
	selector := LabelShare + "=" + share
	match := func(labels map[string]string) bool {
		return labels[LabelShare] == share && labels[LabelCluster] == cluster
	}
	inv.balancers, inv.balancersAt, err = listWhere(ctx, l.api.ListLoadBalancers, selector, match, (*simcloud.LoadBalancer).GetMeta)
	if err != nil {
		return inv, fmt.Errorf("list the load balancers of the share %s: %w", share, err)
	}
	inv.floatingIPs, inv.floatingIPsAt, err = listWhere(ctx, l.api.ListFloatingIPs, selector, match, (*simcloud.FloatingIP).GetMeta)
	if err != nil {
		return inv, fmt.Errorf("list the floating IPs of the share %s: %w", share, err)
	}
	return inv, nil
}

func isFree(ip simcloud.FloatingIP) bool { return ip.AttachedTo == simcloud.Attachment{} }
