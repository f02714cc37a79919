package mutant

import (
	"context"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func foreignPartsWiped() Mutant {
	return Mutant{
		Name:     "foreign-parts-wiped",
		Row:      "33",
		Title:    "all that a load balancer has is taken for the Service's, and set back to what the Service asks for",
		Issues:   []string{"hcloud#249", "hcloud#651", "linode#197", "openstack#2699", "openstack#2705", "kubernetes#51755"},
		Fault:    "somebody adds a listener and a target to the load balancer of a Service",
		Expected: "they stay, when the Service changes and when the CCM starts again",
		Scenario: "foreign-parts-wiped",
		Caught:   "leave what others have added",
		open: func(p Provider) cloudprovider.Interface {
			return p.right(allIsOurs{p.API})
		},
	}
}

// allIsOurs reads load balancers as if each part of them were their Service's.
type allIsOurs struct{ *client.Client }

func (a allIsOurs) GetLoadBalancer(ctx context.Context, id simcloud.ID) (simcloud.LoadBalancer, error) {
	lb, err := a.Client.GetLoadBalancer(ctx, id)
	claimParts(lb)
	return lb, err
}

func (a allIsOurs) ListLoadBalancers(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.LoadBalancer], error) {
	page, err := a.Client.ListLoadBalancers(ctx, opts)
	for _, lb := range page.Items {
		claimParts(lb)
	}
	return page, err
}

func claimParts(lb simcloud.LoadBalancer) {
	owner := map[string]string{label.ServiceUID: lb.Labels[label.ServiceUID]}
	for i := range lb.Listeners {
		lb.Listeners[i].Labels = owner
	}
	for i := range lb.Targets {
		lb.Targets[i].Labels = owner
	}
}
