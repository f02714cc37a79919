package resource

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// complete offers the ids and names of what there is, for each argument.
func (n *noun[T, P]) complete(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	return n.words(&n.Conn)(cmd, args, word)
}

// completeFirst is complete for a command whose other arguments are no such ids.
func (n *noun[T, P]) completeFirst(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	return usage.InTurn(n.complete)(cmd, args, word)
}

// words offers what there is in the cloud of a connection, which may be another noun's.
func (n *noun[T, P]) words(conn *connect.Cloud) usage.Completion {
	return conn.Completed(func(ctx context.Context, c *client.Client) ([]string, error) {
		page, err := n.list(c, ctx, simcloud.ListOptions{PageSize: simcloud.MaxPageSize})
		var words []string
		for i := range page.Items {
			meta := P(&page.Items[i]).GetMeta()
			words = append(words, string(meta.ID)+"\t"+meta.Name)
		}
		return words, err
	})
}
