package mutant

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// lbDeleteMutants are those that delete too little of what a Service had, or wait for what is deleted.
var lbDeleteMutants = []Mutant{
	{
		Name:     "lb-leaked-over-restart",
		Row:      "20",
		Title:    "what there is to delete is asked of the process' memory",
		Issues:   []string{"kubernetes#53451", "kubernetes#78124"},
		Fault:    "the CCM is killed in the middle of a deletion, and a Service is deleted while none runs",
		Expected: "the next process finds in the cloud what is left, deletes it, and takes the finalizer off after that",
		KilledBy: "lb-leaked-over-restart",
		Reason:   "What is there to delete only the cloud knows",
		// It knows of the load balancers that this process has ensured, and of no others.
		balancers: func(lbs *balancers) {
			var made sync.Map // by the UIDs of their Services
			lbs.get = func(ctx context.Context, cluster string, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
				if _, known := made.Load(svc.UID); !known {
					return nil, false, nil
				}
				return lbs.right.GetLoadBalancer(ctx, cluster, svc)
			}
			lbs.beforeEnsure(func(_ context.Context, _ string, svc *corev1.Service) error {
				made.Store(svc.UID, true)
				return nil
			})
		},
	},
	{
		Name:         "finalizer-stuck-lb-gone",
		Row:          "22",
		Title:        "a lookup that finds nothing is an error, also when the Service is to be deleted",
		Issues:       []string{"openstack#1912", "openstack#1913", "openstack#1931", "openstack#821", "openstack#794"},
		Fault:        "another client deletes the address of a Service, and of another the load balancer too",
		Expected:     "what is gone is taken for deleted, the rest is removed, and the Services can go",
		KilledBy:     "finalizer-stuck-lb-gone",
		Reason:       "A CCM must not insist on finding it",
		AlsoKilledBy: []string{"type-change-orphans-lb"}, // where an address is gone, too
		// It wants the addresses of the Service's status to exist before it says anything.
		balancers: func(lbs *balancers) {
			lbs.get = func(ctx context.Context, cluster string, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
				there, err := addressesThere(ctx, lbs.cloud, svc)
				if err == nil && !there {
					err = fmt.Errorf("error getting floating ip: %w", errNotFound)
				}
				if err != nil {
					return nil, false, err
				}
				return lbs.right.GetLoadBalancer(ctx, cluster, svc)
			}
		},
	},
	{
		Name:         "recreated-while-deleting",
		Row:          "23",
		Title:        "a load balancer that is being deleted is taken for that of a new Service with the same name",
		Issues:       []string{"openstack#576", "openstack#821", "openstack#1636"},
		Fault:        "the cloud takes its time to delete a load balancer, and the Service is made again meanwhile",
		Expected:     "the new Service gets a load balancer of its own, and the old one goes",
		KilledBy:     "recreated-while-deleting",
		Reason:       "A Service that has the name of another before it is another Service",
		AlsoKilledBy: []string{"clusters-share-lb-by-name"}, // what has the name is another's there, too
		api:          func(c *client.Client) ccm.CloudAPI { return acceptedIsDone{c} },
		// It has nothing to do when the cloud has a load balancer of the Service's name.
		balancers: func(lbs *balancers) {
			lbs.ensure = func(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
				all, err := simcloud.ListAll(ctx, lbs.cloud.ListLoadBalancers, simcloud.ListOptions{})
				if err != nil {
					return nil, err
				}
				for _, lb := range all {
					if lb.Labels[label.ServiceName] == svc.Namespace+"/"+svc.Name && lb.Labels[label.ServiceUID] != string(svc.UID) {
						return statusOf(lb), nil
					}
				}
				return lbs.right.EnsureLoadBalancer(ctx, cluster, svc, nodes)
			}
		},
	},
	{
		Name:         "type-change-orphans-lb",
		Row:          "24",
		Title:        "the load balancer is looked for by the address in the Service's status",
		Issues:       []string{"linode#211"},
		Fault:        "the type of a Service changes to NodePort, and the API server clears its status",
		Expected:     "the load balancer and its address are deleted, and the finalizer is taken off after that",
		KilledBy:     "type-change-orphans-lb",
		Reason:       "whatever the status says",
		AlsoKilledBy: []string{"dependency-left-behind", "requested-address-removed"}, // where a Service is deleted before it has an address
		// It finds a load balancer by its address, which only the status tells it.
		balancers: func(lbs *balancers) {
			lbs.get = func(ctx context.Context, cluster string, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
				if len(svc.Status.LoadBalancer.Ingress) == 0 {
					return nil, false, nil
				}
				return lbs.right.GetLoadBalancer(ctx, cluster, svc)
			}
		},
	},
	{
		Name:         "rest-left-after-404",
		Row:          "24",
		Title:        "a part that is not found when it is to be deleted is taken for all that there was",
		Issues:       []string{"kubernetes#56313", "kubernetes#50364"},
		Fault:        "another client deletes the address of a Service, and then the Service is deleted",
		Expected:     "delete the rest too, and take the finalizer off after that",
		KilledBy:     "type-change-orphans-lb",
		Reason:       "and says nothing of the rest",
		AlsoKilledBy: []string{"finalizer-stuck-lb-gone"}, // where an address is gone, too
		// It begins to delete with the addresses of the Service's status, and is done when there is none.
		balancers: func(lbs *balancers) {
			lbs.remove = func(ctx context.Context, cluster string, svc *corev1.Service) error {
				there, err := addressesThere(ctx, lbs.cloud, svc)
				if err != nil {
					return err
				}
				if !there {
					klog.InfoS("Resource not found: the load balancer is deleted already", "service", klog.KObj(svc))
					return nil
				}
				return lbs.right.EnsureLoadBalancerDeleted(ctx, cluster, svc)
			}
		},
	},
	{
		Name:     "dependency-left-behind",
		Row:      "25",
		Title:    "that a part cannot be deleted yet is ignored, in the hope that it goes with the load balancer",
		Issues:   []string{"aws#566", "kubernetes#109698", "kubernetes#79994", "vsphere#1416"},
		Fault:    "the address of a deleted load balancer is in use for a while; a Service is deleted while a quota keeps it from its address",
		Expected: "the finalizer stays until the part is deleted, and nothing is left",
		KilledBy: "dependency-left-behind",
		Reason:   "otherwise the part becomes an orphan",
		api:      func(c *client.Client) ccm.CloudAPI { return ignoresInUse{c} },
	},
}

// addressesThere reports whether the cloud has all addresses of a Service's status.
func addressesThere(ctx context.Context, cloud *client.Client, svc *corev1.Service) (bool, error) {
	all, err := simcloud.ListAll(ctx, cloud.ListFloatingIPs, simcloud.ListOptions{})
	return !slices.ContainsFunc(svc.Status.LoadBalancer.Ingress, func(ingress corev1.LoadBalancerIngress) bool {
		return !slices.ContainsFunc(all, func(ip simcloud.FloatingIP) bool { return ip.Address == ingress.IP })
	}), err
}

// statusOf is the status of a Service whose load balancer this is.
func statusOf(lb simcloud.LoadBalancer) *corev1.LoadBalancerStatus {
	status := &corev1.LoadBalancerStatus{}
	for _, vip := range lb.VIPs {
		status.Ingress = append(status.Ingress, corev1.LoadBalancerIngress{IP: vip.Address})
	}
	return status
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

// ignoresInUse does not come back to what is in use.
type ignoresInUse struct{ *client.Client }

func (i ignoresInUse) DeleteFloatingIP(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	op, err := i.Client.DeleteFloatingIP(ctx, id, opts...)
	if errors.Is(err, simcloud.InUse) {
		klog.InfoS("Ignoring that the floating IP is in use, assuming because the load balancer is in process of deleting", "id", id)
		return op, nil
	}
	return op, err
}
