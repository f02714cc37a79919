package mutant

import (
	"context"
	"sync"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func statusFromCreateAnswer() Mutant {
	return Mutant{
		Name:     "status-from-create-answer",
		Row:      "27",
		Title:    "the state of a load balancer is that of the answer to its creation, and so pending for ever",
		Issues:   []string{"openstack#2066", "openstack#1052", "openstack#2165", "digitalocean#103"},
		Fault:    "the cloud takes two seconds to make a load balancer",
		Expected: "it is used as soon as it is active, and no second one is made",
		Scenario: "status-from-create-answer",
		Caught:   "A CCM must ask the cloud what has become of the load balancer",
		Also:     []string{"lb-in-error-for-ever", "token-not-renewed"}, // where a creation ends later than its answer comes
		open: func(p Provider) cloudprovider.Interface {
			return p.right(answerIsState{p.API, &sync.Map{}})
		},
	}
}

// answerIsState keeps the load balancers that were pending in the answer to their creation.
type answerIsState struct {
	*client.Client
	pending *sync.Map // by id
}

func (a answerIsState) CreateLoadBalancer(ctx context.Context, spec simcloud.LoadBalancerSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	result, err := a.Client.CreateLoadBalancer(ctx, spec, opts...)
	if err == nil && result.Resource.State == simcloud.LoadBalancerProvisioning {
		a.pending.Store(result.Resource.ID, true)
	}
	return result, err
}

func (a answerIsState) GetLoadBalancer(ctx context.Context, id simcloud.ID) (simcloud.LoadBalancer, error) {
	lb, err := a.Client.GetLoadBalancer(ctx, id)
	return a.answered(lb), err
}

func (a answerIsState) ListLoadBalancers(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.LoadBalancer], error) {
	page, err := a.Client.ListLoadBalancers(ctx, opts)
	for i, lb := range page.Items {
		page.Items[i] = a.answered(lb)
	}
	return page, err
}

func (a answerIsState) answered(lb simcloud.LoadBalancer) simcloud.LoadBalancer {
	if _, pending := a.pending.Load(lb.ID); pending {
		lb.State = simcloud.LoadBalancerProvisioning
	}
	return lb
}
