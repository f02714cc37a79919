package client

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListLoadBalancers returns one page of load balancers.
func (c *Client) ListLoadBalancers(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.LoadBalancer], error) {
	return list[simcloud.LoadBalancer](ctx, c, "ListLoadBalancers", opts)
}

// GetLoadBalancer returns a load balancer.
func (c *Client) GetLoadBalancer(ctx context.Context, id simcloud.ID) (simcloud.LoadBalancer, error) {
	return get[simcloud.LoadBalancer](ctx, c, "GetLoadBalancer", id)
}

// CreateLoadBalancer makes a load balancer.
func (c *Client) CreateLoadBalancer(ctx context.Context, spec simcloud.LoadBalancerSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	return mutate[simcloud.LoadBalancer](ctx, c, "CreateLoadBalancer", spec, opts)
}

// UpdateLoadBalancer changes a load balancer, not its listeners and targets.
func (c *Client) UpdateLoadBalancer(ctx context.Context, id simcloud.ID, update simcloud.LoadBalancerUpdate, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	return mutate[simcloud.LoadBalancer](ctx, c, "UpdateLoadBalancer", update, opts, id)
}

// DeleteLoadBalancer deletes a load balancer and keeps its floating IPs.
func (c *Client) DeleteLoadBalancer(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	return remove(ctx, c, "DeleteLoadBalancer", id, opts)
}

// CreateListener adds a listener to a load balancer.
func (c *Client) CreateListener(ctx context.Context, lb simcloud.ID, spec simcloud.ListenerSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	return mutate[simcloud.LoadBalancer](ctx, c, "CreateListener", spec, opts, lb)
}

// UpdateListener replaces the configuration of a listener.
func (c *Client) UpdateListener(ctx context.Context, lb, listener simcloud.ID, config simcloud.ListenerConfig, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	return mutate[simcloud.LoadBalancer](ctx, c, "UpdateListener", config, opts, lb, listener)
}

// DeleteListener removes a listener from a load balancer.
func (c *Client) DeleteListener(ctx context.Context, lb, listener simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	return mutate[simcloud.LoadBalancer](ctx, c, "DeleteListener", nil, opts, lb, listener)
}

// CreateTarget adds a target to a load balancer.
func (c *Client) CreateTarget(ctx context.Context, lb simcloud.ID, spec simcloud.TargetSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	return mutate[simcloud.LoadBalancer](ctx, c, "CreateTarget", spec, opts, lb)
}

// DeleteTarget removes the target that is this instance.
func (c *Client) DeleteTarget(ctx context.Context, lb, instance simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	return mutate[simcloud.LoadBalancer](ctx, c, "DeleteTarget", nil, opts, lb, instance)
}

// FailoverLoadBalancer replaces the machines behind a load balancer.
func (c *Client) FailoverLoadBalancer(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
	return mutate[simcloud.LoadBalancer](ctx, c, "FailoverLoadBalancer", nil, opts, id)
}
