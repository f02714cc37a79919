package resource

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

type loadBalancerNoun = noun[simcloud.LoadBalancer, *simcloud.LoadBalancer]

// partVerb is a command about one part of a load balancer, which its second argument names.
func partVerb(
	n *loadBalancerNoun, use, short, example string,
	act func(ctx context.Context, c *client.Client, lb simcloud.ID, part string) (simcloud.Result[simcloud.LoadBalancer], error),
) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: usage.ExactArgs(2), ValidArgsFunction: n.completeFirst,
		Example: n.example(example),
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			id, err := n.id(ctx, c, args[0])
			if err != nil {
				return err
			}
			res, err := act(ctx, c, id, args[1])
			return n.result(ctx, c, out, res, err)
		}),
	}
	n.addWait(cmd)
	return cmd
}

func newListenerCommand(n *loadBalancerNoun) *cobra.Command {
	cmd := &cobra.Command{Use: "listener", Short: "Manage the listeners of a load balancer", Args: usage.KnownCommand, RunE: usage.ShowHelp}
	var config simcloud.ListenerConfig
	create := partVerb(n, "create LB PROTOCOL:PORT:TARGETPORT", "Add a listener, such as tcp:80:30080", "listener create "+n.sample.name+" tcp:443:30443",
		func(ctx context.Context, c *client.Client, lb simcloud.ID, part string) (r simcloud.Result[simcloud.LoadBalancer], err error) {
			spec, err := parseListener(part)
			if err != nil {
				return r, err
			}
			config.TargetPort = spec.TargetPort
			spec.ListenerConfig = config
			return c.CreateListener(ctx, lb, spec)
		})
	addListenerFlags(create, &config)
	var changed simcloud.ListenerConfig
	update := partVerb(n, "update LB LISTENER", "Replace the whole configuration of a listener, such as tcp-80", "listener update "+n.sample.name+" tcp-80 --target-port 30081",
		func(ctx context.Context, c *client.Client, lb simcloud.ID, part string) (simcloud.Result[simcloud.LoadBalancer], error) {
			return c.UpdateListener(ctx, lb, simcloud.ID(part), changed)
		})
	addListenerFlags(update, &changed)
	update.Flags().IntVar(&changed.TargetPort, "target-port", 0, "port on the targets")
	cmd.AddCommand(create, update, partVerb(n, "delete LB LISTENER", "Remove a listener, such as tcp-80", "listener delete "+n.sample.name+" tcp-80",
		func(ctx context.Context, c *client.Client, lb simcloud.ID, part string) (simcloud.Result[simcloud.LoadBalancer], error) {
			return c.DeleteListener(ctx, lb, simcloud.ID(part))
		}))
	return cmd
}

func addListenerFlags(cmd *cobra.Command, config *simcloud.ListenerConfig) {
	f := cmd.Flags()
	f.StringSliceVar(&config.AllowedCIDRs, "allow", nil, "range that may connect; can be repeated (default: all)")
	f.BoolVar(&config.ProxyProtocol, "proxy-protocol", false, "PROXY protocol header, which tells the targets who connects")
	f.IntVar(&config.IdleTimeoutSeconds, "idle-timeout", 0, "seconds after which a silent connection ends (default: the cloud's)")
}

func newTargetCommand(n *loadBalancerNoun) *cobra.Command {
	cmd := &cobra.Command{Use: "target", Short: "Manage the targets of a load balancer", Args: usage.KnownCommand, RunE: usage.ShowHelp}
	var spec simcloud.TargetSpec
	create := partVerb(n, "create LB INSTANCE", "Add an instance to the targets", "target create "+n.sample.name+" node-2 --weight 2",
		func(ctx context.Context, c *client.Client, lb simcloud.ID, part string) (simcloud.Result[simcloud.LoadBalancer], error) {
			instance, err := instanceNoun().id(ctx, c, part)
			if err != nil {
				return simcloud.Result[simcloud.LoadBalancer]{}, err
			}
			spec.Instance = instance
			return c.CreateTarget(ctx, lb, spec)
		})
	create.Flags().BoolVar(&spec.UsePrivateIP, "private", false, "private address of the instance, in a network that the load balancer is attached to")
	create.Flags().IntVar(&spec.Weight, "weight", 0, "share of the connections beside those of the others; 0 means 1")
	cmd.AddCommand(create, partVerb(n, "delete LB INSTANCE", "Remove an instance from the targets", "target delete "+n.sample.name+" node-1",
		func(ctx context.Context, c *client.Client, lb simcloud.ID, part string) (simcloud.Result[simcloud.LoadBalancer], error) {
			instance, err := instanceNoun().id(ctx, c, part)
			if errors.Is(err, simcloud.NotFound) { // an instance that is gone can be a target still
				instance, err = simcloud.ID(part), nil
			}
			if err != nil {
				return simcloud.Result[simcloud.LoadBalancer]{}, err
			}
			return c.DeleteTarget(ctx, lb, instance)
		}))
	return cmd
}
