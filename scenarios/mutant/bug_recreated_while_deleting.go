package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func recreatedWhileDeleting() Mutant {
	return Mutant{
		Name:     "recreated-while-deleting",
		Row:      "23",
		Title:    "a load balancer that is being deleted is taken for that of a new Service with the same name",
		Issues:   []string{"openstack#576", "openstack#821", "openstack#1636"},
		Fault:    "the cloud takes its time to delete a load balancer, and the Service is made again meanwhile",
		Expected: "the new Service gets a load balancer of its own, and the old one goes",
		Scenario: "recreated-while-deleting",
		Caught:   "A Service that has the name of another before it is another Service",
		Also:     []string{"clusters-share-lb-by-name"}, // what has the name is another's there, too
		open: func(p Provider) cloudprovider.Interface {
			api := acceptedIsDone{p.API}
			return cloud{Cloud: p.right(api), balancers: func(right cloudprovider.LoadBalancer) cloudprovider.LoadBalancer {
				return alreadyExists{right, p.API}
			}}
		},
	}
}

// acceptedIsDone takes a deletion that the cloud has begun for one that is over.
type acceptedIsDone struct{ *client.Client }

func (a acceptedIsDone) DeleteLoadBalancer(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	lb, err := a.GetLoadBalancer(ctx, id)
	if err != nil {
		return simcloud.Operation{}, err
	}
	for _, vip := range lb.VIPs {
		if _, err := a.DetachFloatingIP(ctx, vip.FloatingIP); err != nil {
			return simcloud.Operation{}, err
		}
	}
	op, err := a.Client.DeleteLoadBalancer(ctx, id, opts...)
	op.State = simcloud.OperationDone
	return op, err
}

// alreadyExists has nothing to do when the cloud has a load balancer of the Service's name.
type alreadyExists struct {
	cloudprovider.LoadBalancer
	api *client.Client
}

func (a alreadyExists) EnsureLoadBalancer(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
	all, err := simcloud.ListAll(ctx, a.api.ListLoadBalancers, simcloud.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, lb := range all {
		if lb.Labels[label.ServiceName] == svc.Namespace+"/"+svc.Name && lb.Labels[label.ServiceUID] != string(svc.UID) {
			status := &corev1.LoadBalancerStatus{}
			for _, vip := range lb.VIPs {
				status.Ingress = append(status.Ingress, corev1.LoadBalancerIngress{IP: vip.Address})
			}
			return status, nil
		}
	}
	return a.LoadBalancer.EnsureLoadBalancer(ctx, cluster, svc, nodes)
}
