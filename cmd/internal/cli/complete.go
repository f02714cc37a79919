package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// complete offers the ids and names of what there is, for each argument.
func (n *noun[T, P]) complete(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	return n.words(&n.conn)(cmd, args, word)
}

// completeFirst is complete for a command whose other arguments are no such ids.
func (n *noun[T, P]) completeFirst(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	return inTurn(n.complete)(cmd, args, word)
}

// words offers what there is in the cloud of a connection, which may be another noun's.
func (n *noun[T, P]) words(conn *connection) completion {
	return conn.completed(func(ctx context.Context, c *client.Client) ([]string, error) {
		page, err := n.list(c, ctx, simcloud.ListOptions{PageSize: simcloud.MaxPageSize})
		var words []string
		for i := range page.Items {
			meta := P(&page.Items[i]).GetMeta()
			words = append(words, string(meta.ID)+"\t"+meta.Name)
		}
		return words, err
	})
}
