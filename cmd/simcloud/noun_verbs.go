package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// result prints what a mutation answers, with --wait as it is in the end.
func (n *noun[T, P]) result(ctx context.Context, c *client.Client, out io.Writer, res simcloud.Result[T], err error) error {
	if err != nil {
		return err
	}
	item := res.Resource
	if n.wait {
		if _, err := waitOperation(ctx, c, res.Operation); err != nil {
			return err
		}
		if item, err = n.get(c, ctx, P(&item).GetMeta().ID); err != nil {
			return err
		}
	}
	return n.table.one(out, n.out, item)
}

// verb returns a command that does something to one resource.
func (n *noun[T, P]) verb(use, short string, act func(*client.Client, context.Context, simcloud.ID, ...simcloud.CallOption) (simcloud.Result[T], error)) *cobra.Command {
	cmd := &cobra.Command{
		Use: use + " ID...", Short: short, Args: minArgs(1),
		RunE: n.run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			for _, arg := range args {
				id, err := n.id(ctx, c, arg)
				if err != nil {
					return err
				}
				res, err := act(c, ctx, id)
				if err := n.result(ctx, c, out, res, err); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	n.addWait(cmd)
	return cmd
}

// createCommand returns a command that makes a resource of a name; make reads the flags.
func (n *noun[T, P]) createCommand(make func(context.Context, *client.Client, string, map[string]string) (simcloud.Result[T], error)) *cobra.Command {
	var labels []string
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Create one of the cloud's " + n.title, Args: exactArgs(1),
		RunE: n.run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			set, err := parseLabels(labels)
			if err != nil {
				return err
			}
			res, err := make(ctx, c, args[0], set)
			return n.result(ctx, c, out, res, err)
		}),
	}
	cmd.Flags().StringSliceVar(&labels, "label", nil, "label KEY=VALUE; can be repeated")
	n.addWait(cmd)
	return cmd
}

// parseLabels reads KEY=VALUE pairs.
func parseLabels(pairs []string) (map[string]string, error) {
	labels := map[string]string{}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, usageError(fmt.Errorf("--label %q is not KEY=VALUE", pair))
		}
		labels[key] = value
	}
	return labels, nil
}
