package ccm

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// brokenAPI shows one load balancer in state error, which the simulator cannot be told to do.
type brokenAPI struct {
	loadBalancerAPI
	id simcloud.ID
}

func (b brokenAPI) ListLoadBalancers(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.LoadBalancer], error) {
	page, err := b.loadBalancerAPI.ListLoadBalancers(ctx, opts)
	for i := range page.Items {
		if page.Items[i].ID == b.id {
			page.Items[i].State, page.Items[i].StatusText = simcloud.LoadBalancerError, "out of order"
		}
	}
	return page, err
}
