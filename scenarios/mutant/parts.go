package mutant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// instances answers about VMs as simcloud-ccm does, but for the functions that a mutant replaces.
type instances struct {
	right            cloudprovider.InstancesV2 // simcloud-ccm's
	cloud            *client.Client            // for what a mutant asks the cloud itself
	exists, shutdown func(context.Context, *corev1.Node) (bool, error)
	metadata         func(context.Context, *corev1.Node) (*cloudprovider.InstanceMetadata, error)
}

func newInstances(right cloudprovider.InstancesV2, cloud *client.Client) *instances {
	return &instances{right, cloud, right.InstanceExists, right.InstanceShutdown, right.InstanceMetadata}
}

// InstanceExists implements cloudprovider.InstancesV2.
func (i *instances) InstanceExists(ctx context.Context, node *corev1.Node) (bool, error) {
	return i.exists(ctx, node)
}

// InstanceShutdown implements cloudprovider.InstancesV2.
func (i *instances) InstanceShutdown(ctx context.Context, node *corev1.Node) (bool, error) {
	return i.shutdown(ctx, node)
}

// InstanceMetadata implements cloudprovider.InstancesV2.
func (i *instances) InstanceMetadata(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
	return i.metadata(ctx, node)
}

// changeMetadata changes what is reported of each VM.
func (i *instances) changeMetadata(change func(*cloudprovider.InstanceMetadata)) {
	i.metadata = func(ctx context.Context, node *corev1.Node) (*cloudprovider.InstanceMetadata, error) {
		right, err := i.right.InstanceMetadata(ctx, node)
		if err != nil {
			return nil, err
		}
		found := *right
		change(&found)
		return &found, nil
	}
}

// balancers looks after Services as simcloud-ccm does, but for the functions that a mutant replaces.
type balancers struct {
	right  cloudprovider.LoadBalancer // simcloud-ccm's
	cloud  *client.Client             // for what a mutant asks the cloud itself
	get    func(ctx context.Context, cluster string, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error)
	ensure func(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error)
	update func(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) error
	remove func(ctx context.Context, cluster string, svc *corev1.Service) error
}

func newBalancers(right cloudprovider.LoadBalancer, cloud *client.Client) *balancers {
	return &balancers{right, cloud, right.GetLoadBalancer, right.EnsureLoadBalancer, right.UpdateLoadBalancer, right.EnsureLoadBalancerDeleted}
}

// GetLoadBalancerName implements cloudprovider.LoadBalancer.
func (b *balancers) GetLoadBalancerName(ctx context.Context, cluster string, svc *corev1.Service) string {
	return b.right.GetLoadBalancerName(ctx, cluster, svc)
}

// GetLoadBalancer implements cloudprovider.LoadBalancer.
func (b *balancers) GetLoadBalancer(ctx context.Context, cluster string, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
	return b.get(ctx, cluster, svc)
}

// EnsureLoadBalancer implements cloudprovider.LoadBalancer.
func (b *balancers) EnsureLoadBalancer(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
	return b.ensure(ctx, cluster, svc, nodes)
}

// UpdateLoadBalancer implements cloudprovider.LoadBalancer.
func (b *balancers) UpdateLoadBalancer(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) error {
	return b.update(ctx, cluster, svc, nodes)
}

// EnsureLoadBalancerDeleted implements cloudprovider.LoadBalancer.
func (b *balancers) EnsureLoadBalancerDeleted(ctx context.Context, cluster string, svc *corev1.Service) error {
	return b.remove(ctx, cluster, svc)
}

// beforeEnsure has something done before each EnsureLoadBalancer. If it fails, nothing is ensured.
func (b *balancers) beforeEnsure(do func(ctx context.Context, cluster string, svc *corev1.Service) error) {
	b.ensure = func(ctx context.Context, cluster string, svc *corev1.Service, nodes []*corev1.Node) (*corev1.LoadBalancerStatus, error) {
		if err := do(ctx, cluster, svc); err != nil {
			return nil, err
		}
		return b.right.EnsureLoadBalancer(ctx, cluster, svc, nodes)
	}
}

// routes looks after the routes as simcloud-ccm does, but for the functions that a mutant replaces.
type routes struct {
	right  cloudprovider.Routes // simcloud-ccm's
	cloud  *client.Client       // for what a mutant asks the cloud itself
	list   func(ctx context.Context, cluster string) ([]*cloudprovider.Route, error)
	create func(ctx context.Context, cluster, hint string, route *cloudprovider.Route) error
}

func newRoutes(right cloudprovider.Routes, cloud *client.Client) *routes {
	return &routes{right, cloud, right.ListRoutes, right.CreateRoute}
}

// ListRoutes implements cloudprovider.Routes.
func (r *routes) ListRoutes(ctx context.Context, cluster string) ([]*cloudprovider.Route, error) {
	return r.list(ctx, cluster)
}

// CreateRoute implements cloudprovider.Routes.
func (r *routes) CreateRoute(ctx context.Context, cluster, hint string, route *cloudprovider.Route) error {
	return r.create(ctx, cluster, hint, route)
}

// DeleteRoute implements cloudprovider.Routes.
func (r *routes) DeleteRoute(ctx context.Context, cluster string, route *cloudprovider.Route) error {
	return r.right.DeleteRoute(ctx, cluster, route)
}

// beforeList has something done before each ListRoutes. If it fails, nothing is listed.
func (r *routes) beforeList(do func(ctx context.Context, cluster string) error) {
	r.list = func(ctx context.Context, cluster string) ([]*cloudprovider.Route, error) {
		if err := do(ctx, cluster); err != nil {
			return nil, err
		}
		return r.right.ListRoutes(ctx, cluster)
	}
}

// afterList has something done with the routes of each ListRoutes. If it fails, nothing is listed.
func (r *routes) afterList(do func(ctx context.Context, listed []*cloudprovider.Route) error) {
	r.list = func(ctx context.Context, cluster string) ([]*cloudprovider.Route, error) {
		listed, err := r.right.ListRoutes(ctx, cluster)
		if err == nil {
			err = do(ctx, listed)
		}
		if err != nil {
			return nil, err
		}
		return listed, nil
	}
}
