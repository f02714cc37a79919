package mutant

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func finalizerStuckLbGone() Mutant {
	return Mutant{
		Name:     "finalizer-stuck-lb-gone",
		Row:      "22",
		Title:    "a lookup that finds nothing is an error, also when the Service is to be deleted",
		Issues:   []string{"openstack#1912", "openstack#1913", "openstack#1931", "openstack#821", "openstack#794"},
		Fault:    "somebody deletes the address of a Service, and of another the load balancer too",
		Expected: "what is gone is taken for deleted, the rest is removed, and the Services can go",
		Scenario: "finalizer-stuck-lb-gone",
		Caught:   "A CCM must not insist on finding it",
		Also:     []string{"type-change-orphans-lb"}, // where an address is gone, too
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), balancers: func(right cloudprovider.LoadBalancer) cloudprovider.LoadBalancer {
				return insists{right, p.API}
			}}
		},
	}
}

// insists wants the addresses of the Service's status to exist before it says anything.
type insists struct {
	cloudprovider.LoadBalancer
	api *client.Client
}

func (i insists) GetLoadBalancer(ctx context.Context, cluster string, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
	there, err := addressesThere(ctx, i.api, svc)
	if err == nil && !there {
		err = errors.New("error getting floating ip: failed to find object")
	}
	if err != nil {
		return nil, false, err
	}
	return i.LoadBalancer.GetLoadBalancer(ctx, cluster, svc)
}

// addressesThere reports whether the cloud has all addresses of a Service's status.
func addressesThere(ctx context.Context, api *client.Client, svc *corev1.Service) (bool, error) {
	all, err := simcloud.ListAll(ctx, api.ListFloatingIPs, simcloud.ListOptions{})
	return !slices.ContainsFunc(svc.Status.LoadBalancer.Ingress, func(ingress corev1.LoadBalancerIngress) bool {
		return !slices.ContainsFunc(all, func(ip simcloud.FloatingIP) bool { return ip.Address == ingress.IP })
	}), err
}
