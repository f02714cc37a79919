package cli

import (
	"io"

	"github.com/spf13/cobra"
)

// stdio is where a command reads and writes.
type stdio struct {
	in  io.Reader
	out io.Writer // what was asked for: tables, JSON, the ready line
	err io.Writer // progress and errors
}

func newRootCommand(io stdio) *cobra.Command {
	root := &cobra.Command{
		Use:   "simcloud",
		Short: "A cloud simulator and a test harness for Kubernetes cloud controller managers",
		Long: `A cloud simulator and a test harness for Kubernetes cloud controller managers.

Every flag has a variable: SIMCLOUD_TOKEN_FILE is --token-file. The exit code is 0
when all is well, 1 when the cloud refuses or a scenario fails, 2 for unusable
input, and 3 when the machine lacks something, such as a cloud that answers.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          knownCommand,
		RunE:          showHelp,
	}
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError(err) })
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return setFlagsFromEnv(cmd) }
	root.AddCommand(newKubeCommand(), newNodeImageCommand(), newCheckCommand())
	root.AddCommand(newServeCommand(), newInstanceCommand(), newLoadBalancerCommand(), newFloatingIPCommand(),
		newRouteTableCommand(), newZoneCommand(), newRegionCommand(), newNetworkCommand(), newInstanceTypeCommand(),
		newVolumeCommand(), newSSHKeyCommand(), newSubnetCommand(), newClusterCommand(), newFloatingIPPoolCommand(),
		newProjectCommand(), newTokenCommand(), newQuotaCommand(),
		newSnapshotCommand(), newConfigCommand(), newVersionCommand(),
		newOperationCommand(), newJournalCommand(), newEventsCommand(), newClockCommand(), newResetCommand(), newSeedCommand(), newStateCommand(),
		newFaultCommand())
	root.AddCommand(newUpCommand(io), newDownCommand(io), newStatusCommand(io), newEnvCommand(io), newLogsCommand(io))
	root.AddCommand(newTestCommand(io), newConformanceCommand(io), newExploreCommand(io), newLintCommand())
	return root
}
