package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
)

func healthCheckPortIgnored() Mutant {
	return Mutant{
		Name:  "health-check-port-ignored",
		Row:   "34",
		Title: "an update forgets that externalTrafficPolicy is Local, and has the node ports checked",
		Issues: []string{
			"scaleway#192", "scaleway#197", "oci#68", "oci#1", "openstack#1971", "openstack#1749", "openstack#1750", "openstack#2866",
		},
		Fault:    "a Service with externalTrafficPolicy Local gets one more port, and the cluster one more node",
		Expected: "all listeners check the healthCheckNodePort, on every path",
		Scenario: "health-check-port-ignored",
		Caught:   "check the healthCheckNodePort",
		open: func(p Provider) cloudprovider.Interface {
			return cloud{Cloud: p.right(p.API), balancers: func(right cloudprovider.LoadBalancer) cloudprovider.LoadBalancer {
				return updatesAsCluster{right}
			}}
		},
	}
}

// updatesAsCluster knows of the policy where it makes a load balancer, and not where it changes one.
type updatesAsCluster struct{ cloudprovider.LoadBalancer }

func (u updatesAsCluster) EnsureLoadBalancer(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
	_, exists, err := u.GetLoadBalancer(ctx, cluster, svc)
	if err != nil {
		return nil, err
	}
	if exists {
		svc = svc.DeepCopy()
		svc.Spec.ExternalTrafficPolicy, svc.Spec.HealthCheckNodePort = corev1.ServiceExternalTrafficPolicyCluster, 0
	}
	return u.LoadBalancer.EnsureLoadBalancer(ctx, cluster, svc, nodes)
}
