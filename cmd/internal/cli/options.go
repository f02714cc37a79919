package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
)

// inheritedFlags is the part of cobra's usage template that repeats the flags of a command in the help of those below.
const inheritedFlags = `Global Flags:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}`

// hideInheritedFlags shortens the help of all commands: those that speak to a cloud have the same nine flags.
func hideInheritedFlags(root *cobra.Command) {
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), inheritedFlags, `Use "simcloud options" for the flags of the connection and of the output.`, 1))
}

func newOptionsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "options", Short: "List the flags of all commands that speak to a cloud", Args: usage.NoArgs,
		Example: "  simcloud options",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s connect.Session
			flags := s.Command(&cobra.Command{}).PersistentFlags()
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "Flags of all commands that speak to a cloud:\n%s", flags.FlagUsages())
			return err
		},
	}
}
