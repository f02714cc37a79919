package mutant

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func clustersShareLbByName() Mutant {
	return Mutant{
		Name:     "clusters-share-lb-by-name",
		Row:      "30",
		Title:    "a load balancer belongs to whoever computes its name, of the cluster's name and the Service's",
		Issues:   []string{"openstack#2241", "openstack#1371", "openstack#1273", "openstack#2004", "openstack#2571", "openstack#3102", "hcloud#128", "outscale#604"},
		Fault:    "another cluster of the same name has a Service of the same namespace and name",
		Expected: "each Service has its own load balancer, or the second is refused",
		Scenario: "clusters-share-lb-by-name",
		Caught:   "A name says nothing of whose a load balancer is",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(namesByService{p.API}), balancers: func(right cloudprovider.LoadBalancer) cloudprovider.LoadBalancer {
				return findsByName{right, p.API}
			}}
		},
	}
}

// serviceName is what openstack's calls a load balancer, whose labels do not count.
func serviceName(cluster, service string) string {
	return "kube_service_" + cluster + "_" + strings.ReplaceAll(service, "/", "_")
}

// namesByService gives load balancers names that say nothing of the Service's UID.
type namesByService struct{ *client.Client }

func (n namesByService) CreateLoadBalancer(ctx context.Context, spec simcloud.LoadBalancerSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	spec.Name = serviceName(spec.Labels[label.Cluster], spec.Labels[label.ServiceName])
	return n.Client.CreateLoadBalancer(ctx, spec, opts...)
}

// findsByName makes the load balancer of a Service's name the Service's.
type findsByName struct {
	cloudprovider.LoadBalancer
	api *client.Client
}

func (f findsByName) EnsureLoadBalancer(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
	all, err := simcloud.ListAll(ctx, f.api.ListLoadBalancers, simcloud.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, lb := range all {
		if lb.Name != serviceName(cluster, svc.Namespace+"/"+svc.Name) || lb.Labels[label.ServiceUID] == string(svc.UID) {
			continue
		}
		lb.Labels[label.ServiceUID] = string(svc.UID)
		if _, err := f.api.UpdateLoadBalancer(ctx, lb.ID, simcloud.LoadBalancerUpdate{Labels: &lb.Labels}); err != nil {
			return nil, err
		}
	}
	return f.LoadBalancer.EnsureLoadBalancer(ctx, cluster, svc, nodes)
}
