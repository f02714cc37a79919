package cli

import "github.com/spf13/cobra"

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
	root.AddCommand(newKubeCommand(), newNodeImageCommand(), newVersionCommand())
	root.AddCommand(resourceCommands()...)
	root.AddCommand(cloudCommands()...)
	root.AddCommand(newUpCommand(io), newDownCommand(io), newStatusCommand(io), newEnvCommand(io), newLogsCommand(io))
	root.AddCommand(newTestCommand(io), newConformanceCommand(io), newExploreCommand(io), newLintCommand())
	return root
}
