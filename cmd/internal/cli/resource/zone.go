package resource

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func zoneNoun() *noun[simcloud.Zone, *simcloud.Zone] {
	return &noun[simcloud.Zone, *simcloud.Zone]{
		kind: simcloud.KindZone, use: "zone", one: "a zone", title: "zones",
		sample: sample{name: "zone-d", create: []string{"create zone-d"}},
		list:   (*client.Client).ListZones, get: (*client.Client).GetZone, remove: (*client.Client).DeleteZone,
		table: output.MetaColumns(
			output.Col("REGION", func(z simcloud.Zone) string { return string(z.Region) }),
			output.Col("STATE", func(z simcloud.Zone) string { return string(z.State) }),
			output.WideCol("CAPACITY", func(z simcloud.Zone) string { return capacityCell(z.Capacity) }),
		),
	}
}

func newZoneCommand() *cobra.Command {
	n := zoneNoun()
	cmd := n.command(
		newZoneCreateCommand(n), newZoneCapacityCommand(n),
		newZoneStateCommand(n, "down", "Take zones down: their instances do not answer", simcloud.ZoneDown),
		newZoneStateCommand(n, "up", "Bring zones up again", simcloud.ZoneAvailable),
		newZoneStateCommand(n, "degrade", "Degrade zones: they take nothing new unless asked for by name", simcloud.ZoneDegraded),
		n.labelCommand(func(c *client.Client, ctx context.Context, id simcloud.ID, _ *string, labels *map[string]string, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Zone], error) {
			return c.UpdateZone(ctx, id, simcloud.ZoneUpdate{Labels: labels}, opts...)
		}),
	)
	cmd.Aliases = []string{"zones"}
	return cmd
}

func newZoneCreateCommand(n *noun[simcloud.Zone, *simcloud.Zone]) *cobra.Command {
	var spec simcloud.ZoneSpec
	var capacity map[string]int
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.Zone], error) {
		spec.Name, spec.Labels, spec.Capacity = name, labels, capacities(capacity)
		return c.CreateZone(ctx, spec)
	})
	cmd.Flags().StringVar((*string)(&spec.Region), "region", "", "region of the zone")
	usage.Need(cmd, "region", "region-1")
	cmd.Flags().StringToIntVar(&capacity, "capacity", nil, "number of instances of a type that fit, TYPE=COUNT; can be repeated (default: no limit)")
	return cmd
}

func newZoneStateCommand(n *noun[simcloud.Zone, *simcloud.Zone], use, short string, state simcloud.ZoneState) *cobra.Command {
	return verbWith(n, use, short, &simcloud.ZoneStateSpec{State: state}, (*client.Client).SetZoneState)
}

func newZoneCapacityCommand(n *noun[simcloud.Zone, *simcloud.Zone]) *cobra.Command {
	return &cobra.Command{
		Use: "capacity ID [TYPE=COUNT...]", Short: "Set how many instances of each type fit; types that are not named have no limit", Args: usage.MinArgs(1),
		Example:           n.example("capacity "+n.sample.name+" small=3 large=0", "capacity "+n.sample.name),
		ValidArgsFunction: n.completeFirst,
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			capacity := map[simcloud.ID]int{}
			for _, text := range args[1:] {
				name, count, _ := strings.Cut(text, "=")
				number, err := strconv.Atoi(count)
				if err != nil {
					return exit.Usage(fmt.Errorf("%q is not TYPE=COUNT, such as small=3", text))
				}
				capacity[simcloud.ID(name)] = number
			}
			res, err := c.UpdateZone(ctx, simcloud.ID(args[0]), simcloud.ZoneUpdate{Capacity: &capacity})
			return n.result(ctx, c, out, res, err)
		}),
	}
}

func capacities(flag map[string]int) map[simcloud.ID]int {
	capacity := map[simcloud.ID]int{}
	for name, count := range flag {
		capacity[simcloud.ID(name)] = count
	}
	return capacity
}

func capacityCell(capacity map[simcloud.ID]int) string {
	return output.JoinCells(slices.Sorted(maps.Keys(capacity)), func(id simcloud.ID) string { return fmt.Sprintf("%s=%d", id, capacity[id]) })
}
