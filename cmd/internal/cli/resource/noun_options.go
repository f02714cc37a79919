package resource

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// optionFlags are settings of other clouds, each KEY=VALUE.
type optionFlags []string

func (o *optionFlags) add(f *pflag.FlagSet) {
	f.StringArrayVar((*[]string)(o), "option", nil, "option KEY=VALUE, which the cloud keeps and does not interpret; can be repeated")
}

func (o optionFlags) options() (map[string]string, error) { return parsePairs("--option ", o) }

// optionsCommand is "set-options", for what has settings of other clouds.
func (n *noun[T, P]) optionsCommand(
	update func(*client.Client, context.Context, simcloud.ID, *map[string]string, ...simcloud.CallOption) (simcloud.Result[T], error),
) *cobra.Command {
	cmd := &cobra.Command{
		Use: "set-options ID [KEY=VALUE...]", Short: "Set the options, in place of all that were there; none takes them away",
		Example: n.example("set-options "+n.sample.name+" os.tags=a,b os.flavor=small", "set-options "+n.sample.name),
		Args:    usage.MinArgs(1), ValidArgsFunction: n.completeFirst,
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			options, err := parsePairs("", args[1:])
			if err != nil {
				return err
			}
			id, err := n.id(ctx, c, args[0])
			if err != nil {
				return err
			}
			res, err := update(c, ctx, id, &options)
			return n.result(ctx, c, out, res, err)
		}),
	}
	n.addWait(cmd)
	return cmd
}
