package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func restLeftAfter404() Mutant {
	return Mutant{
		Name:     "rest-left-after-404",
		Row:      "24",
		Title:    "a part that is not found when it is to be deleted is taken for all that there was",
		Issues:   []string{"kubernetes#56313", "kubernetes#50364"},
		Fault:    "somebody deletes the address of a Service, and then the Service is deleted",
		Expected: "delete the rest too, and take the finalizer off after that",
		Scenario: "type-change-orphans-lb",
		Caught:   "and says nothing of the rest",
		Also:     []string{"finalizer-stuck-lb-gone"}, // where an address is gone, too
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), balancers: func(right cloudprovider.LoadBalancer) cloudprovider.LoadBalancer {
				return addressFirst{right, p.API}
			}}
		},
	}
}

// addressFirst begins to delete with the addresses of the Service's status, and is done when there is none.
type addressFirst struct {
	cloudprovider.LoadBalancer
	api *client.Client
}

func (a addressFirst) EnsureLoadBalancerDeleted(ctx context.Context, cluster string, svc *corev1.Service) error {
	there, err := addressesThere(ctx, a.api, svc)
	if err != nil {
		return err
	}
	if !there {
		klog.InfoS("Resource not found: the load balancer is deleted already", "service", klog.KObj(svc))
		return nil
	}
	return a.LoadBalancer.EnsureLoadBalancerDeleted(ctx, cluster, svc)
}
