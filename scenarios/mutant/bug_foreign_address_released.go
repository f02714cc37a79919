package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func foreignAddressReleased() Mutant {
	return Mutant{
		Name:     "foreign-address-released",
		Title:    "an address that leads nowhere is taken for a leftover, whoever has reserved it",
		Scenario: "plain-day",
		Caught:   "foreign-kept the CCM has deleted floating_ip/",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), balancers: func(right cloudprovider.LoadBalancer) cloudprovider.LoadBalancer {
				return tidying{right, p.API}
			}}
		},
	}
}

// tidying releases what nothing uses when a Service changes.
type tidying struct {
	cloudprovider.LoadBalancer
	api *client.Client
}

func (t tidying) EnsureLoadBalancer(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
	status, err := t.LoadBalancer.EnsureLoadBalancer(ctx, cluster, svc, nodes)
	if err != nil {
		return nil, err
	}
	all, err := simcloud.ListAll(ctx, t.api.ListFloatingIPs, simcloud.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, ip := range all {
		if ip.AttachedTo.ID != "" {
			continue
		}
		if _, err := t.api.DeleteFloatingIP(ctx, ip.ID); err != nil {
			return nil, err
		}
	}
	return status, nil
}
