package ccm

import (
	"context"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/lb"
	"github.com/simcloud-dev/simcloud/ccm/node"
	"github.com/simcloud-dev/simcloud/ccm/route"
	"github.com/simcloud-dev/simcloud/ccm/volume"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// CloudAPI is what this provider calls of simcloud.API.
type CloudAPI interface {
	config.API
	node.InstanceAPI
	lb.API
	route.API
	clusterAPI
	node.KeyAPI
	volume.API
}

// intercepted puts something around each call of a CloudAPI, under the
// operation's name: metrics, and in tests failures. An error of around takes
// the place of the answer.
type intercepted struct {
	api    CloudAPI
	around func(operation string, call func() error) error
}

func intercept[T any](i intercepted, operation string, call func() (T, error)) (T, error) {
	var answer, none T
	err := i.around(operation, func() (err error) {
		answer, err = call()
		return err
	})
	if err != nil {
		return none, err
	}
	return answer, nil
}

type (
	lbResult    = simcloud.Result[simcloud.LoadBalancer]
	fipResult   = simcloud.Result[simcloud.FloatingIP]
	tableResult = simcloud.Result[simcloud.RouteTable]
)

func (i intercepted) ListRegions(ctx context.Context, o simcloud.ListOptions) (simcloud.Page[simcloud.Region], error) {
	return intercept(i, "ListRegions", func() (simcloud.Page[simcloud.Region], error) { return i.api.ListRegions(ctx, o) })
}

func (i intercepted) ListNetworks(ctx context.Context, o simcloud.ListOptions) (simcloud.Page[simcloud.Network], error) {
	return intercept(i, "ListNetworks", func() (simcloud.Page[simcloud.Network], error) { return i.api.ListNetworks(ctx, o) })
}

func (i intercepted) ListInstances(ctx context.Context, o simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error) {
	return intercept(i, "ListInstances", func() (simcloud.Page[simcloud.Instance], error) { return i.api.ListInstances(ctx, o) })
}

func (i intercepted) GetInstance(ctx context.Context, id simcloud.ID) (simcloud.Instance, error) {
	return intercept(i, "GetInstance", func() (simcloud.Instance, error) { return i.api.GetInstance(ctx, id) })
}

func (i intercepted) ListLoadBalancers(ctx context.Context, o simcloud.ListOptions) (simcloud.Page[simcloud.LoadBalancer], error) {
	return intercept(i, "ListLoadBalancers", func() (simcloud.Page[simcloud.LoadBalancer], error) { return i.api.ListLoadBalancers(ctx, o) })
}

func (i intercepted) GetLoadBalancer(ctx context.Context, id simcloud.ID) (simcloud.LoadBalancer, error) {
	return intercept(i, "GetLoadBalancer", func() (simcloud.LoadBalancer, error) { return i.api.GetLoadBalancer(ctx, id) })
}

func (i intercepted) CreateLoadBalancer(ctx context.Context, s simcloud.LoadBalancerSpec, o ...simcloud.CallOption) (lbResult, error) {
	return intercept(i, "CreateLoadBalancer", func() (lbResult, error) { return i.api.CreateLoadBalancer(ctx, s, o...) })
}

func (i intercepted) UpdateLoadBalancer(ctx context.Context, id simcloud.ID, u simcloud.LoadBalancerUpdate, o ...simcloud.CallOption) (lbResult, error) {
	return intercept(i, "UpdateLoadBalancer", func() (lbResult, error) { return i.api.UpdateLoadBalancer(ctx, id, u, o...) })
}

func (i intercepted) FailoverLoadBalancer(ctx context.Context, id simcloud.ID, o ...simcloud.CallOption) (lbResult, error) {
	return intercept(i, "FailoverLoadBalancer", func() (lbResult, error) { return i.api.FailoverLoadBalancer(ctx, id, o...) })
}

func (i intercepted) DeleteLoadBalancer(ctx context.Context, id simcloud.ID, o ...simcloud.CallOption) (simcloud.Operation, error) {
	return intercept(i, "DeleteLoadBalancer", func() (simcloud.Operation, error) { return i.api.DeleteLoadBalancer(ctx, id, o...) })
}

func (i intercepted) CreateListener(ctx context.Context, lb simcloud.ID, s simcloud.ListenerSpec, o ...simcloud.CallOption) (lbResult, error) {
	return intercept(i, "CreateListener", func() (lbResult, error) { return i.api.CreateListener(ctx, lb, s, o...) })
}

func (i intercepted) UpdateListener(ctx context.Context, lb, l simcloud.ID, c simcloud.ListenerConfig, o ...simcloud.CallOption) (lbResult, error) {
	return intercept(i, "UpdateListener", func() (lbResult, error) { return i.api.UpdateListener(ctx, lb, l, c, o...) })
}

func (i intercepted) DeleteListener(ctx context.Context, lb, l simcloud.ID, o ...simcloud.CallOption) (lbResult, error) {
	return intercept(i, "DeleteListener", func() (lbResult, error) { return i.api.DeleteListener(ctx, lb, l, o...) })
}

func (i intercepted) CreateTarget(ctx context.Context, lb simcloud.ID, s simcloud.TargetSpec, o ...simcloud.CallOption) (lbResult, error) {
	return intercept(i, "CreateTarget", func() (lbResult, error) { return i.api.CreateTarget(ctx, lb, s, o...) })
}

func (i intercepted) DeleteTarget(ctx context.Context, lb, instance simcloud.ID, o ...simcloud.CallOption) (lbResult, error) {
	return intercept(i, "DeleteTarget", func() (lbResult, error) { return i.api.DeleteTarget(ctx, lb, instance, o...) })
}

func (i intercepted) ListFloatingIPs(ctx context.Context, o simcloud.ListOptions) (simcloud.Page[simcloud.FloatingIP], error) {
	return intercept(i, "ListFloatingIPs", func() (simcloud.Page[simcloud.FloatingIP], error) { return i.api.ListFloatingIPs(ctx, o) })
}

func (i intercepted) GetFloatingIP(ctx context.Context, id simcloud.ID) (simcloud.FloatingIP, error) {
	return intercept(i, "GetFloatingIP", func() (simcloud.FloatingIP, error) { return i.api.GetFloatingIP(ctx, id) })
}

func (i intercepted) CreateFloatingIP(ctx context.Context, s simcloud.FloatingIPSpec, o ...simcloud.CallOption) (fipResult, error) {
	return intercept(i, "CreateFloatingIP", func() (fipResult, error) { return i.api.CreateFloatingIP(ctx, s, o...) })
}

func (i intercepted) UpdateFloatingIP(ctx context.Context, id simcloud.ID, u simcloud.FloatingIPUpdate, o ...simcloud.CallOption) (fipResult, error) {
	return intercept(i, "UpdateFloatingIP", func() (fipResult, error) { return i.api.UpdateFloatingIP(ctx, id, u, o...) })
}

func (i intercepted) AttachFloatingIP(ctx context.Context, id simcloud.ID, to simcloud.Attachment, o ...simcloud.CallOption) (fipResult, error) {
	return intercept(i, "AttachFloatingIP", func() (fipResult, error) { return i.api.AttachFloatingIP(ctx, id, to, o...) })
}

func (i intercepted) DetachFloatingIP(ctx context.Context, id simcloud.ID, o ...simcloud.CallOption) (fipResult, error) {
	return intercept(i, "DetachFloatingIP", func() (fipResult, error) { return i.api.DetachFloatingIP(ctx, id, o...) })
}

func (i intercepted) DeleteFloatingIP(ctx context.Context, id simcloud.ID, o ...simcloud.CallOption) (simcloud.Operation, error) {
	return intercept(i, "DeleteFloatingIP", func() (simcloud.Operation, error) { return i.api.DeleteFloatingIP(ctx, id, o...) })
}

func (i intercepted) ListFloatingIPPools(ctx context.Context, o simcloud.ListOptions) (simcloud.Page[simcloud.FloatingIPPool], error) {
	return intercept(i, "ListFloatingIPPools", func() (simcloud.Page[simcloud.FloatingIPPool], error) { return i.api.ListFloatingIPPools(ctx, o) })
}

func (i intercepted) ListRouteTables(ctx context.Context, o simcloud.ListOptions) (simcloud.Page[simcloud.RouteTable], error) {
	return intercept(i, "ListRouteTables", func() (simcloud.Page[simcloud.RouteTable], error) { return i.api.ListRouteTables(ctx, o) })
}

func (i intercepted) GetRouteTable(ctx context.Context, id simcloud.ID) (simcloud.RouteTable, error) {
	return intercept(i, "GetRouteTable", func() (simcloud.RouteTable, error) { return i.api.GetRouteTable(ctx, id) })
}

func (i intercepted) CreateRoute(ctx context.Context, table simcloud.ID, s simcloud.RouteSpec, o ...simcloud.CallOption) (tableResult, error) {
	return intercept(i, "CreateRoute", func() (tableResult, error) { return i.api.CreateRoute(ctx, table, s, o...) })
}

func (i intercepted) DeleteRoute(ctx context.Context, table, route simcloud.ID, o ...simcloud.CallOption) (tableResult, error) {
	return intercept(i, "DeleteRoute", func() (tableResult, error) { return i.api.DeleteRoute(ctx, table, route, o...) })
}
