package cli

import (
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

var snapshotTable = table[simcloud.Snapshot]{
	col("NAME", func(s simcloud.Snapshot) string { return s.Name }),
	col("CREATED", func(s simcloud.Snapshot) string { return timeCell(s.Created) }),
	col("REVISION", func(s simcloud.Snapshot) string { return strconv.FormatUint(s.Revision, 10) }),
	col("BYTES", func(s simcloud.Snapshot) string { return strconv.FormatInt(s.Bytes, 10) }),
	col("FILE", func(s simcloud.Snapshot) string { return s.File }),
}

// snapshotChangeTable shows what differs between two snapshots.
var snapshotChangeTable = table[simcloud.SnapshotChange]{
	col("RESOURCE", func(c simcloud.SnapshotChange) string { return c.Resource }),
	col("TYPE", func(c simcloud.SnapshotChange) string { return string(c.Type) }),
	col("NAME", func(c simcloud.SnapshotChange) string { return c.Name }),
	col("FIELDS", func(c simcloud.SnapshotChange) string { return strings.Join(c.Fields, ",") }),
}

func newSnapshotCommand() *cobra.Command {
	var s session
	cmd := &cobra.Command{
		Use: "snapshot", Aliases: []string{"snapshots"}, Short: "States of the cloud to come back to", Args: knownCommand, RunE: showHelp,
		Example: "  simcloud snapshot save before\n  simcloud snapshot diff before\n  simcloud snapshot load before",
	}
	return s.command(cmd, newSnapshotListCommand(&s),
		snapshotVerb(&s, "save NAME", "Keep the cloud as it is now", func(ctx context.Context, c *client.Client, name string) (simcloud.Snapshot, error) {
			return c.SaveSnapshot(ctx, simcloud.SnapshotSpec{Name: name})
		}),
		snapshotVerb(&s, "load NAME", "Bring the cloud back to what it was", func(ctx context.Context, c *client.Client, name string) (simcloud.Snapshot, error) {
			return c.LoadSnapshot(ctx, simcloud.ID(name))
		}),
		newSnapshotDiffCommand(&s), newSnapshotDeleteCommand(&s))
}

func newSnapshotListCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List snapshots", Args: noArgs,
		RunE: s.run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			snapshots, err := c.ListSnapshots(ctx)
			if err != nil {
				return err
			}
			return snapshotTable.list(out, s.out, snapshots)
		}),
	}
}

// snapshotVerb is a command that answers one snapshot.
func snapshotVerb(s *session, use, short string, act func(context.Context, *client.Client, string) (simcloud.Snapshot, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: exactArgs(1), ValidArgsFunction: inTurn(completeSnapshots(s)),
		RunE: s.run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			snapshot, err := act(ctx, c, args[0])
			if err != nil {
				return err
			}
			return snapshotTable.one(out, s.out, snapshot)
		}),
	}
}

func newSnapshotDiffCommand(s *session) *cobra.Command {
	var against string
	cmd := &cobra.Command{
		Use: "diff NAME", Short: "Show what has changed since a snapshot", Args: exactArgs(1), ValidArgsFunction: inTurn(completeSnapshots(s)),
		RunE: s.run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			diff, err := c.DiffSnapshot(ctx, simcloud.ID(args[0]), against)
			if err != nil {
				return err
			}
			if s.out == formatJSON || s.out == formatYAML {
				return document(out, s.out, diff)
			}
			return snapshotChangeTable.list(out, s.out, diff.Changes)
		}),
	}
	cmd.Flags().StringVar(&against, "against", "", "another snapshot (default: the cloud as it is now)")
	return cmd
}

func newSnapshotDeleteCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use: "delete NAME...", Aliases: []string{"rm"}, Short: "Forget snapshots", Args: minArgs(1), ValidArgsFunction: completeSnapshots(s),
		RunE: s.run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			return deleteEach(out, s.out, "snapshot", args, func(name string) error { return c.DeleteSnapshot(ctx, simcloud.ID(name)) })
		}),
	}
}

// completeSnapshots offers the names of the snapshots.
func completeSnapshots(s *session) completion {
	return s.conn.completed(func(ctx context.Context, c *client.Client) (words []string, err error) {
		snapshots, err := c.ListSnapshots(ctx)
		for _, snapshot := range snapshots {
			words = append(words, snapshot.Name+"\t"+timeCell(snapshot.Created))
		}
		return words, err
	})
}
