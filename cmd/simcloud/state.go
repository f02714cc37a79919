package main

import (
	"context"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// inventory is how many resources of a kind there are.
type inventory struct {
	kind  simcloud.Kind
	count int
}

var inventoryTable = table[inventory]{
	{"KIND", false, func(i inventory) string { return string(i.kind) }},
	{"COUNT", false, func(i inventory) string { return strconv.Itoa(i.count) }},
}

func newStateCommand() *cobra.Command {
	var s session
	return s.command(&cobra.Command{
		Use: "state", Short: "Everything that the cloud holds; in full with -o json and -o yaml", Args: noArgs,
		RunE: s.run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			state, err := c.GetState(ctx)
			if err != nil {
				return err
			}
			if s.out == formatJSON || s.out == formatYAML {
				return document(out, s.out, state)
			}
			return inventoryTable.list(out, s.out, inventories(state))
		}),
	})
}

func inventories(state simcloud.State) []inventory {
	return []inventory{
		{simcloud.KindProject, len(state.Projects)},
		{simcloud.KindRegion, len(state.Regions)},
		{simcloud.KindZone, len(state.Zones)},
		{simcloud.KindInstanceType, len(state.InstanceTypes)},
		{simcloud.KindNetwork, len(state.Networks)},
		{simcloud.KindInstance, len(state.Instances)},
		{simcloud.KindLoadBalancer, len(state.LoadBalancers)},
		{simcloud.KindFloatingIP, len(state.FloatingIPs)},
		{simcloud.KindRouteTable, len(state.RouteTables)},
		{simcloud.KindOperation, len(state.Operations)},
	}
}
