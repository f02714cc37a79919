package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/scenarios"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

var reportChangeTable = output.Table[reports.Change]{
	output.Col("SCENARIO", func(c reports.Change) string { return c.Scenario }),
	output.Col("CHANGE", func(c reports.Change) string { return c.Kind.Words() }),
	output.Col("OLD", func(c reports.Change) string { return c.Old.Words() }),
	output.Col("NEW", func(c reports.Change) string { return c.New.Words() }),
	output.Col("OLD SECONDS", func(c reports.Change) string { return secondsCell(c.Old, c.OldSeconds) }),
	output.Col("NEW SECONDS", func(c reports.Change) string { return secondsCell(c.New, c.NewSeconds) }),
	output.Col("WHAT", func(c reports.Change) string { return c.What }),
}

// secondsCell is how long a scenario took that is there.
func secondsCell(status scenarios.Status, seconds float64) string {
	if status == "" {
		return ""
	}
	return fmt.Sprintf("%.1f", seconds)
}

func newReportDiffCommand(io output.Streams) *cobra.Command {
	var out output.Format
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare the reports of two runs",
		Long: `Compare two report folders: which scenarios newly failed, still failed, were flaky, newly
passed or ended otherwise, which are gone or new, and which passed in a time that
differs by half and by 2 seconds at least. Repetitions of a scenario are one; its time is
the average. Scenarios that went as before are not listed.

-o name prints the names of the scenarios alone.

The exit code is 1 when a scenario newly failed: it failed or is invalid, and did not fail
in OLD, or was not there. Otherwise it is 0, also for scenarios that still failed, and 2
when a folder has no report.`,
		Example: `  simcloud report diff out-main out
  simcloud report diff out-main out -o json`,
		Args: usage.ExactArgs(2),
		RunE: func(_ *cobra.Command, dirs []string) error { return diffReports(io, out, dirs) },
	}
	out.AddFlag(cmd)
	return cmd
}

func diffReports(io output.Streams, f output.Format, dirs []string) error {
	folders, err := loadReports(dirs)
	if err != nil {
		return err
	}
	before, after := folders[0].Report, folders[1].Report
	diff := reports.DiffReports(before, after)
	switch {
	case f.IsDocument():
		err = output.Document(io.Out, f, diff)
	case len(diff.Changes) > 0 || f == output.FormatName:
		err = reportChangeTable.List(io.Out, f, diff.Changes)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(io.Err, "%s: %s with seed %d before, %s with seed %d after\n", diff, words.Plural(len(before.Scenarios), "scenario"), before.Seed, words.Plural(len(after.Scenarios), "scenario"), after.Seed)
	if diff.Regressions > 0 {
		return &exit.Error{Code: exit.CodeFailed, Err: fmt.Errorf("%s newly failed", words.Plural(diff.Regressions, "scenario"))}
	}
	return nil
}
