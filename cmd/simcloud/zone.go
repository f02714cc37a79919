package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newZoneCommand() *cobra.Command {
	n := &noun[simcloud.Zone, *simcloud.Zone]{
		use: "zone", title: "zones",
		list: (*client.Client).ListZones, get: (*client.Client).GetZone, remove: (*client.Client).DeleteZone,
		table: metaColumns(
			column[simcloud.Zone]{"REGION", false, func(z simcloud.Zone) string { return string(z.Region) }},
			column[simcloud.Zone]{"STATE", false, func(z simcloud.Zone) string { return string(z.State) }},
		),
	}
	cmd := n.command(newZoneCreateCommand(n))
	cmd.Aliases = []string{"zones"}
	return cmd
}

func newZoneCreateCommand(n *noun[simcloud.Zone, *simcloud.Zone]) *cobra.Command {
	var spec simcloud.ZoneSpec
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.Zone], error) {
		spec.Name, spec.Labels = name, labels
		return c.CreateZone(ctx, spec)
	})
	cmd.Flags().StringVar((*string)(&spec.Region), "region", "", "region of the zone")
	return cmd
}
