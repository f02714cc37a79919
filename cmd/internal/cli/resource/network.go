package resource

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func networkNoun() *noun[simcloud.Network, *simcloud.Network] {
	return &noun[simcloud.Network, *simcloud.Network]{
		kind: simcloud.KindNetwork, use: "network", one: "a network", title: "networks", prefix: "net-",
		sample: sample{name: "backend", create: []string{"create backend"}},
		list:   (*client.Client).ListNetworks, get: (*client.Client).GetNetwork, remove: (*client.Client).DeleteNetwork,
		table: output.MetaColumns(
			output.Col("CIDRS", func(n simcloud.Network) string { return strings.Join(n.CIDRs, ",") }),
			output.Col("STATE", func(n simcloud.Network) string { return n.State }),
		),
	}
}

func newNetworkCommand() *cobra.Command {
	n := networkNoun()
	update := func(c *client.Client, ctx context.Context, id simcloud.ID, name *string, labels *map[string]string, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Network], error) {
		return c.UpdateNetwork(ctx, id, simcloud.NetworkUpdate{Name: name, Labels: labels}, opts...)
	}
	cmd := n.command(newNetworkCreateCommand(n), n.renameCommand(update), n.labelCommand(update))
	cmd.AddCommand(n.protectCommands(func(
		c *client.Client, ctx context.Context, id simcloud.ID, on *bool, opts ...simcloud.CallOption,
	) (simcloud.Result[simcloud.Network], error) {
		return c.UpdateNetwork(ctx, id, simcloud.NetworkUpdate{Protected: on}, opts...)
	})...)
	cmd.Aliases = []string{"networks"}
	return cmd
}

func newNetworkCreateCommand(n *noun[simcloud.Network, *simcloud.Network]) *cobra.Command {
	var spec simcloud.NetworkSpec
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.Network], error) {
		spec.Name, spec.Labels = name, labels
		return c.CreateNetwork(ctx, spec)
	})
	cmd.Flags().StringSliceVar(&spec.CIDRs, "cidr", nil, "address range such as 10.1.0.0/16; one IPv4, one IPv6, or both")
	cmd.Flags().BoolVar(&spec.Protected, "protected", false, "protection from deletion")
	usage.Need(cmd, "cidr", "10.1.0.0/16")
	return cmd
}
