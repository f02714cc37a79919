package ccm

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// inventory is what the cloud has for one Service.
type inventory struct {
	balancers   []simcloud.LoadBalancer
	floatingIPs []simcloud.FloatingIP
	// The revisions of the lists: what was made before and is not in them is not there.
	balancersAt, floatingIPsAt uint64
}

func (l *loadBalancers) inventory(ctx context.Context, uid types.UID) (inv inventory, err error) {
	if uid == "" {
		return inv, fmt.Errorf("the Service has no UID: nothing in the cloud can be told to be its own")
	}
	inv.balancers, inv.balancersAt, err = listOwned(ctx, l.api.ListLoadBalancers, uid, (*simcloud.LoadBalancer).GetMeta)
	if err != nil {
		return inv, fmt.Errorf("list the load balancers of Service %s: %w", uid, err)
	}
	inv.floatingIPs, inv.floatingIPsAt, err = listOwned(ctx, l.api.ListFloatingIPs, uid, (*simcloud.FloatingIP).GetMeta)
	if err != nil {
		return inv, fmt.Errorf("list the floating IPs of Service %s: %w", uid, err)
	}
	return inv, nil
}

// listOwned reads all pages of what carries the UID of a Service, and the
// revision of the first page. It does not trust the cloud's selector with the
// question what may be deleted.
func listOwned[T any](ctx context.Context, list simcloud.ListFunc[T], uid types.UID, meta func(*T) *simcloud.Meta) ([]T, uint64, error) {
	var owned []T
	var revision uint64
	pages := func(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[T], error) {
		page, err := list(ctx, opts)
		if opts.PageToken == "" {
			revision = page.Revision
		}
		return page, err
	}
	all, err := simcloud.ListAll(ctx, pages, simcloud.ListOptions{Selector: serviceSelector(uid)})
	for i := range all {
		if ownedBy(uid, meta(&all[i]).Labels) {
			owned = append(owned, all[i])
		}
	}
	return owned, revision, err
}
