package cloud

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newResetCommand() *cobra.Command {
	var s connect.Session
	return s.Command(&cobra.Command{
		Use: "reset", Short: "Reset the cloud: delete everything but its topology", Args: usage.NoArgs,
		Example: "  simcloud reset",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			if err := c.Reset(ctx); err != nil {
				return err
			}
			return output.Done{Kind: "cloud", ID: c.Endpoint(), Did: "is as it was first made"}.Print(out, s.Out)
		}),
	})
}
