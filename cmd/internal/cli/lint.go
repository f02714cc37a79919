package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/scenarios"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
)

func newLintCommand() *cobra.Command {
	var schema bool
	cmd := &cobra.Command{
		Use:   "lint PATH...",
		Short: "Check scenario files without running them",
		Long: `Check scenario files, and all in folders, without running them: every mistake
is named with its file, line and column. --schema prints the JSON schema of
scenario files, for editors.`,
		Example: `  simcloud lint my-scenarios/
  simcloud lint --schema > scenario.schema.json`,
		RunE: func(cmd *cobra.Command, paths []string) error {
			if schema {
				_, err := cmd.OutOrStdout().Write(scenarios.SchemaJSON())
				return err
			}
			if len(paths) == 0 {
				return exit.Usage(fmt.Errorf("lint needs a file or folder with scenarios"))
			}
			all, err := scenariorun.Load(paths...)
			if err != nil {
				return exit.Usage(err)
			}
			for _, s := range all {
				output.Printer(cmd.OutOrStdout())(fmt.Sprintf("%s: %s is in order", s.Position.File, s.Name))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&schema, "schema", false, "JSON schema of scenario files, in place of a check")
	return cmd
}
