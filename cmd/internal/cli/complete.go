package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// completionTime is how long a completion waits for the cloud: somebody has pressed a key.
const completionTime = "2s"

// completion offers words for an argument, each with what it means after a tab.
type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completed makes a completion of what a cloud knows. Without a cloud it offers nothing.
func (c *connection) completed(words func(context.Context, *client.Client) ([]string, error)) completion {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		if err := setFlagsFromEnv(cmd); err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if !cmd.Flags().Changed("timeout") {
			_ = cmd.Flags().Set("timeout", completionTime) // the flag is there: addFlags made it
		}
		cloud, err := c.open(cmd)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer cloud.Close()
		found, _ := words(cmd.Context(), cloud) // nobody reads an error between two keys
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

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

// inTurn has a completion for each argument, and none for those after.
func inTurn(each ...completion) completion {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= len(each) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return each[len(args)](cmd, args, word)
	}
}
