package wrong

import (
	"context"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func labelsRewritten() Bug {
	return Bug{
		Name:     "labels-rewritten",
		Title:    "each look at the cloud writes the labels of all load balancers, which are as they should be",
		Scenario: "plain-day",
		Caught:   "idle-writes the CCM does not come to rest",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), routes: func(right cloudprovider.Routes) cloudprovider.Routes {
				return relabelling{right, p.API}
			}}
		},
	}
}

// relabelling does it with the routes, because these are looked at all the time.
type relabelling struct {
	cloudprovider.Routes
	api *client.Client
}

func (r relabelling) ListRoutes(ctx context.Context, cluster string) ([]*cloudprovider.Route, error) {
	all, err := simcloud.ListAll(ctx, r.api.ListLoadBalancers, simcloud.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, lb := range all {
		if _, err := r.api.UpdateLoadBalancer(ctx, lb.ID, simcloud.LoadBalancerUpdate{Labels: &lb.Labels}); err != nil {
			return nil, err
		}
	}
	return r.Routes.ListRoutes(ctx, cluster)
}
