package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
)

func newKubeCommand() *cobra.Command {
	kube := &cobra.Command{
		Use:   "kube",
		Short: "Manage the binary with the Kubernetes control plane",
		Args:  usage.KnownCommand,
		RunE:  usage.ShowHelp,
	}
	kube.AddCommand(newKubePathCommand())
	return kube
}

func newKubePathCommand() *cobra.Command {
	var flag string
	cmd := &cobra.Command{
		Use:   "path",
		Short: "Print the path of simcloud-kube, and build it first when it is missing",
		Long: `Print where simcloud-kube is: the path of --kube, else of $SIMCLOUD_KUBE, else
next to simcloud, else in the cache, where it is built when it is missing.`,
		Example: "  simcloud kube path",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := embedded.Find(cmd.Context(), embedded.FindOptions{
				Flag:     flag,
				Progress: output.Printer(cmd.ErrOrStderr()),
			})
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), path)
			return nil
		},
	}
	cmd.Flags().StringVar(&flag, "kube", "", "path of simcloud-kube")
	return cmd
}
