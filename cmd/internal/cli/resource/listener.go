package resource

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

type loadBalancerNoun = noun[simcloud.LoadBalancer, *simcloud.LoadBalancer]

func newListenerCommand(n *loadBalancerNoun) *cobra.Command {
	cmd := &cobra.Command{Use: "listener", Short: "Manage the listeners of a load balancer", Args: usage.KnownCommand, RunE: usage.ShowHelp}
	var flags listenerFlags
	create := partVerb(n, "create LB PROTOCOL:PORT:TARGET", "Add a listener to a port of the targets, such as tcp:80:30080, or to a target group, such as tcp:80:nodes", "listener create "+n.sample.name+" https:443:30443 --option certificate=7",
		func(ctx context.Context, c *client.Client, lb simcloud.ID, part string) (r simcloud.Result[simcloud.LoadBalancer], err error) {
			spec, err := parseListener(ctx, c, part)
			if err != nil {
				return r, err
			}
			if spec.ListenerConfig, err = flags.config(spec.TargetPort, spec.TargetGroup); err != nil {
				return r, err
			}
			return c.CreateListener(ctx, lb, spec)
		})
	flags.add(create.Flags())
	var changed listenerFlags
	var targetPort int
	var group simcloud.ID
	update := partVerb(n, "update LB LISTENER", "Replace the whole configuration of a listener, such as tcp-80", "listener update "+n.sample.name+" tcp-80 --target-port 30081 --check http:10256/healthz",
		func(ctx context.Context, c *client.Client, lb simcloud.ID, part string) (r simcloud.Result[simcloud.LoadBalancer], err error) {
			if err := targetGroupNoun().resolve(ctx, c, &group); err != nil {
				return r, err
			}
			config, err := changed.config(targetPort, group)
			if err != nil {
				return r, err
			}
			return c.UpdateListener(ctx, lb, simcloud.ID(part), config)
		})
	changed.add(update.Flags())
	update.Flags().IntVar(&targetPort, "target-port", 0, "port on the targets")
	update.Flags().StringVar((*string)(&group), "target-group", "", "id or name of a target group, in place of a port")
	cmd.AddCommand(create, update, partVerb(n, "delete LB LISTENER", "Remove a listener, such as tcp-80", "listener delete "+n.sample.name+" tcp-80",
		func(ctx context.Context, c *client.Client, lb simcloud.ID, part string) (simcloud.Result[simcloud.LoadBalancer], error) {
			return c.DeleteListener(ctx, lb, simcloud.ID(part))
		}))
	return cmd
}

func newTargetCommand(n *loadBalancerNoun) *cobra.Command {
	cmd := &cobra.Command{Use: "target", Short: "Manage the targets of a load balancer", Args: usage.KnownCommand, RunE: usage.ShowHelp}
	var spec simcloud.TargetSpec
	create := partVerb(n, "create LB INSTANCE|ADDRESS", "Add an instance or an address to the targets", "target create "+n.sample.name+" node-2 --weight 2",
		func(ctx context.Context, c *client.Client, lb simcloud.ID, part string) (simcloud.Result[simcloud.LoadBalancer], error) {
			to, err := targetSpec(ctx, c, part)
			if err != nil {
				return simcloud.Result[simcloud.LoadBalancer]{}, err
			}
			spec.Instance, spec.Address = to.Instance, to.Address
			return c.CreateTarget(ctx, lb, spec)
		})
	create.Flags().BoolVar(&spec.UsePrivateIP, "private", false, "private address of the instance, in a network that the load balancer is attached to")
	create.Flags().IntVar(&spec.Weight, "weight", 0, "share of the connections beside those of the others; 0 means 1")
	cmd.AddCommand(create, partVerb(n, "delete LB INSTANCE|ADDRESS", "Remove an instance or an address from the targets", "target delete "+n.sample.name+" node-1",
		func(ctx context.Context, c *client.Client, lb simcloud.ID, part string) (simcloud.Result[simcloud.LoadBalancer], error) {
			to, err := targetSpec(ctx, c, part)
			if errors.Is(err, simcloud.NotFound) { // an instance that is gone can be a target still
				to.Instance, err = simcloud.ID(part), nil
			}
			if err != nil {
				return simcloud.Result[simcloud.LoadBalancer]{}, err
			}
			return c.DeleteTarget(ctx, lb, to.Key())
		}))
	return cmd
}
