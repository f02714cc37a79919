package lb

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// inventory is what the cloud has for one Service, or in a place that it joins.
type inventory struct {
	balancers   []simcloud.LoadBalancer
	floatingIPs []simcloud.FloatingIP
	// The revisions of the lists: what was made before and is not in them is not there.
	balancersAt, floatingIPsAt uint64
}

// inventory lists what was made for a Service alone.
func (l *Balancers) inventory(ctx context.Context, uid types.UID) (inv inventory, err error) {
	if uid == "" {
		return inv, fmt.Errorf("the Service has no UID: resources cannot be labelled as its own")
	}
	owned := func(labels map[string]string) bool { return label.OwnedBy(uid, labels) }
	inv.balancers, inv.balancersAt, err = listWhere(ctx, l.api.ListLoadBalancers, label.Selector(uid), owned, (*simcloud.LoadBalancer).GetMeta)
	if err != nil {
		return inv, fmt.Errorf("list the load balancers of Service %s: %w", uid, err)
	}
	inv.floatingIPs, inv.floatingIPsAt, err = listWhere(ctx, l.api.ListFloatingIPs, label.Selector(uid), owned, (*simcloud.FloatingIP).GetMeta)
	if err != nil {
		return inv, fmt.Errorf("list the floating IPs of Service %s: %w", uid, err)
	}
	return inv, nil
}

// joined lists the load balancers that a Service has joined.
func (l *Balancers) joined(ctx context.Context, uid types.UID) ([]simcloud.LoadBalancer, error) {
	key := userLabel(uid)
	found, _, err := listWhere(ctx, l.api.ListLoadBalancers, key, func(labels map[string]string) bool {
		_, has := labels[key]
		return has
	}, (*simcloud.LoadBalancer).GetMeta)
	if err != nil {
		return nil, fmt.Errorf("list the load balancers that Service %s uses: %w", uid, err)
	}
	return found, nil
}

// listWhere reads all pages of what a selector chooses, and the revision of
// the first page. It does not trust the cloud's selector with the question
// what may be deleted.
func listWhere[T any](ctx context.Context, list simcloud.ListFunc[T], selector string,
	match func(map[string]string) bool, meta func(*T) *simcloud.Meta,
) ([]T, uint64, error) {
	var found []T
	var revision uint64
	pages := func(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[T], error) {
		page, err := list(ctx, opts)
		if opts.PageToken == "" {
			revision = page.Revision
		}
		return page, err
	}
	all, err := simcloud.ListAll(ctx, pages, simcloud.ListOptions{Selector: selector})
	for i := range all {
		if match(meta(&all[i]).Labels) {
			found = append(found, all[i])
		}
	}
	return found, revision, err
}
