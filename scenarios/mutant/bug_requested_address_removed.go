package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func requestedAddressRemoved() Mutant {
	return Mutant{
		Name:     "requested-address-removed",
		Row:      "35",
		Title:    "with a Service goes the address that it asked for, whosever it is",
		Issues:   []string{"openstack#933", "openstack#2443", "azure#9867", "azure#9937"},
		Fault:    "two Services ask for one address, and the one that did not get it is deleted",
		Expected: "the other keeps the address",
		Scenario: "requested-address-removed",
		Caught:   "The address that it asked for is another's",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), balancers: func(right cloudprovider.LoadBalancer) cloudprovider.LoadBalancer {
				return removesRequested{right, p.API}
			}}
		},
	}
}

// removesRequested looks for the address to release in the Service's spec.
type removesRequested struct {
	cloudprovider.LoadBalancer
	api *client.Client
}

func (r removesRequested) EnsureLoadBalancerDeleted(ctx context.Context, cluster string, svc *corev1.Service) error {
	if err := r.LoadBalancer.EnsureLoadBalancerDeleted(ctx, cluster, svc); err != nil || svc.Spec.LoadBalancerIP == "" {
		return err
	}
	all, err := simcloud.ListAll(ctx, r.api.ListFloatingIPs, simcloud.ListOptions{})
	if err != nil {
		return err
	}
	for _, ip := range all {
		if ip.Address == svc.Spec.LoadBalancerIP {
			return r.remove(ctx, ip)
		}
	}
	return nil
}

func (r removesRequested) remove(ctx context.Context, ip simcloud.FloatingIP) error {
	if _, err := r.api.DetachFloatingIP(ctx, ip.ID); err != nil {
		return err
	}
	_, err := r.api.DeleteFloatingIP(ctx, ip.ID)
	return err
}
