package resource

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// ptrCommand returns the command that names a public address of a resource in reverse DNS.
func (n *noun[T, P]) ptrCommand(
	update func(*client.Client, context.Context, simcloud.ID, *map[string]string, ...simcloud.CallOption) (simcloud.Result[T], error),
) *cobra.Command {
	return n.nameCommand("set-ptr ID ADDRESS NAME", "Set the name of a public address in reverse DNS; an empty one removes it",
		"set-ptr "+n.sample.name+" 198.18.0.7 www.example.com", 3,
		func(ctx context.Context, c *client.Client, id simcloud.ID, args []string) (simcloud.Result[T], error) {
			return update(c, ctx, id, &map[string]string{args[0]: args[1]})
		})
}

// nameCommand is a command about one resource, which its first argument names; act gets the others.
func (n *noun[T, P]) nameCommand(
	use, short, example string, count int,
	act func(context.Context, *client.Client, simcloud.ID, []string) (simcloud.Result[T], error),
) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: usage.ExactArgs(count), ValidArgsFunction: n.completeFirst, Example: n.example(example),
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			id, err := n.id(ctx, c, args[0])
			if err != nil {
				return err
			}
			res, err := act(ctx, c, id, args[1:])
			return n.result(ctx, c, out, res, err)
		}),
	}
	n.addWait(cmd)
	return cmd
}
