package resource

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// updater changes a resource's name or labels, whichever is not nil.
type updater[T any] func(c *client.Client, ctx context.Context, id simcloud.ID, name *string, labels *map[string]string, opts ...simcloud.CallOption) (simcloud.Result[T], error)

// renameCommand returns the command that gives a resource another name.
func (n *noun[T, P]) renameCommand(update updater[T]) *cobra.Command {
	return &cobra.Command{
		Use: "rename ID NAME", Short: "Rename " + n.one, Args: usage.ExactArgs(2), ValidArgsFunction: n.completeFirst,
		Example: n.example("rename " + n.sample.name + " " + n.sample.name + "-old"),
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			id, err := n.id(ctx, c, args[0])
			if err != nil {
				return err
			}
			res, err := update(c, ctx, id, &args[1], nil)
			return n.result(ctx, c, out, res, err)
		}),
	}
}

// labelCommand returns the command that sets and removes labels of a resource.
func (n *noun[T, P]) labelCommand(update updater[T]) *cobra.Command {
	return &cobra.Command{
		Use: "label ID KEY=VALUE... KEY-...", Short: "Set labels, and remove those with a minus", Args: usage.MinArgs(2),
		Example:           n.example("label "+n.sample.name+" app=web", "label "+n.sample.name+" app-"),
		ValidArgsFunction: n.completeFirst,
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			return n.relabel(ctx, c, out, args[0], args[1:], update)
		}),
	}
}

// relabel changes the labels that the resource has now. When another client changes it
// meanwhile, the cloud refuses the call, and that change is not lost.
func (n *noun[T, P]) relabel(ctx context.Context, c *client.Client, out io.Writer, arg string, changes []string, update updater[T]) error {
	item, err := n.find(ctx, c, arg)
	if err != nil {
		return err
	}
	meta := P(&item).GetMeta()
	set := map[string]string{}
	maps.Copy(set, meta.Labels)
	for _, change := range changes {
		if key, removed := strings.CutSuffix(change, "-"); removed && !strings.Contains(change, "=") {
			delete(set, key)
			continue
		}
		key, value, ok := strings.Cut(change, "=")
		if !ok || key == "" {
			return exit.Usage(fmt.Errorf("%q is neither KEY=VALUE nor KEY-", change))
		}
		set[key] = value
	}
	res, err := update(c, ctx, meta.ID, nil, &set, simcloud.IfVersion(meta.Version))
	if errors.Is(err, simcloud.Conflict) {
		return fmt.Errorf("another client has changed %s: try again: %w", arg, err)
	}
	return n.result(ctx, c, out, res, err)
}
