package cloud

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/topology"
)

func newTopologyCommand() *cobra.Command {
	var s connect.Session
	return s.Command(&cobra.Command{
		Use: "topology", Short: "Save the cloud as a topology file", Args: usage.KnownCommand, RunE: usage.ShowHelp,
		Example: "  simcloud topology export",
	}, newTopologyExportCommand(&s))
}

func newTopologyExportCommand(s *connect.Session) *cobra.Command {
	var project string
	cmd := &cobra.Command{
		Use: "export", Short: "Print the cloud as a topology file, with which seed makes it again", Args: usage.NoArgs,
		Long: `Print the cloud as a topology file, as YAML or with -o json as JSON. "simcloud seed"
makes the same of an empty cloud. The file has the resources of one project, and the
regions, zones, instance types and pools that all projects share.

Resources have the addresses of networks that they have now. Ids, public addresses and
devices of volumes are chosen again. Tokens, operations, snapshots, fault rules and the
configuration are no part of a topology. What else it cannot say is told on stderr.`,
		Example: "  simcloud topology export\n  simcloud topology export --project default -o json",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			state, err := c.GetState(ctx)
			if err != nil {
				return err
			}
			if err := checkProject(state, simcloud.ID(project)); err != nil {
				return err
			}
			wanted, lost := topology.Capture(state, simcloud.ID(project))
			for _, line := range lost {
				if err := output.PrintLine(s.Err, "warning: "+line); err != nil {
					return err
				}
			}
			if s.Out.IsDocument() {
				return output.Document(out, s.Out, wanted)
			}
			return output.Document(out, output.FormatYAML, wanted)
		}),
	}
	cmd.Flags().StringVar(&project, "project", string(simcloud.DefaultProject), "project whose resources the file has")
	_ = cmd.RegisterFlagCompletionFunc("project", completeProjects(s)) // the flag is there
	return cmd
}

func checkProject(state simcloud.State, project simcloud.ID) error {
	var have []string
	for _, p := range state.Projects {
		have = append(have, string(p.ID))
	}
	if !slices.Contains(have, string(project)) {
		return exit.Usage(fmt.Errorf("--project: project %q not found (have %s)", project, strings.Join(have, ", ")))
	}
	return nil
}

func completeProjects(s *connect.Session) usage.Completion {
	return s.Conn.Completed(func(ctx context.Context, c *client.Client) (words []string, err error) {
		projects, err := simcloud.ListAll(ctx, c.ListProjects, simcloud.ListOptions{})
		for _, p := range projects {
			words = append(words, string(p.ID)+"\t"+p.Name)
		}
		return words, err
	})
}
