package mutant

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func lbInErrorForEver() Mutant {
	return Mutant{
		Name:     "lb-in-error-for-ever",
		Row:      "26",
		Title:    "a load balancer has to be active to be changed, repaired, or deleted",
		Issues:   []string{"openstack#2036", "openstack#2037"},
		Fault:    "a load balancer that is in use goes into error, and its Service is deleted",
		Expected: "delete it with its Service",
		Scenario: "lb-in-error-for-ever",
		Caught:   "A load balancer in error can be deleted",
		Also:     []string{"error-after-restart-for-ever"},
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), balancers: func(right cloudprovider.LoadBalancer) cloudprovider.LoadBalancer {
				return onlyActive{neverRepairs{right, p.API}}
			}}
		},
	}
}

// onlyActive neither changes nor deletes a load balancer that is not active.
type onlyActive struct{ neverRepairs }

func (o onlyActive) EnsureLoadBalancerDeleted(ctx context.Context, cluster string, svc *corev1.Service) error {
	if err := active(ctx, o.api, svc); err != nil {
		return err
	}
	return o.LoadBalancer.EnsureLoadBalancerDeleted(ctx, cluster, svc)
}

// active is an error when a load balancer of the Service is not.
func active(ctx context.Context, api *client.Client, svc *corev1.Service) error {
	all, err := simcloud.ListAll(ctx, api.ListLoadBalancers, simcloud.ListOptions{Selector: label.ServiceUID + "=" + string(svc.UID)})
	if err != nil {
		return err
	}
	for _, lb := range all {
		if lb.State != simcloud.LoadBalancerActive {
			return fmt.Errorf("load balancer %s is not ACTIVE, current provisioning status: %s", lb.ID, lb.State)
		}
	}
	return nil
}
