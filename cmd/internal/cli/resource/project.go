package resource

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newProjectCommand() *cobra.Command {
	n := &noun[simcloud.Project, *simcloud.Project]{
		kind: simcloud.KindProject, use: "project", one: "a project", title: "projects",
		sample: sample{name: "team-a", create: []string{"create team-a", "create team-b --label owner=ops"}},
		list:   (*client.Client).ListProjects, get: (*client.Client).GetProject, remove: (*client.Client).DeleteProject,
		table: output.MetaColumns[simcloud.Project](),
	}
	update := func(c *client.Client, ctx context.Context, id simcloud.ID, _ *string, labels *map[string]string, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Project], error) {
		return c.UpdateProject(ctx, id, simcloud.ProjectUpdate{Labels: labels}, opts...)
	}
	cmd := n.command(
		n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.Project], error) {
			return c.CreateProject(ctx, simcloud.ProjectSpec{Name: name, Labels: labels})
		}),
		n.labelCommand(update),
	)
	cmd.Aliases = []string{"projects"}
	return cmd
}
