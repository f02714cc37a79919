package cli

import (
	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var capabilityTable = output.Table[scenarios.Capability]{
	output.Col("NAME", func(c scenarios.Capability) string { return c.Name }),
	output.Col("A CLOUD CONTROLLER MANAGER THAT DECLARES IT", func(c scenarios.Capability) string { return c.Doc }),
}

func newCapabilitiesCommand() *cobra.Command {
	var out output.Format
	cmd := &cobra.Command{
		Use:   "capabilities",
		Short: "List what a cloud controller manager can declare",
		Long: `List what a cloud controller manager can declare. With -o yaml this is the file for
--capabilities of one that can do everything: take out what yours cannot.`,
		Example: `  simcloud conformance capabilities
  simcloud conformance capabilities -o yaml > caps.yaml`,
		Args: usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == output.FormatYAML {
				_, err := cmd.OutOrStdout().Write(syntax.CapabilitiesFile(scenarios.AllCapabilities()))
				return err
			}
			return capabilityTable.List(cmd.OutOrStdout(), out, scenarios.Capabilities())
		},
	}
	out.AddFlag(cmd)
	return cmd
}
