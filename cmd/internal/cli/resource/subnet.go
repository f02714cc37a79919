package resource

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func subnetNoun() *noun[simcloud.Subnet, *simcloud.Subnet] {
	return &noun[simcloud.Subnet, *simcloud.Subnet]{
		kind: simcloud.KindSubnet, use: "subnet", one: "a subnet", title: "subnets", prefix: "subnet-",
		sample: sample{name: "front", create: []string{"create front --zone zone-a"}},
		list:   (*client.Client).ListSubnets, get: (*client.Client).GetSubnet, remove: (*client.Client).DeleteSubnet,
		zone: func(s simcloud.Subnet) simcloud.ID { return s.Zone },
		table: output.MetaColumns(
			output.Col("NETWORK", func(s simcloud.Subnet) string { return string(s.Network) }),
			output.Col("CIDR", func(s simcloud.Subnet) string { return s.CIDR }),
			output.Col("ZONE", func(s simcloud.Subnet) string { return string(s.Zone) }),
			output.Col("STATE", func(s simcloud.Subnet) string { return s.State }),
		),
	}
}

func newSubnetCommand() *cobra.Command {
	n := subnetNoun()
	update := func(c *client.Client, ctx context.Context, id simcloud.ID, name *string, labels *map[string]string, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Subnet], error) {
		return c.UpdateSubnet(ctx, id, simcloud.SubnetUpdate{Name: name, Labels: labels}, opts...)
	}
	cmd := n.command(newSubnetCreateCommand(n), n.renameCommand(update), n.labelCommand(update))
	cmd.Aliases = []string{"subnets"}
	return cmd
}

func newSubnetCreateCommand(n *noun[simcloud.Subnet, *simcloud.Subnet]) *cobra.Command {
	var spec simcloud.SubnetSpec
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.Subnet], error) {
		spec.Name, spec.Labels = name, labels
		if err := networkNoun().resolve(ctx, c, &spec.Network); err != nil {
			return simcloud.Result[simcloud.Subnet]{}, err
		}
		return c.CreateSubnet(ctx, spec)
	})
	f := cmd.Flags()
	f.StringVar((*string)(&spec.Network), "network", "", "id or name of the network (default: the project's first)")
	f.StringVar(&spec.CIDR, "cidr", "", "range within that of the network, such as 10.0.1.0/24")
	f.StringVar((*string)(&spec.Zone), "zone", "", "zone of the subnet (default: all zones)")
	usage.Need(cmd, "cidr", "10.0.1.0/24")
	return cmd
}
