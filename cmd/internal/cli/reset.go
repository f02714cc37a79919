package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newResetCommand() *cobra.Command {
	var s session
	return s.command(&cobra.Command{
		Use: "reset", Short: "Put the cloud back to how it was first made: everything but its topology is gone", Args: noArgs,
		RunE: s.run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			if err := c.Reset(ctx); err != nil {
				return err
			}
			return done{Kind: "cloud", ID: c.Endpoint(), Did: "is as it was first made"}.print(out, s.out)
		}),
	})
}
