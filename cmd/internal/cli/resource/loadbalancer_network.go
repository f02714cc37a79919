package resource

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newLoadBalancerNetworkCommand(n *loadBalancerNoun) *cobra.Command {
	cmd := &cobra.Command{Use: "network", Short: "Manage the networks that a load balancer is attached to", Args: usage.KnownCommand, RunE: usage.ShowHelp}
	var to simcloud.LoadBalancerAttachment
	attach := partVerb(n, "attach LB NETWORK", "Attach a load balancer to a network, of which it gets addresses", "network attach "+n.sample.name+" default --address 10.0.0.9",
		func(ctx context.Context, c *client.Client, lb simcloud.ID, part string) (r simcloud.Result[simcloud.LoadBalancer], err error) {
			to.Network = simcloud.ID(part)
			if err := cmp.Or(networkNoun().resolve(ctx, c, &to.Network), subnetNoun().resolve(ctx, c, &to.Subnet)); err != nil {
				return r, err
			}
			return c.AttachLoadBalancerNetwork(ctx, lb, to)
		})
	attach.Flags().StringVar(&to.Address, "address", "", "certain address of the network (default: a free one)")
	attach.Flags().StringVar((*string)(&to.Subnet), "subnet", "", "id or name of the subnet that the address is from (default: the rest of the network)")
	cmd.AddCommand(attach, partVerb(n, "detach LB NETWORK", "Detach a load balancer from a network, and free its addresses", "network detach "+n.sample.name+" default",
		func(ctx context.Context, c *client.Client, lb simcloud.ID, part string) (r simcloud.Result[simcloud.LoadBalancer], err error) {
			network, err := networkNoun().id(ctx, c, part)
			if err != nil {
				return r, err
			}
			return c.DetachLoadBalancerNetwork(ctx, lb, network)
		}))
	return cmd
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
