package cloud

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// snapshotRow is one field of a resource that differs, or a resource that only one of two states has.
type snapshotRow struct {
	simcloud.SnapshotChange
	field simcloud.FieldChange
}

// snapshotDiffTable shows what differs between two snapshots.
var snapshotDiffTable = output.Table[snapshotRow]{
	output.Col("RESOURCE", func(r snapshotRow) string { return r.Resource }),
	output.Col("TYPE", func(r snapshotRow) string { return string(r.Type) }),
	output.Col("NAME", func(r snapshotRow) string { return r.Name }),
	output.Col("FIELD", func(r snapshotRow) string { return r.field.Path }),
	output.Col("WAS", func(r snapshotRow) string { return valueCell(r.field.Was) }),
	output.Col("IS", func(r snapshotRow) string { return valueCell(r.field.Is) }),
}

// maxValue is how many letters of a value a row has: a value can be a whole listener. -o json shows all of it.
const maxValue = 60

// valueCell shows the beginning of a value; a field that a state does not have is empty.
func valueCell(value any) string {
	if value == nil {
		return ""
	}
	text := output.Plain(value)
	if letters := []rune(text); len(letters) > maxValue {
		text = string(letters[:maxValue-1]) + "…"
	}
	return text
}

// snapshotRows has a row for each field that differs.
func snapshotRows(changes []simcloud.SnapshotChange) []snapshotRow {
	var rows []snapshotRow
	for _, change := range changes {
		if len(change.Fields) == 0 {
			rows = append(rows, snapshotRow{SnapshotChange: change})
		}
		for _, field := range change.Fields {
			rows = append(rows, snapshotRow{change, field})
		}
	}
	return rows
}

func newSnapshotDiffCommand(s *connect.Session) *cobra.Command {
	var against string
	var fails bool
	cmd := &cobra.Command{
		Use: "diff NAME", Short: "Show what has changed since a snapshot", Args: usage.ExactArgs(1), ValidArgsFunction: usage.InTurn(completeSnapshots(s)),
		Example: "  simcloud snapshot diff before\n  simcloud snapshot diff before --against after --exit-code",
	}
	cmd.RunE = s.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
		diff, err := c.DiffSnapshot(ctx, simcloud.ID(args[0]), against)
		if err != nil {
			return err
		}
		if err := printDiff(out, cmd.ErrOrStderr(), s.Out, diff); err != nil {
			return err
		}
		if fails && len(diff.Changes) > 0 {
			return &exit.Error{Code: exit.CodeFailed, Err: fmt.Errorf("differences from snapshot %q: %d (--exit-code)", diff.From, len(diff.Changes))}
		}
		return nil
	})
	cmd.Flags().StringVar(&against, "against", "", "name of another snapshot (default: the cloud as it is now)")
	cmd.Flags().BoolVar(&fails, "exit-code", false, "exit with code 1 when there are differences")
	return cmd
}

// printDiff prints what differs. "No differences" goes to stderr, so that scripts read no rows.
func printDiff(out, stderr io.Writer, f output.Format, diff simcloud.SnapshotDiff) error {
	switch {
	case f.IsDocument():
		return output.Document(out, f, diff)
	case len(diff.Changes) == 0:
		return output.PrintLine(stderr, fmt.Sprintf("No differences from snapshot %q.", diff.From))
	case f == output.FormatName:
		for _, change := range diff.Changes {
			if err := output.PrintLine(out, change.Resource); err != nil {
				return err
			}
		}
		return nil
	}
	return snapshotDiffTable.List(out, f, snapshotRows(diff.Changes))
}
