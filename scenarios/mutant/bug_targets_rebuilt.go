package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func targetsRebuilt() Mutant {
	return Mutant{
		Name:     "targets-rebuilt",
		Title:    "when a node comes or goes, all targets are removed and made anew",
		Issues:   []string{"hcloud#249"},
		Scenario: "plain-day",
		Caught:   "no-flapping the target",
		Also:     []string{"lb-provisioning"},
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), balancers: func(right cloudprovider.LoadBalancer) cloudprovider.LoadBalancer {
				return rebuilding{right, p.API}
			}}
		},
	}
}

type rebuilding struct {
	cloudprovider.LoadBalancer
	api *client.Client
}

func (r rebuilding) UpdateLoadBalancer(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) error {
	all, err := simcloud.ListAll(ctx, r.api.ListLoadBalancers, simcloud.ListOptions{})
	if err != nil {
		return err
	}
	for _, lb := range all {
		if lb.Labels[label.ServiceUID] != string(svc.UID) {
			continue
		}
		for _, target := range lb.Targets {
			if _, err := r.api.DeleteTarget(ctx, lb.ID, target.Instance); err != nil {
				return err
			}
		}
	}
	return r.LoadBalancer.UpdateLoadBalancer(ctx, cluster, svc, nodes)
}
