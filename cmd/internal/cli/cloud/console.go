package cloud

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud/console"
)

func newConsoleCommand() *cobra.Command {
	var conn connect.Cloud
	cmd := &cobra.Command{
		Use: "console", Short: "Print a link that opens the cloud's console in a browser, and logs in", Args: usage.NoArgs,
		Long: `Print a link that opens the cloud's console in a browser, and logs in: a page that
shows what the cloud has and does, follows it live, and acts on it.

The link has the token behind a #, which browsers do not send: it is in no log of a
server. Whoever has the link has the token, so do not pass it on. The console needs an admin's.`,
		Example: "  simcloud console",
		RunE: func(cmd *cobra.Command, _ []string) error {
			endpoint, token, err := conn.Credentials(cmd)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), console.Link(endpoint, token))
			return err
		},
	}
	conn.AddFlags(cmd)
	return cmd
}
