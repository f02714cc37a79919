package resource

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newLoadBalancerNetworkCommand(n *loadBalancerNoun) *cobra.Command {
	return networked[simcloud.LoadBalancer, *simcloud.LoadBalancer]{
		noun: n, argument: "LB", network: "default", flags: " --address 10.0.0.9",
		attach: (*client.Client).AttachLoadBalancerNetwork, detach: (*client.Client).DetachLoadBalancerNetwork,
	}.networkCommand()
}

// newLoadBalancerPublicCommands returns the commands that turn the public addresses off and on.
func newLoadBalancerPublicCommands(n *loadBalancerNoun) []*cobra.Command {
	to := func(disabled bool) func(*client.Client, context.Context, simcloud.ID, ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
		return func(c *client.Client, ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error) {
			return c.UpdateLoadBalancer(ctx, id, simcloud.LoadBalancerUpdate{PublicDisabled: &disabled}, opts...)
		}
	}
	return []*cobra.Command{
		n.verb("disable-public", "Disable the public addresses of load balancers, which stay their own", to(true)),
		n.verb("enable-public", "Enable the public addresses of load balancers", to(false)),
	}
}

func newLoadBalancerClassCommand(n *loadBalancerNoun) *cobra.Command {
	return partVerb(n, "class LB CLASS", "Change the class of a load balancer, and with it its limits", "class "+n.sample.name+" lb21",
		func(ctx context.Context, c *client.Client, lb simcloud.ID, part string) (simcloud.Result[simcloud.LoadBalancer], error) {
			return c.UpdateLoadBalancer(ctx, lb, simcloud.LoadBalancerUpdate{Class: &part})
		})
}
