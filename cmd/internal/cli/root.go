package cli

import (
	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/cloud"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/resource"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
)

func newRootCommand(io output.Streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "simcloud",
		Short: "A cloud simulator and a test harness for Kubernetes cloud controller managers",
		Long: `A cloud simulator and a test harness for Kubernetes cloud controller managers.

Get started: simcloud up --detach && eval "$(simcloud env)" && kubectl get nodes

Every flag has a variable: SIMCLOUD_TOKEN_FILE is --token-file. The exit code is 0
when all passes, 1 when the cloud refuses or a scenario fails, 2 for unusable
input, and 3 when the machine lacks something, such as a cloud that answers.`,
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
