package resource

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// final is the resource that a mutation answers, with --wait as it is in the end.
func (n *noun[T, P]) final(ctx context.Context, c *client.Client, res simcloud.Result[T], err error) (T, error) {
	item := res.Resource
	if err != nil || !n.wait {
		return item, err
	}
	if _, err := n.Await(ctx, c, res.Operation); err != nil || !res.Operation.Finished.IsZero() {
		return item, err // what the answer shows once, such as a secret, is in no other
	}
	return n.get(c, ctx, P(&item).GetMeta().ID)
}

// result prints what a mutation answers.
func (n *noun[T, P]) result(ctx context.Context, c *client.Client, out io.Writer, res simcloud.Result[T], err error) error {
	item, err := n.final(ctx, c, res, err)
	if err != nil {
		return err
	}
	return n.table.One(out, n.Out, item)
}

// verb returns a command that does something to resources.
func (n *noun[T, P]) verb(use, short string, act func(*client.Client, context.Context, simcloud.ID, ...simcloud.CallOption) (simcloud.Result[T], error)) *cobra.Command {
	cmd := &cobra.Command{
		Use: use + " ID...", Short: short, Args: usage.MinArgs(1), ValidArgsFunction: n.complete,
		Example: n.example(use + " " + n.sample.name),
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			var items []T
			for _, arg := range args {
				item, err := n.act(ctx, c, arg, act)
				if err != nil { // what has happened to the others is not kept back
					return errors.Join(err, n.table.All(out, n.Out, items, len(args)))
				}
				items = append(items, item)
			}
			return n.table.All(out, n.Out, items, len(args))
		}),
	}
	n.addWait(cmd)
	return cmd
}

func (n *noun[T, P]) act(
	ctx context.Context, c *client.Client, arg string,
	act func(*client.Client, context.Context, simcloud.ID, ...simcloud.CallOption) (simcloud.Result[T], error),
) (T, error) {
	id, err := n.id(ctx, c, arg)
	if err != nil {
		var none T
		return none, err
	}
	res, err := act(c, ctx, id)
	return n.final(ctx, c, res, err)
}

// verbWith is verb for an operation that has a body, which flags fill before it is read.
func verbWith[S, T any, P output.Resource[T]](
	n *noun[T, P], use, short string, spec *S,
	act func(*client.Client, context.Context, simcloud.ID, S, ...simcloud.CallOption) (simcloud.Result[T], error),
) *cobra.Command {
	return n.verb(use, short, func(c *client.Client, ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[T], error) {
		return act(c, ctx, id, *spec, opts...)
	})
}

// protectCommands returns the commands that put the protection from deletion on and take it off.
func (n *noun[T, P]) protectCommands(
	protect func(*client.Client, context.Context, simcloud.ID, *bool, ...simcloud.CallOption) (simcloud.Result[T], error),
) []*cobra.Command {
	to := func(on bool) func(*client.Client, context.Context, simcloud.ID, ...simcloud.CallOption) (simcloud.Result[T], error) {
		return func(c *client.Client, ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[T], error) {
			return protect(c, ctx, id, &on, opts...)
		}
	}
	return []*cobra.Command{
		n.verb("protect", "Protect "+n.title+" from deletion", to(true)),
		n.verb("unprotect", "Unprotect "+n.title+", so that they can be deleted", to(false)),
	}
}

// createCommand returns a command that makes a resource of a name; make reads the flags.
func (n *noun[T, P]) createCommand(make func(context.Context, *client.Client, string, map[string]string) (simcloud.Result[T], error)) *cobra.Command {
	var labels []string
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Create " + n.one, Args: usage.ExactArgs(1),
		Example: n.example(n.sample.create...),
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			set, err := parseLabels(labels)
			if err != nil {
				return err
			}
			if n.count > 0 {
				return n.createEach(ctx, c, out, numbered(args[0], n.count), func(name string) (simcloud.Result[T], error) {
					return make(ctx, c, name, set)
				})
			}
			res, err := make(ctx, c, args[0], set)
			if err == nil {
				n.warn(ctx, c, res.Resource)
			}
			return n.result(ctx, c, out, res, err)
		}),
	}
	cmd.Flags().StringSliceVar(&labels, "label", nil, "label KEY=VALUE; can be repeated")
	n.addWait(cmd)
	return cmd
}

// addCount gives a command that creates a resource the flag to create several.
func (n *noun[T, P]) addCount(cmd *cobra.Command) {
	cmd.Flags().IntVar(&n.count, "count", 0, "number of "+n.title+" to create: NAME-1, NAME-2 and so on (default: one, called NAME)")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if usage.Given(cmd, "count") && (n.count < 1 || n.count > maxCount) {
			return exit.Usage(fmt.Errorf("invalid --count %d: must be between 1 and %d", n.count, maxCount))
		}
		return run(cmd, args)
	}
}

// maxCount is how many resources one command creates at most: each is a call.
const maxCount = 10_000

// numbered are as many names as asked for.
func numbered(name string, count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", name, i+1)
	}
	return names
}

// createEach creates a resource of each name, and waits for them, with --wait, when all of them are on their way.
func (n *noun[T, P]) createEach(
	ctx context.Context, c *client.Client, out io.Writer, names []string, create func(name string) (simcloud.Result[T], error),
) error {
	var results []simcloud.Result[T]
	var failed error
	for _, name := range names {
		res, err := create(name)
		if err != nil { // what was created is not kept back
			failed = fmt.Errorf("%s: %w", name, err)
			break
		}
		results = append(results, res)
	}
	var items []T
	for _, res := range results {
		items = append(items, res.Resource)
	}
	n.warn(ctx, c, items...)
	for i, res := range results {
		item, err := n.final(ctx, c, res, nil)
		if err != nil && failed == nil {
			failed = err
		}
		items[i] = item
	}
	return errors.Join(failed, n.table.All(out, n.Out, items, len(names)))
}

// warn reports on stderr what may surprise about resources that were created: the cloud allows it.
func (n *noun[T, P]) warn(ctx context.Context, c *client.Client, created ...T) {
	if n.warnings == nil {
		return
	}
	for _, text := range n.warnings(ctx, c, created) {
		output.Printer(n.Err)("warning: " + text)
	}
}

// parseLabels reads the pairs of --label.
func parseLabels(pairs []string) (map[string]string, error) { return parsePairs("--label ", pairs) }

// parsePairs reads the pairs KEY=VALUE of a flag, such as "--label ", or arguments.
func parsePairs(flag string, pairs []string) (map[string]string, error) {
	values := map[string]string{}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, exit.Usage(fmt.Errorf("%s%q is not KEY=VALUE", flag, pair))
		}
		values[key] = value
	}
	return values, nil
}
