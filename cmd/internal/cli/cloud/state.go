package cloud

import (
	"context"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// inventory is how many resources of a kind there are.
type inventory struct {
	kind  simcloud.Kind
	count int
}

var inventoryTable = output.Table[inventory]{
	output.Col("KIND", func(i inventory) string { return string(i.kind) }),
	output.Col("COUNT", func(i inventory) string { return strconv.Itoa(i.count) }),
}

func newStateCommand() *cobra.Command {
	var s connect.Session
	return s.Command(&cobra.Command{
		Use: "state", Short: "Show everything that the cloud holds; in full with -o json and -o yaml", Args: usage.NoArgs,
		Example: "  simcloud state\n  simcloud state -o yaml",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			state, err := c.GetState(ctx)
			if err != nil {
				return err
			}
			if s.Out == output.FormatJSON || s.Out == output.FormatYAML {
				return output.Document(out, s.Out, state)
			}
			return inventoryTable.List(out, s.Out, inventories(state))
		}),
	})
}

func inventories(state simcloud.State) []inventory {
	return []inventory{
		{simcloud.KindProject, len(state.Projects)},
		{simcloud.KindToken, len(state.Tokens)},
		{simcloud.KindQuota, len(state.Quotas)},
		{simcloud.KindRegion, len(state.Regions)},
		{simcloud.KindZone, len(state.Zones)},
		{simcloud.KindInstanceType, len(state.InstanceTypes)},
		{simcloud.KindNetwork, len(state.Networks)},
		{simcloud.KindSubnet, len(state.Subnets)},
		{simcloud.KindInstance, len(state.Instances)},
		{simcloud.KindVolume, len(state.Volumes)},
		{simcloud.KindSSHKey, len(state.SSHKeys)},
		{simcloud.KindLoadBalancer, len(state.LoadBalancers)},
		{simcloud.KindFloatingIP, len(state.FloatingIPs)},
		{simcloud.KindFloatingIPPool, len(state.FloatingIPPools)},
		{simcloud.KindRouteTable, len(state.RouteTables)},
		{simcloud.KindCluster, len(state.Clusters)},
		{simcloud.KindOperation, len(state.Operations)},
	}
}
