package mutant

import (
	"context"
	"sync"
	"time"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func labelsRewritten() Mutant {
	return Mutant{
		Name:     "labels-rewritten",
		Title:    "each look at the cloud writes the labels of all load balancers, which are as they should be",
		Scenario: "plain-day",
		Caught:   "idle-writes the CCM does not come to rest",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), routes: func(right cloudprovider.Routes) cloudprovider.Routes {
				return &relabelling{Routes: right, api: p.API}
			}}
		},
	}
}

// relabelling begins to look by itself with the first look at the routes, and so often
// that the CCM does not seem to rest where everything is slow for a while.
type relabelling struct {
	cloudprovider.Routes
	api   *client.Client
	begin sync.Once
}

// relabelEvery is how often.
const relabelEvery = 100 * time.Millisecond

func (r *relabelling) ListRoutes(ctx context.Context, cluster string) ([]*cloudprovider.Route, error) {
	r.begin.Do(func() { go r.relabel(context.WithoutCancel(ctx)) }) // until the process ends
	return r.Routes.ListRoutes(ctx, cluster)
}

func (r *relabelling) relabel(ctx context.Context) {
	for ; ; time.Sleep(relabelEvery) {
		all, err := simcloud.ListAll(ctx, r.api.ListLoadBalancers, simcloud.ListOptions{})
		if err != nil {
			continue
		}
		for _, lb := range all {
			_, _ = r.api.UpdateLoadBalancer(ctx, lb.ID, simcloud.LoadBalancerUpdate{Labels: &lb.Labels}) // the next time, if not now
		}
	}
}
