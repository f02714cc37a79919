package mutant

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// coreMutants stand for no story, and prove the core scenarios.
var coreMutants = []Mutant{
	{
		Name:     "addresses-not-set",
		Title:    "Nodes get no addresses",
		KilledBy: "node-taint-removal",
		Reason:   "A CCM must set the addresses of each node",
		instances: func(vms *instances) {
			vms.changeMetadata(func(found *cloudprovider.InstanceMetadata) { found.NodeAddresses = nil })
		},
	},
	{
		Name:     "zone-not-set",
		Title:    "Nodes get no label of their zone",
		KilledBy: "node-taint-removal",
		Reason:   "A CCM must label each node with the type, zone and region",
		instances: func(vms *instances) {
			vms.changeMetadata(func(found *cloudprovider.InstanceMetadata) { found.Zone = "" })
		},
	},
	{
		Name:     "starts-instances",
		Title:    "VMs are started when their Nodes are initialised",
		KilledBy: "node-deletion",
		Reason:   "It follows them.",
		instances: func(vms *instances) {
			vms.metadata = func(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
				found, err := vms.right.InstanceMetadata(ctx, node)
				if err != nil || node.Spec.ProviderID != "" {
					return found, err
				}
				id, err := providerid.Parse(found.ProviderID)
				if err == nil {
					_, err = vms.cloud.StartInstance(ctx, id.Instance)
				}
				return found, err
			}
		},
	},
	{
		Name:     "stopped-taken-for-gone",
		Title:    "a VM that is stopped is taken for gone",
		KilledBy: "node-deletion",
		Reason:   "A stopped VM exists: the Node stays",
		instances: func(vms *instances) {
			vms.exists = func(ctx context.Context, node *corev1.Node) (bool, error) {
				if stopped, err := vms.right.InstanceShutdown(ctx, node); err != nil || stopped {
					return false, nil
				}
				return vms.right.InstanceExists(ctx, node)
			}
		},
	},
	{
		Name:     "gone-never-said",
		Title:    "each VM exists for ever",
		KilledBy: "node-deletion",
		Reason:   "a CCM must delete the Node",
		instances: func(vms *instances) {
			vms.exists = func(context.Context, *corev1.Node) (bool, error) { return true, nil }
		},
	},
	{
		Name:     "shutdown-never-said",
		Title:    "no VM is ever shut down",
		KilledBy: "node-deletion",
		Reason:   "node.cloudprovider.kubernetes.io/shutdown",
		instances: func(vms *instances) {
			vms.shutdown = func(context.Context, *corev1.Node) (bool, error) { return false, nil }
		},
	},
	{
		Name:     "floating-ip-forgotten",
		Title:    "the address of a deleted Service is not given back",
		KilledBy: "lb-provisioning",
		Reason:   "When a Service is deleted, a CCM must remove its load balancer and its address",
		api:      func(c *client.Client) ccm.CloudAPI { return keepsAddresses{c} },
	},
	{
		Name:         "targets-leaked",
		Title:        "targets are never removed",
		KilledBy:     "lb-provisioning",
		Reason:       "When a node leaves the cluster, its target must go",
		AlsoKilledBy: []string{"node-deletion"},
		api:          func(c *client.Client) ccm.CloudAPI { return leaksTargets{c} },
	},
	{
		Name:     "excluded-nodes-kept",
		Title:    "a node that is excluded stays a target as long as it has a VM",
		KilledBy: "lb-provisioning",
		Reason:   "A node with the label node.kubernetes.io/exclude-from-external-load-balancers must not be a target",
		api:      func(c *client.Client) ccm.CloudAPI { return keepsLiving{c} },
	},
	{
		Name:     "target-port-wrong",
		Title:    "listeners lead to the port of the Service on the nodes, where nothing listens",
		KilledBy: "lb-provisioning",
		Reason:   "lead to their node ports",
		api:      func(c *client.Client) ccm.CloudAPI { return ownPorts{c} },
	},
	{
		Name:     "lb-recreated",
		Title:    "each change recreates the load balancer",
		KilledBy: "lb-provisioning",
		Reason:   "The load balancer and its address stay",
		balancers: func(lbs *balancers) {
			lbs.beforeEnsure(lbs.right.EnsureLoadBalancerDeleted)
		},
	},
	{
		Name:         "routes-kept",
		Title:        "routes are never removed",
		KilledBy:     "route-creation",
		Reason:       "When a node is gone, its route leads nowhere",
		AlsoKilledBy: []string{"node-deletion"},
		api:          func(c *client.Client) ccm.CloudAPI { return keepsRoutes{c} },
	},
	{
		Name:     "routes-not-made",
		Title:    "no route can be made",
		KilledBy: "route-creation",
		Reason:   "A CCM must make a route for the pod range of each node",
		routes: func(r *routes) {
			r.create = func(context.Context, string, string, *cloudprovider.Route) error {
				return simcloud.Errorf(simcloud.Capacity, string(simcloud.KindRouteTable), "this provider makes no routes")
			}
		},
	},
	{
		Name:     "unlabelled-routes-deleted",
		Title:    "routes that carry no label are cleaned up",
		KilledBy: "route-creation",
		Reason:   "the routes of others must stay",
		routes:   deleteRoutes(func(route simcloud.Route) bool { return len(route.Labels) == 0 }),
	},
	{
		Name:         "writes-when-idle",
		Title:        "each look at the routes writes the route table",
		KilledBy:     "route-creation",
		Reason:       "when nothing changes a CCM must not write",
		AlsoKilledBy: []string{"node-taint-removal", "p08-idle"},
		routes: func(r *routes) {
			r.beforeList(func(ctx context.Context, _ string) error {
				tables, err := simcloud.ListAll(ctx, r.cloud.ListRouteTables, simcloud.ListOptions{})
				for _, table := range tables {
					if _, err := r.cloud.UpdateRouteTable(ctx, table.ID, simcloud.RouteTableUpdate{Name: &table.Name}); err != nil {
						return err
					}
				}
				return err
			})
		},
	},
}

type keepsAddresses struct{ ccm.CloudAPI }

func (keepsAddresses) DeleteFloatingIP(context.Context, simcloud.ID, ...simcloud.CallOption) (simcloud.Operation, error) {
	return simcloud.Operation{}, nil
}

type leaksTargets struct{ ccm.CloudAPI }

func (leaksTargets) DeleteTarget(context.Context, simcloud.ID, simcloud.ID, ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	return simcloud.Result[simcloud.LoadBalancer]{}, nil
}

type keepsLiving struct{ ccm.CloudAPI }

func (k keepsLiving) DeleteTarget(ctx context.Context, lb, instance simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	if _, err := k.GetInstance(ctx, instance); err == nil {
		return simcloud.Result[simcloud.LoadBalancer]{}, nil
	}
	return k.CloudAPI.DeleteTarget(ctx, lb, instance, opts...)
}

type ownPorts struct{ ccm.CloudAPI }

func (o ownPorts) CreateLoadBalancer(ctx context.Context, spec simcloud.LoadBalancerSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	spec.Listeners = slices.Clone(spec.Listeners)
	for i := range spec.Listeners {
		spec.Listeners[i].TargetPort = spec.Listeners[i].Port
	}
	return o.CloudAPI.CreateLoadBalancer(ctx, spec, opts...)
}

func (ownPorts) UpdateListener(context.Context, simcloud.ID, simcloud.ID, simcloud.ListenerConfig, ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	return simcloud.Result[simcloud.LoadBalancer]{}, nil
}

type keepsRoutes struct{ ccm.CloudAPI }

func (keepsRoutes) DeleteRoute(context.Context, simcloud.ID, simcloud.ID, ...simcloud.CallOption) (simcloud.Result[simcloud.RouteTable], error) {
	return simcloud.Result[simcloud.RouteTable]{}, nil
}
