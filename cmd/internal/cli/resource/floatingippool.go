package resource

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newFloatingIPPoolCommand() *cobra.Command {
	n := &noun[simcloud.FloatingIPPool, *simcloud.FloatingIPPool]{
		kind: simcloud.KindFloatingIPPool, use: "fip-pool", one: "a floating IP pool", title: "floating IP pools",
		sample: sample{name: "partner", create: []string{"create partner"}},
		list:   (*client.Client).ListFloatingIPPools, get: (*client.Client).GetFloatingIPPool, remove: (*client.Client).DeleteFloatingIPPool,
		table: output.MetaColumns(
			output.Col("CIDR", func(p simcloud.FloatingIPPool) string { return p.CIDR }),
		),
	}
	var spec simcloud.FloatingIPPoolSpec
	create := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.FloatingIPPool], error) {
		spec.Name, spec.Labels = name, labels
		return c.CreateFloatingIPPool(ctx, spec)
	})
	create.Flags().StringVar(&spec.CIDR, "cidr", "", "range of the pool, such as 127.78.0.0/16")
	usage.Need(create, "cidr", "127.78.0.0/16")
	cmd := n.command(create)
	cmd.Aliases = []string{"fip-pools", "floating-ip-pool", "floating-ip-pools"}
	return cmd
}
