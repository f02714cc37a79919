package cli

import (
	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/scenarios"
)

func newReportCommand(io output.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Merge and compare reports",
		Long: `Merge and compare reports: the folders that --report of "simcloud test" and
"simcloud conformance" has written.`,
		Example: "  simcloud report merge out-1 out-2 out-3 --report out",
		Args:    usage.KnownCommand,
		RunE:    usage.ShowHelp,
	}
	cmd.AddCommand(newReportMergeCommand(io), newReportDiffCommand(io))
	return cmd
}

// stamp notes in a report which command made it.
func (o testOptions) stamp(cmd *cobra.Command, r *scenarios.Report) {
	r.Flags, r.Shard, r.Version = againFlags(cmd), o.shard, thisRelease().Version
	r.SkipOracles = o.backend.profile.SkipOracles
}
