package resource

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func balancerNoun() *noun[simcloud.LoadBalancer, *simcloud.LoadBalancer] {
	return &noun[simcloud.LoadBalancer, *simcloud.LoadBalancer]{
		kind: simcloud.KindLoadBalancer, use: "lb", one: "a load balancer", title: "load balancers", prefix: "lb-",
		sample: sample{
			name: "web", list: "--state active -o wide",
			create: []string{"create web --listener tcp:80:30080 --target node-1", "create db --scheme internal -o json"},
		},
		hostname: func(l simcloud.LoadBalancer) string { return l.Hostname },
		list:     (*client.Client).ListLoadBalancers, get: (*client.Client).GetLoadBalancer, remove: (*client.Client).DeleteLoadBalancer,
		table: output.MetaColumns(
			output.Col("STATE", func(l simcloud.LoadBalancer) string { return string(l.State) }),
			output.Col("SCHEME", func(l simcloud.LoadBalancer) string { return string(l.Scheme) }),
			output.Col("VIPS", func(l simcloud.LoadBalancer) string {
				return output.JoinCells(l.VIPs, func(v simcloud.VIP) string { return v.Address })
			}),
			output.Col("LISTENERS", func(l simcloud.LoadBalancer) string { return output.JoinCells(l.Listeners, listenerCell) }),
			output.Col("TARGETS", func(l simcloud.LoadBalancer) string { return output.JoinCells(l.Targets, targetCell) }),
			output.WideCol("HOSTNAME", func(l simcloud.LoadBalancer) string { return l.Hostname }),
			output.WideCol("NETWORK", func(l simcloud.LoadBalancer) string { return string(l.Network) }),
			output.WideCol("CLASS", func(l simcloud.LoadBalancer) string { return l.Class }),
			output.WideCol("GROUPS", func(l simcloud.LoadBalancer) string { return output.JoinCells(l.SecurityGroups, output.IDCell) }),
			output.WideCol("ALGORITHM", func(l simcloud.LoadBalancer) string { return string(l.Algorithm) }),
		),
	}
}

func newLoadBalancerCommand() *cobra.Command {
	n := balancerNoun()
	cmd := n.command(
		newLoadBalancerCreateCommand(n), newListenerCommand(n), newTargetCommand(n), newLoadBalancerNetworkCommand(n), newLoadBalancerClassCommand(n),
		newLoadBalancerStatusCommand(n), newLoadBalancerHostsCommand(n),
		n.verb("failover", "Fail over load balancers; one in error becomes active", (*client.Client).FailoverLoadBalancer),
		n.renameCommand(updateLoadBalancer), n.labelCommand(updateLoadBalancer),
	)
	cmd.AddCommand(n.protectCommands(func(
		c *client.Client, ctx context.Context, id simcloud.ID, on *bool, opts ...simcloud.CallOption,
	) (simcloud.Result[simcloud.LoadBalancer], error) {
		return c.UpdateLoadBalancer(ctx, id, simcloud.LoadBalancerUpdate{Protected: on}, opts...)
	})...)
	cmd.AddCommand(newLoadBalancerPublicCommands(n)...)
	cmd.AddCommand(n.ptrCommand(func(
		c *client.Client, ctx context.Context, id simcloud.ID, names *map[string]string, opts ...simcloud.CallOption,
	) (simcloud.Result[simcloud.LoadBalancer], error) {
		return c.UpdateLoadBalancer(ctx, id, simcloud.LoadBalancerUpdate{PTRs: names}, opts...)
	}))
	cmd.AddCommand(n.groupsCommand(func(
		c *client.Client, ctx context.Context, id simcloud.ID, groups *[]simcloud.ID, opts ...simcloud.CallOption,
	) (simcloud.Result[simcloud.LoadBalancer], error) {
		return c.UpdateLoadBalancer(ctx, id, simcloud.LoadBalancerUpdate{SecurityGroups: groups}, opts...)
	}))
	cmd.AddCommand(n.optionsCommand(func(
		c *client.Client, ctx context.Context, id simcloud.ID, options *map[string]string, opts ...simcloud.CallOption,
	) (simcloud.Result[simcloud.LoadBalancer], error) {
		return c.UpdateLoadBalancer(ctx, id, simcloud.LoadBalancerUpdate{Options: options}, opts...)
	}))
	cmd.Aliases = []string{"lbs", "load-balancer", "load-balancers"}
	return cmd
}

func updateLoadBalancer(
	c *client.Client, ctx context.Context, id simcloud.ID, name *string, labels *map[string]string, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.LoadBalancer], error) {
	return c.UpdateLoadBalancer(ctx, id, simcloud.LoadBalancerUpdate{Name: name, Labels: labels}, opts...)
}

// listenerCell is "tcp:80->30080" or "tcp:80->tg-1".
func listenerCell(l simcloud.Listener) string {
	if l.TargetGroup != "" {
		return fmt.Sprintf("%s:%d->%s", l.Protocol, l.Port, l.TargetGroup)
	}
	return fmt.Sprintf("%s:%d->%d", l.Protocol, l.Port, l.TargetPort)
}

// targetCell is the instance or the address, with its health when that is not good.
func targetCell(t simcloud.Target) string {
	if t.Health == simcloud.TargetHealthy {
		return string(t.Key())
	}
	return fmt.Sprintf("%s(%s)", t.Key(), t.Health)
}

func newLoadBalancerCreateCommand(n *noun[simcloud.LoadBalancer, *simcloud.LoadBalancer]) *cobra.Command {
	var spec simcloud.LoadBalancerSpec
	var listeners, targets, networks, groups []string
	var options optionFlags
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.LoadBalancer], error) {
		spec.Name, spec.Labels = name, labels
		for _, text := range listeners {
			listener, err := parseListener(ctx, c, text)
			if err != nil {
				return simcloud.Result[simcloud.LoadBalancer]{}, err
			}
			spec.Listeners = append(spec.Listeners, listener)
		}
		for _, text := range targets {
			target, err := targetSpec(ctx, c, text)
			if err != nil {
				return simcloud.Result[simcloud.LoadBalancer]{}, err
			}
			target.UsePrivateIP = spec.PublicDisabled
			spec.Targets = append(spec.Targets, target)
		}
		err := networkNoun().resolve(ctx, c, &spec.Network)
		if err != nil {
			return simcloud.Result[simcloud.LoadBalancer]{}, err
		}
		if spec.Networks, err = attachments(ctx, c, networks); err != nil {
			return simcloud.Result[simcloud.LoadBalancer]{}, err
		}
		if spec.SecurityGroups, err = securityGroupNoun().resolved(ctx, c, groups); err != nil {
			return simcloud.Result[simcloud.LoadBalancer]{}, err
		}
		if spec.Options, err = options.options(); err != nil {
			return simcloud.Result[simcloud.LoadBalancer]{}, err
		}
		return c.CreateLoadBalancer(ctx, spec)
	})
	f := cmd.Flags()
	f.StringVar((*string)(&spec.Scheme), "scheme", "", "scheme: public or internal (default: public)")
	f.StringVar(&spec.Class, "class", "", "class of the load balancer (default: the cloud's first, if it has classes)")
	f.StringVar((*string)(&spec.Network), "network", "", "id or name of the network (default: the cloud's first)")
	f.StringVar(&spec.Hostname, "hostname", "", "DNS name that leads to it, in which {number} is the number of its id")
	f.IntSliceVar(&spec.PublicFamilies, "public-family", nil, "family, 4 or 6, of which a public one has an address of its own; can be repeated")
	f.StringSliceVar(&networks, "attach-network", nil, "id or name of a network to have addresses of; can be repeated")
	f.StringSliceVar(&groups, "security-group", nil, "id or name of a security group; can be repeated (default: none, which lets everything in)")
	f.BoolVar(&spec.PublicDisabled, "public-disabled", false, "silence at the public addresses")
	f.BoolVar(&spec.Protected, "protected", false, "protection from deletion")
	f.StringSliceVar(&listeners, "listener", nil, "listener PROTOCOL:PORT:TARGET, with a port of the targets, such as tcp:80:30080, or a target group; can be repeated")
	f.StringSliceVar(&targets, "target", nil, "id or name of an instance, or address, to forward to; can be repeated")
	options.add(f)
	return cmd
}

// parseListener reads "tcp:80:30080" and "tcp:80:nodes", with the id or name of a target group.
func parseListener(ctx context.Context, c *client.Client, text string) (simcloud.ListenerSpec, error) {
	var spec simcloud.ListenerSpec
	parts := strings.Split(text, ":")
	if len(parts) != 3 || parts[2] == "" {
		return spec, badListener(text)
	}
	spec.Protocol = simcloud.Protocol(parts[0])
	var err error
	if spec.Port, err = strconv.Atoi(parts[1]); err != nil {
		return spec, badListener(text)
	}
	if spec.TargetPort, err = strconv.Atoi(parts[2]); err == nil {
		return spec, nil
	}
	spec.TargetGroup = simcloud.ID(parts[2])
	return spec, targetGroupNoun().resolve(ctx, c, &spec.TargetGroup)
}

func badListener(text string) error {
	return exit.Usage(fmt.Errorf("--listener %q is not PROTOCOL:PORT:TARGET, such as tcp:80:30080, or tcp:80:nodes for a target group", text))
}
