package cli

import (
	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var capabilityTable = table[scenarios.Capability]{
	col("NAME", func(c scenarios.Capability) string { return c.Name }),
	col("A CLOUD CONTROLLER MANAGER THAT DECLARES IT", func(c scenarios.Capability) string { return c.Doc }),
}

func newCapabilitiesCommand() *cobra.Command {
	var out format
	cmd := &cobra.Command{
		Use:   "capabilities",
		Short: "List what a cloud controller manager can declare",
		Long: `List what a cloud controller manager can declare. With -o yaml this is the file for
--capabilities of one that can do everything: take out what yours cannot.`,
		Example: `  simcloud conformance capabilities
  simcloud conformance capabilities -o yaml > caps.yaml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == formatYAML {
				_, err := cmd.OutOrStdout().Write(syntax.CapabilitiesFile(scenarios.AllCapabilities()))
				return err
			}
			return capabilityTable.list(cmd.OutOrStdout(), out, scenarios.Capabilities())
		},
	}
	out.addFlag(cmd)
	return cmd
}
