package resource

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func targetGroupNoun() *noun[simcloud.TargetGroup, *simcloud.TargetGroup] {
	return &noun[simcloud.TargetGroup, *simcloud.TargetGroup]{
		kind: simcloud.KindTargetGroup, use: "target-group", one: "a target group", title: "target groups", prefix: "tg-",
		sample: sample{name: "nodes", create: []string{
			"create nodes --port 30080 --target node-1 --check http:10256/healthz", "create dns --protocol udp --port 30053 -o json",
		}},
		list: (*client.Client).ListTargetGroups, get: (*client.Client).GetTargetGroup, remove: (*client.Client).DeleteTargetGroup,
		table: output.MetaColumns(
			output.Col("PROTOCOL", func(g simcloud.TargetGroup) string { return string(g.Protocol) }),
			output.Col("PORT", func(g simcloud.TargetGroup) string { return strconv.Itoa(g.Port) }),
			output.Col("TARGETS", func(g simcloud.TargetGroup) string { return output.JoinCells(g.Targets, groupTargetCell) }),
			output.Col("LOADBALANCER", func(g simcloud.TargetGroup) string { return string(g.LoadBalancer) }),
			output.WideCol("CHECK", func(g simcloud.TargetGroup) string { return groupCheckCell(g.HealthCheck) }),
			output.WideCol("NETWORK", func(g simcloud.TargetGroup) string { return string(g.Network) }),
			output.WideCol("PARTOF", func(g simcloud.TargetGroup) string { return string(g.PartOf) }),
		),
	}
}

func newTargetGroupCommand() *cobra.Command {
	n := targetGroupNoun()
	update := func(c *client.Client, ctx context.Context, id simcloud.ID, name *string, labels *map[string]string, opts ...simcloud.CallOption) (simcloud.Result[simcloud.TargetGroup], error) {
		return c.UpdateTargetGroup(ctx, id, simcloud.TargetGroupUpdate{Name: name, Labels: labels}, opts...)
	}
	cmd := n.command(newTargetGroupCreateCommand(n), newTargetGroupUpdateCommand(n), n.renameCommand(update), n.labelCommand(update))
	cmd.AddCommand(n.optionsCommand(func(
		c *client.Client, ctx context.Context, id simcloud.ID, options *map[string]string, opts ...simcloud.CallOption,
	) (simcloud.Result[simcloud.TargetGroup], error) {
		return c.UpdateTargetGroup(ctx, id, simcloud.TargetGroupUpdate{Options: options}, opts...)
	}))
	cmd.AddCommand(groupTargetsCommand(n, "add-target", "Add targets to a target group, all or none", (*client.Client).AddGroupTargets))
	cmd.AddCommand(groupTargetsCommand(n, "remove-target", "Remove targets of a target group, all or none", (*client.Client).RemoveGroupTargets))
	cmd.Aliases = []string{"target-groups", "tg"}
	return cmd
}

// groupTargetCell is "i-1:30080" or "[2001:db8::1]:30080", with the health when that is not good.
func groupTargetCell(t simcloud.GroupTarget) string {
	text := net.JoinHostPort(string(t.Key()), strconv.Itoa(t.Port))
	if t.Health != simcloud.TargetHealthy {
		text += fmt.Sprintf("(%s)", t.Health)
	}
	return text
}

// groupCheckCell is "http:10256/healthz", or "tcp" where targets are asked at their own ports, as --check takes it.
func groupCheckCell(check *simcloud.HealthCheck) string {
	if check == nil {
		return ""
	}
	text := string(check.Protocol)
	if check.Port != 0 {
		text += ":" + strconv.Itoa(check.Port)
	}
	return text + check.Path
}

func newTargetGroupCreateCommand(n *noun[simcloud.TargetGroup, *simcloud.TargetGroup]) *cobra.Command {
	var spec simcloud.TargetGroupSpec
	var targets []string
	var options optionFlags
	check := checkFlags{ownPorts: true}
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (r simcloud.Result[simcloud.TargetGroup], err error) {
		spec.Name, spec.Labels = name, labels
		if spec.HealthCheck, err = check.healthCheck(); err != nil {
			return r, err
		}
		if spec.Options, err = options.options(); err != nil {
			return r, err
		}
		if spec.Targets, err = groupTargets(ctx, c, "--target ", targets); err != nil {
			return r, err
		}
		if err := cmp.Or(networkNoun().resolve(ctx, c, &spec.Network), balancerNoun().resolve(ctx, c, &spec.PartOf)); err != nil {
			return r, err
		}
		return c.CreateTargetGroup(ctx, spec)
	})
	f := cmd.Flags()
	f.StringVar((*string)(&spec.Protocol), "protocol", string(simcloud.ProtocolTCP), "protocol, as of a listener: it has to take the transports of the listeners that forward to the group")
	f.IntVar(&spec.Port, "port", 0, "port of the targets that have none of their own")
	f.StringVar((*string)(&spec.Network), "network", "", "id or name of the network of the targets (default: the cloud's first)")
	f.StringSliceVar(&targets, "target", nil, "target INSTANCE[:PORT] or ADDRESS[:PORT]; can be repeated")
	f.BoolVar(&spec.ProxyProtocol, "proxy-protocol", false, "PROXY protocol header, which tells the targets who connects")
	f.StringVar((*string)(&spec.PartOf), "part-of", "", "id or name of the load balancer with which the group is deleted (default: none)")
	options.add(f)
	check.add(f)
	return cmd
}

func newTargetGroupUpdateCommand(n *noun[simcloud.TargetGroup, *simcloud.TargetGroup]) *cobra.Command {
	var proxy bool
	var partOf simcloud.ID
	check := checkFlags{ownPorts: true}
	cmd := &cobra.Command{
		Use: "update GROUP", Short: "Change the health check, the PROXY protocol and the load balancer of a target group",
		Example: n.example("update "+n.sample.name+" --check tcp --check-interval 10", "update "+n.sample.name+" --part-of web"),
		Args:    usage.ExactArgs(1), ValidArgsFunction: n.completeFirst,
	}
	cmd.RunE = n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
		var update simcloud.TargetGroupUpdate
		var err error
		if update.HealthCheck, err = check.healthCheck(); err != nil {
			return err
		}
		if cmd.Flags().Changed("proxy-protocol") {
			update.ProxyProtocol = &proxy
		}
		if cmd.Flags().Changed("part-of") {
			update.PartOf = &partOf
		}
		id, err := n.id(ctx, c, args[0])
		if err = cmp.Or(err, balancerNoun().resolve(ctx, c, &partOf)); err != nil {
			return err
		}
		res, err := c.UpdateTargetGroup(ctx, id, update)
		return n.result(ctx, c, out, res, err)
	})
	cmd.Flags().BoolVar(&proxy, "proxy-protocol", false, "PROXY protocol header, which tells the targets who connects (default: as it is)")
	cmd.Flags().StringVar((*string)(&partOf), "part-of", "", "id or name of the load balancer with which the group is deleted, \"\" for none (default: as it is)")
	check.add(cmd.Flags())
	n.addWait(cmd)
	return cmd
}

// groupTargetsCommand adds targets to a group, or removes them.
func groupTargetsCommand(
	n *noun[simcloud.TargetGroup, *simcloud.TargetGroup], verb, short string,
	act func(*client.Client, context.Context, simcloud.ID, simcloud.GroupTargets, ...simcloud.CallOption) (simcloud.Result[simcloud.TargetGroup], error),
) *cobra.Command {
	cmd := &cobra.Command{
		Use: verb + " GROUP INSTANCE[:PORT]...", Short: short,
		Example: n.example(verb + " " + n.sample.name + " node-1:30081"),
		Args:    usage.MinArgs(2), ValidArgsFunction: n.completeFirst,
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			id, err := n.id(ctx, c, args[0])
			targets, errTargets := groupTargets(ctx, c, "", args[1:])
			if err = cmp.Or(errTargets, err); err != nil {
				return err
			}
			res, err := act(c, ctx, id, simcloud.GroupTargets{Targets: targets})
			return n.result(ctx, c, out, res, err)
		}),
	}
	n.addWait(cmd)
	return cmd
}

// groupTargets reads targets such as "node-1", "node-1:30081" and "10.0.200.21:30081".
func groupTargets(ctx context.Context, c *client.Client, flag string, texts []string) ([]simcloud.GroupTargetSpec, error) {
	var targets []simcloud.GroupTargetSpec
	for _, text := range texts {
		target, err := parseGroupTarget(text)
		if err != nil {
			return nil, exit.Usage(fmt.Errorf("%s%w", flag, err))
		}
		targets = append(targets, target)
	}
	for i := range targets {
		if targets[i].Address != "" {
			continue
		}
		if err := instanceNoun().resolve(ctx, c, &targets[i].Instance); err != nil {
			return nil, err
		}
	}
	return targets, nil
}
