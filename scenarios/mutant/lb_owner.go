package mutant

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// lbOwnerMutants are those that take what belongs to another Service, cluster or client for their own.
var lbOwnerMutants = []Mutant{
	{
		Name:     "clusters-share-lb-by-name",
		Row:      "30",
		Title:    "a load balancer belongs to whoever computes its name, of the cluster's name and the Service's",
		Issues:   []string{"openstack#2241", "openstack#1371", "openstack#1273", "openstack#2004", "openstack#2571", "openstack#3102", "hcloud#128", "outscale#604"},
		Fault:    "another cluster of the same name has a Service of the same namespace and name",
		Expected: "each Service has its own load balancer, or the second is refused",
		KilledBy: "clusters-share-lb-by-name",
		Reason:   "A name says nothing of whose a load balancer is",
		api:      func(c *client.Client) ccm.CloudAPI { return namesByService{c} },
		// It makes the load balancer of a Service's name the Service's.
		balancers: func(lbs *balancers) {
			lbs.beforeEnsure(func(ctx context.Context, cluster string, svc *corev1.Service) error {
				all, err := simcloud.ListAll(ctx, lbs.cloud.ListLoadBalancers, simcloud.ListOptions{})
				for _, lb := range all {
					if lb.Name != serviceName(cluster, svc.Namespace+"/"+svc.Name) || lb.Labels[label.ServiceUID] == string(svc.UID) {
						continue
					}
					lb.Labels[label.ServiceUID] = string(svc.UID)
					if _, err := lbs.cloud.UpdateLoadBalancer(ctx, lb.ID, simcloud.LoadBalancerUpdate{Labels: &lb.Labels}); err != nil {
						return err
					}
				}
				return err
			})
		},
	},
	{
		Name:     "lb-id-taken-over",
		Row:      "31",
		Title:    "an id in an annotation is believed, whosever load balancer it is",
		Issues:   []string{"digitalocean#556", "digitalocean#916", "digitalocean#224", "digitalocean#268"},
		Fault:    "a Service names the load balancer of another; the one that a Service names is deleted",
		Expected: "the first is refused, and the second gets one when it names none any more",
		KilledBy: "lb-id-taken-over",
		Reason:   "A CCM must refuse a load balancer that was made for another Service",
		api:      func(c *client.Client) ccm.CloudAPI { return asksNoOwner{c} },
	},
	{
		Name:     "foreign-parts-wiped",
		Row:      "33",
		Title:    "all that a load balancer has is taken for the Service's, and set back to what the Service asks for",
		Issues:   []string{"hcloud#249", "hcloud#651", "linode#197", "openstack#2699", "openstack#2705", "kubernetes#51755"},
		Fault:    "another client adds a listener and a target to the load balancer of a Service",
		Expected: "they stay, when the Service changes and when the CCM starts again",
		KilledBy: "foreign-parts-wiped",
		Reason:   "leave what others have added",
		api:      func(c *client.Client) ccm.CloudAPI { return rereads{c, claimParts} },
	},
	{
		Name:     "requested-address-removed",
		Row:      "35",
		Title:    "with a Service goes the address that it asked for, whosever it is",
		Issues:   []string{"openstack#933", "openstack#2443", "azure#9867", "azure#9937"},
		Fault:    "two Services ask for one address, and the one that did not get it is deleted",
		Expected: "the other keeps the address",
		KilledBy: "requested-address-removed",
		Reason:   "The address that it asked for is another's",
		// It looks for the address to release in the Service's spec.
		balancers: func(lbs *balancers) {
			lbs.remove = func(ctx context.Context, cluster string, svc *corev1.Service) error {
				if err := lbs.right.EnsureLoadBalancerDeleted(ctx, cluster, svc); err != nil || svc.Spec.LoadBalancerIP == "" {
					return err
				}
				all, err := simcloud.ListAll(ctx, lbs.cloud.ListFloatingIPs, simcloud.ListOptions{})
				for _, ip := range all {
					if ip.Address == svc.Spec.LoadBalancerIP {
						return release(ctx, lbs.cloud, ip)
					}
				}
				return err
			}
		},
	},
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

// asksNoOwner looks a load balancer up by its id, and does not look whose it is.
type asksNoOwner struct{ *client.Client }

func (a asksNoOwner) GetLoadBalancer(ctx context.Context, id simcloud.ID) (simcloud.LoadBalancer, error) {
	lb, err := a.Client.GetLoadBalancer(ctx, id)
	delete(lb.Labels, label.ServiceUID)
	return lb, err
}

// rereads changes each load balancer that is read.
type rereads struct {
	*client.Client
	change func(*simcloud.LoadBalancer)
}

func (r rereads) GetLoadBalancer(ctx context.Context, id simcloud.ID) (simcloud.LoadBalancer, error) {
	lb, err := r.Client.GetLoadBalancer(ctx, id)
	r.change(&lb)
	return lb, err
}

func (r rereads) ListLoadBalancers(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.LoadBalancer], error) {
	page, err := r.Client.ListLoadBalancers(ctx, opts)
	for i := range page.Items {
		r.change(&page.Items[i])
	}
	return page, err
}

// claimParts makes each part of a load balancer its Service's.
func claimParts(lb *simcloud.LoadBalancer) {
	owner := map[string]string{label.ServiceUID: lb.Labels[label.ServiceUID]}
	for i := range lb.Listeners {
		lb.Listeners[i].Labels = owner
	}
	for i := range lb.Targets {
		lb.Targets[i].Labels = owner
	}
}

// release takes an address from its load balancer, and deletes it.
func release(ctx context.Context, cloud *client.Client, ip simcloud.FloatingIP) error {
	if _, err := cloud.DetachFloatingIP(ctx, ip.ID); err != nil {
		return err
	}
	_, err := cloud.DeleteFloatingIP(ctx, ip.ID)
	return err
}
