package resource

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// partVerb is a command about one part of a resource, which its second argument names.
func partVerb[T any, P output.Resource[T]](
	n *noun[T, P], use, short, example string,
	act func(ctx context.Context, c *client.Client, id simcloud.ID, part string) (simcloud.Result[T], error),
) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: usage.ExactArgs(2), ValidArgsFunction: n.completeFirst,
		Example: n.example(example),
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			id, err := n.id(ctx, c, args[0])
			if err != nil {
				return err
			}
			res, err := act(ctx, c, id, args[1])
			return n.result(ctx, c, out, res, err)
		}),
	}
	n.addWait(cmd)
	return cmd
}
