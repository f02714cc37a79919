package resource

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newFloatingIPCommand() *cobra.Command {
	n := &noun[simcloud.FloatingIP, *simcloud.FloatingIP]{
		kind: simcloud.KindFloatingIP, use: "fip", one: "a floating IP", title: "floating IPs", prefix: "fip-",
		sample: sample{name: "web-ip", list: "--state available -o wide", create: []string{"create web-ip", "create web-ip6 --family 6 -o json"}},
		list:   (*client.Client).ListFloatingIPs, get: (*client.Client).GetFloatingIP, remove: (*client.Client).DeleteFloatingIP,
		table: output.MetaColumns(
			output.Col("STATE", func(f simcloud.FloatingIP) string { return string(f.State) }),
			output.Col("ADDRESS", func(f simcloud.FloatingIP) string { return f.Address }),
			output.Col("ATTACHED", func(f simcloud.FloatingIP) string { return output.AttachmentCell(f.AttachedTo) }),
			output.WideCol("POOL", func(f simcloud.FloatingIP) string { return f.Pool }),
			output.WideCol("PTR", func(f simcloud.FloatingIP) string { return f.PTR }),
		),
	}
	cmd := n.command(
		newFloatingIPCreateCommand(n),
		newFloatingIPAttachCommand(n),
		n.verb("detach", "Detach floating IPs", (*client.Client).DetachFloatingIP),
		n.renameCommand(updateFloatingIP), n.labelCommand(updateFloatingIP),
	)
	cmd.AddCommand(n.protectCommands(func(
		c *client.Client, ctx context.Context, id simcloud.ID, on *bool, opts ...simcloud.CallOption,
	) (simcloud.Result[simcloud.FloatingIP], error) {
		return c.UpdateFloatingIP(ctx, id, simcloud.FloatingIPUpdate{Protected: on}, opts...)
	})...)
	cmd.AddCommand(n.nameCommand("set-ptr ID NAME", "Set the name of a floating IP in reverse DNS; an empty one removes it",
		"set-ptr "+n.sample.name+" www.example.com", 2,
		func(ctx context.Context, c *client.Client, id simcloud.ID, args []string) (simcloud.Result[simcloud.FloatingIP], error) {
			return c.UpdateFloatingIP(ctx, id, simcloud.FloatingIPUpdate{PTR: &args[0]})
		}))
	cmd.AddCommand(n.optionsCommand(func(
		c *client.Client, ctx context.Context, id simcloud.ID, options *map[string]string, opts ...simcloud.CallOption,
	) (simcloud.Result[simcloud.FloatingIP], error) {
		return c.UpdateFloatingIP(ctx, id, simcloud.FloatingIPUpdate{Options: options}, opts...)
	}))
	cmd.Aliases = []string{"fips", "floating-ip", "floating-ips"}
	return cmd
}

func updateFloatingIP(
	c *client.Client, ctx context.Context, id simcloud.ID, name *string, labels *map[string]string, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.FloatingIP], error) {
	return c.UpdateFloatingIP(ctx, id, simcloud.FloatingIPUpdate{Name: name, Labels: labels}, opts...)
}

func newFloatingIPCreateCommand(n *noun[simcloud.FloatingIP, *simcloud.FloatingIP]) *cobra.Command {
	var spec simcloud.FloatingIPSpec
	var attach string
	var options optionFlags
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (r simcloud.Result[simcloud.FloatingIP], err error) {
		spec.Name, spec.Labels = name, labels
		if spec.Options, err = options.options(); err != nil {
			return r, err
		}
		if attach != "" {
			if spec.AttachedTo, err = attachmentTo(ctx, c, attach); err != nil {
				return r, err
			}
		}
		return c.CreateFloatingIP(ctx, spec)
	})
	cmd.Flags().StringVar(&spec.Address, "address", "", "certain address of the pool (default: a free one)")
	cmd.Flags().StringVar(&spec.Pool, "pool", "", "pool of addresses (default: the cloud's first)")
	cmd.Flags().StringVar(&spec.PTR, "ptr", "", "name of the address in reverse DNS (default: none)")
	cmd.Flags().BoolVar(&spec.Protected, "protected", false, "protection from deletion")
	cmd.Flags().IntVar(&spec.Family, "family", 0, "IP version, 4 or 6 (default: 4, or that of the pool)")
	cmd.Flags().StringVar(&attach, "attach", "", "id or name of the instance or load balancer to attach it to")
	options.add(cmd.Flags())
	return cmd
}

func newFloatingIPAttachCommand(n *noun[simcloud.FloatingIP, *simcloud.FloatingIP]) *cobra.Command {
	cmd := &cobra.Command{
		Use: "attach ID TO", Short: "Attach a floating IP to an instance or a load balancer, by id or name", Args: usage.ExactArgs(2), ValidArgsFunction: n.completeFirst,
		Example: n.example("attach "+n.sample.name+" i-1", "attach "+n.sample.name+" node-1"),
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			to, err := attachmentTo(ctx, c, args[1])
			if err != nil {
				return err
			}
			id, err := n.id(ctx, c, args[0])
			if err != nil {
				return err
			}
			res, err := c.AttachFloatingIP(ctx, id, to)
			return n.result(ctx, c, out, res, err)
		}),
	}
	n.addWait(cmd)
	return cmd
}

// attachmentTo returns what a floating IP is to be attached to: the instance or the load balancer of an id or a name.
func attachmentTo(ctx context.Context, c *client.Client, arg string) (simcloud.Attachment, error) {
	instance, noInstance := instanceNoun().id(ctx, c, arg)
	if noInstance != nil && !errors.Is(noInstance, simcloud.NotFound) {
		return simcloud.Attachment{}, noInstance
	}
	balancer, noBalancer := balancerNoun().id(ctx, c, arg)
	if noBalancer != nil && !errors.Is(noBalancer, simcloud.NotFound) {
		return simcloud.Attachment{}, noBalancer
	}
	switch {
	case noInstance == nil && noBalancer == nil:
		return simcloud.Attachment{}, exit.Usage(fmt.Errorf("%q is the name of an instance and of a load balancer: say which by id (%s, %s)", arg, instance, balancer))
	case noInstance == nil:
		return simcloud.Attachment{Kind: simcloud.KindInstance, ID: instance}, nil
	case noBalancer == nil:
		return simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: balancer}, nil
	}
	return simcloud.Attachment{}, simcloud.Errorf(simcloud.NotFound, "",
		"no instance and no load balancer has the id or name %q: see \"simcloud instance list\" and \"simcloud lb list\"", arg)
}
