package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/cloud"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/resource"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
)

// Libraries of Kubernetes register flags for all programs that import them, and cobra would give them to each command.
var _ = func() struct{} {
	pflag.CommandLine = pflag.NewFlagSet("", pflag.ContinueOnError)
	return struct{}{}
}()

func newRootCommand(io output.Streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "simcloud",
		Short: "A cloud simulator and a test harness for Kubernetes cloud controller managers",
		Long: `A cloud simulator and a test harness for Kubernetes cloud controller managers.

Get started: simcloud up --detach && eval "$(simcloud env)" && kubectl get nodes

Every flag can be set by an environment variable, such as SIMCLOUD_TOKEN_FILE for
--token-file. The exit code is 0 for success, 1 when the cloud refused a request or a
scenario failed, 2 for a usage error, and 3 for an environment error, such as a cloud
that does not answer.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          usage.KnownCommand,
		RunE:          usage.ShowHelp,
	}
	root.SetIn(io.In)
	root.SetOut(io.Out)
	root.SetErr(io.Err)
	root.SetFlagErrorFunc(usage.FlagError)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := usage.SetFlagsFromEnv(cmd); err != nil {
			return err
		}
		return output.Present(cmd)
	}
	addVersionFlag(root)
	root.AddCommand(newKubeCommand(), newSubjectCommand(), newNodeImageCommand(), newVersionCommand(), newOptionsCommand())
	root.AddCommand(resource.Commands()...)
	root.AddCommand(cloud.Commands()...)
	root.AddCommand(newUpCommand(io), newDownCommand(io), newSandboxCommand(), newStatusCommand(io), newEnvCommand(io), newKubectlCommand(io), newLogsCommand(io))
	root.AddCommand(newTestCommand(io), newConformanceCommand(io), newExploreCommand(io), newLintCommand(), newScenarioCommand(), newReportCommand(io), newLSPCommand(io))
	addGroups(root)
	hideInheritedFlags(root)
	return root
}
