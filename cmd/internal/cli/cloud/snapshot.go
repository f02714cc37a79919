package cloud

import (
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

var snapshotTable = output.Table[simcloud.Snapshot]{
	output.Col("NAME", func(s simcloud.Snapshot) string { return s.Name }),
	output.Col("CREATED", func(s simcloud.Snapshot) string { return output.TimeCell(s.Created) }),
	output.Col("REVISION", func(s simcloud.Snapshot) string { return strconv.FormatUint(s.Revision, 10) }),
	output.Col("BYTES", func(s simcloud.Snapshot) string { return strconv.FormatInt(s.Bytes, 10) }),
	output.Col("FILE", func(s simcloud.Snapshot) string { return s.File }),
}

func newSnapshotCommand() *cobra.Command {
	var s connect.Session
	cmd := &cobra.Command{
		Use: "snapshot", Aliases: []string{"snapshots"}, Short: "Manage snapshots of the cloud", Args: usage.KnownCommand, RunE: usage.ShowHelp,
		Example: "  simcloud snapshot save before\n  simcloud snapshot diff before\n  simcloud snapshot load before",
	}
	return s.Command(cmd, newSnapshotListCommand(&s),
		snapshotVerb(&s, "save NAME", "Save the cloud as it is now", func(ctx context.Context, c *client.Client, name string) (simcloud.Snapshot, error) {
			return c.SaveSnapshot(ctx, simcloud.SnapshotSpec{Name: name})
		}),
		snapshotVerb(&s, "load NAME", "Restore the cloud from a snapshot", func(ctx context.Context, c *client.Client, name string) (simcloud.Snapshot, error) {
			return c.LoadSnapshot(ctx, simcloud.ID(name))
		}),
		newSnapshotDiffCommand(&s), newSnapshotDeleteCommand(&s))
}

func newSnapshotListCommand(s *connect.Session) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List snapshots", Args: usage.NoArgs,
		Example: "  simcloud snapshot list\n  simcloud snapshot list -o json",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			snapshots, err := c.ListSnapshots(ctx)
			if err != nil {
				return err
			}
			return snapshotTable.ListOr(out, s.Err, s.Out, snapshots, "No snapshots.")
		}),
	}
}

// snapshotVerb is a command that answers one snapshot.
func snapshotVerb(s *connect.Session, use, short string, act func(context.Context, *client.Client, string) (simcloud.Snapshot, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: usage.ExactArgs(1), ValidArgsFunction: usage.InTurn(completeSnapshots(s)),
		Example: "  simcloud snapshot " + strings.Replace(use, "NAME", "before", 1),
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			snapshot, err := act(ctx, c, args[0])
			if err != nil {
				return err
			}
			return snapshotTable.One(out, s.Out, snapshot)
		}),
	}
}

func newSnapshotDeleteCommand(s *connect.Session) *cobra.Command {
	return &cobra.Command{
		Use: "delete NAME...", Aliases: []string{"rm"}, Short: "Delete snapshots", Args: usage.MinArgs(1), ValidArgsFunction: completeSnapshots(s),
		Example: "  simcloud snapshot delete before",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			return output.DeleteEach(out, s.Out, "snapshot", args, func(name string) error { return c.DeleteSnapshot(ctx, simcloud.ID(name)) })
		}),
	}
}

// completeSnapshots offers the names of the snapshots.
func completeSnapshots(s *connect.Session) usage.Completion {
	return s.Conn.Completed(func(ctx context.Context, c *client.Client) (words []string, err error) {
		snapshots, err := c.ListSnapshots(ctx)
		for _, snapshot := range snapshots {
			words = append(words, snapshot.Name+"\t"+output.TimeCell(snapshot.Created))
		}
		return words, err
	})
}
