package mutant

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func portChangeMakesLbAnew() Mutant {
	return Mutant{
		Name:     "port-change-makes-lb-anew",
		Title:    "when the ports of a Service change, its load balancer is deleted and made anew",
		Scenario: "plain-day",
		Caught:   "address-kept the Service web has lost its address",
		Also:     []string{"lb-provisioning"},
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), balancers: func(right cloudprovider.LoadBalancer) cloudprovider.LoadBalancer {
				return replacing{right, p.API}
			}}
		},
	}
}

type replacing struct {
	cloudprovider.LoadBalancer
	api *client.Client
}

func (r replacing) EnsureLoadBalancer(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
	all, err := simcloud.ListAll(ctx, r.api.ListLoadBalancers, simcloud.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, lb := range all {
		if lb.Labels[label.ServiceUID] == string(svc.UID) && !samePorts(lb, svc) {
			if err := r.EnsureLoadBalancerDeleted(ctx, cluster, svc); err != nil {
				return nil, err
			}
		}
	}
	return r.LoadBalancer.EnsureLoadBalancer(ctx, cluster, svc, nodes)
}

func samePorts(lb simcloud.LoadBalancer, svc *corev1.Service) bool {
	return len(lb.Listeners) == len(svc.Spec.Ports) && !slices.ContainsFunc(lb.Listeners, func(l simcloud.Listener) bool {
		return !slices.ContainsFunc(svc.Spec.Ports, func(p corev1.ServicePort) bool { return int(p.Port) == l.Port })
	})
}
