package resource

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newRegionCommand() *cobra.Command {
	n := &noun[simcloud.Region, *simcloud.Region]{
		kind: simcloud.KindRegion, use: "region", one: "a region", title: "regions",
		sample: sample{name: "region-2", create: []string{"create region-2"}},
		list:   (*client.Client).ListRegions, get: (*client.Client).GetRegion, remove: (*client.Client).DeleteRegion,
		table: output.MetaColumns(
			output.Col("STATE", func(r simcloud.Region) string { return string(r.State) }),
		),
	}
	cmd := n.command(n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.Region], error) {
		return c.CreateRegion(ctx, simcloud.RegionSpec{Name: name, Labels: labels})
	}))
	cmd.Aliases = []string{"regions"}
	return cmd
}
