package lb

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// lbRef says which load balancer serves a Service: the zero value is one of its
// own. The others are joined: they may serve other Services as well.
type lbRef struct {
	Share    string      // the word under which Services of the cluster have one together
	Balancer simcloud.ID // one that another client of the cloud has made
}

func (r lbRef) joined() bool { return r != lbRef{} }

// turn names the load balancer among the turns, so that two Services that join at the
// same time do not both make what is to be one.
func (r lbRef) turn() types.UID {
	if r.Share != "" {
		return types.UID("share/" + r.Share)
	}
	return types.UID("load balancer/" + r.Balancer)
}

func refOf(annotations annotation.Settings) lbRef {
	return lbRef{Share: annotations.Share, Balancer: annotations.Balancer}
}

// refOfBalancer is the reference by which Services join a load balancer.
func refOfBalancer(lb simcloud.LoadBalancer) lbRef {
	if share := lb.Labels[label.Share]; share != "" {
		return lbRef{Share: share}
	}
	return lbRef{Balancer: lb.ID}
}

// in has what is desired be served by the load balancer of a reference.
func (d desired) in(svc *v1.Service, r lbRef) (desired, error) {
	switch {
	case r.Share != "" && r.Balancer != "":
		return desired{}, fmt.Errorf("annotations %s and %s: at most one of them can be set", annotation.Share, annotation.LoadBalancerID)
	case r.Balancer != "" && len(d.Addresses.Borrowed) > 0:
		return desired{}, fmt.Errorf("annotation %s: load balancer %s keeps its own addresses", annotation.FloatingIPs, r.Balancer)
	}
	user := map[string]string{userLabel(svc.UID): svc.Namespace + "/" + svc.Name}
	d.Ref = r
	switch {
	case r.Balancer != "":
		d.Labels, d.Follows = user, true
	case r.Share != "":
		d.Name = "share." + r.Share
		d.Labels = label.With(user, map[string]string{
			label.Cluster: d.Cluster, label.Share: r.Share, label.ServiceName: "share/" + r.Share,
		})
	}
	return d, nil
}

// sharedBy returns what is desired, to be owned by a share.
func (d desired) sharedBy(owner types.UID) desired {
	d.Labels = maps.Clone(d.Labels)
	d.Labels[label.ServiceUID] = string(owner)
	return d
}

// shareOwner is what stands for the UID of a Service on all that a share has.
// The Service that makes the load balancer is in it, so that clusters of one name do not
// meet in the same share.
func shareOwner(share string, founder types.UID) types.UID {
	return types.UID("share." + share + "." + string(founder))
}

// find returns what the cloud has of the load balancer that is to serve a
// Service, and what is desired of it.
func (l *Balancers) find(ctx context.Context, want desired) (desired, inventory, error) {
	switch {
	case want.Ref.Balancer != "":
		inv, err := l.adopted(ctx, want.Ref.Balancer)
		return want, inv, err
	case want.Ref.Share != "":
		return l.shared(ctx, want)
	default:
		inv, err := l.inventory(ctx, want.UID)
		return want, inv, err
	}
}

// adopted reads a load balancer that another client of the cloud has made.
func (l *Balancers) adopted(ctx context.Context, id simcloud.ID) (inventory, error) {
	lb, err := l.api.GetLoadBalancer(ctx, id)
	switch {
	case call.IsGone(err):
		return inventory{}, simcloud.Errorf(simcloud.Invalid, simcloud.Ref(simcloud.KindLoadBalancer, id),
			"annotation %s: load balancer not found", annotation.LoadBalancerID)
	case err != nil:
		return inventory{}, fmt.Errorf("read load balancer %s: %w", id, err)
	}
	return inventory{balancers: []simcloud.LoadBalancer{lb}}, nil
}

// shared finds the load balancer and the floating IPs of a share. After a crash
// in the middle of a create there can be two: the first is the share's, and who
// uses the second leaves it.
func (l *Balancers) shared(ctx context.Context, want desired) (desired, inventory, error) {
	inv, err := l.shareInventory(ctx, want.Ref.Share, want.Cluster)
	if err != nil {
		return want, inv, err
	}
	inv.balancers = slices.DeleteFunc(inv.balancers, func(lb simcloud.LoadBalancer) bool { return !l.deps.Services.mayJoin(lb, want.UID) })
	owner := shareOwner(want.Ref.Share, want.UID)
	switch {
	case len(inv.balancers) > 0:
		lb := slices.MinFunc(inv.balancers, func(a, b simcloud.LoadBalancer) int {
			return cmp.Or(time.Time.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
		})
		inv.balancers, owner = []simcloud.LoadBalancer{lb}, types.UID(lb.Labels[label.ServiceUID])
		want.Follows = l.deps.Services.first(lb, want.UID) != want.UID
	default:
		if i := slices.IndexFunc(inv.floatingIPs, isFree); i >= 0 { // the load balancer was deleted behind our back
			owner = types.UID(inv.floatingIPs[i].Labels[label.ServiceUID])
		}
	}
	inv.floatingIPs = slices.DeleteFunc(inv.floatingIPs, func(ip simcloud.FloatingIP) bool { return !label.OwnedBy(owner, ip.Labels) })
	return want.sharedBy(owner), inv, nil
}

// shareInventory lists all that carries the labels of a share.
func (l *Balancers) shareInventory(ctx context.Context, share, cluster string) (inv inventory, err error) {
	selector := label.Share + "=" + share
	match := func(labels map[string]string) bool {
		return labels[label.Share] == share && labels[label.Cluster] == cluster
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
