package cloud

import (
	"context"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

var inventoryTable = output.Table[simcloud.KindCount]{
	output.Col("KIND", func(c simcloud.KindCount) string { return string(c.Kind) }),
	output.Col("COUNT", func(c simcloud.KindCount) string { return strconv.Itoa(c.Count) }),
}

func newStateCommand() *cobra.Command {
	var s connect.Session
	return s.Command(&cobra.Command{
		Use: "state", Short: "Show everything that the cloud holds; in full with -o json and -o yaml", Args: usage.NoArgs,
		Example: "  simcloud state\n  simcloud state -o yaml",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			state, err := c.GetState(ctx)
			if err != nil {
				return err
			}
			if s.Out.IsDocument() {
				return output.Document(out, s.Out, state)
			}
			return inventoryTable.List(out, s.Out, state.Counts())
		}),
	})
}
