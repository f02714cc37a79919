package resource

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// noun is a kind of resource on the command line: list, get and delete are the
// same for all kinds, and what else there is are verbs of its own.
type noun[T any, P output.Resource[T]] struct {
	kind   simcloud.Kind
	use    string // "instance"
	one    string // "an instance"
	title  string // "instances"
	prefix string // of ids, such as "i-"; empty when the name is the id
	table  output.Table[T]
	sample sample
	// hostname is the DNS name of one, by which an argument can name it too; nil where the kind has none. Hosts
	// and clients know no other name of it.
	hostname func(T) string
	// zone is the zone that one is in; nil where the kind has none.
	zone func(T) simcloud.ID
	// warnings are about resources that were created; nil where a kind has none.
	warnings func(ctx context.Context, c *client.Client, created []T) []string

	list   func(*client.Client, context.Context, simcloud.ListOptions) (simcloud.Page[T], error)
	get    func(*client.Client, context.Context, simcloud.ID) (T, error)
	remove func(*client.Client, context.Context, simcloud.ID, ...simcloud.CallOption) (simcloud.Operation, error)

	connect.Session
	wait  bool
	count int // of resources to create; 0 for one of the name that is given
}

// sample is what the examples of a noun's commands name.
type sample struct {
	name   string   // of the resource that most are about; it is in a new cloud, or the first line of create makes it
	create []string // lines of the example of "create", each from its verb on
	list   string   // flags of the second line of "list"; empty for -o json
}

// example makes an example of lines, each of which begins after the noun.
func (n *noun[T, P]) example(lines ...string) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("  simcloud " + n.use + " " + line)
	}
	return b.String()
}

// command returns "simcloud NOUN" with its common verbs and those given.
func (n *noun[T, P]) command(verbs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: n.use, Short: "Manage " + n.title, Args: usage.KnownCommand, RunE: usage.ShowHelp}
	n.Command(cmd, n.listCommand(), n.getCommand())
	if n.remove != nil {
		cmd.AddCommand(n.deleteCommand())
	}
	cmd.AddCommand(verbs...)
	completeFlags(cmd, completions(n.kind, &n.Conn))
	return cmd
}

func (n *noun[T, P]) getCommand() *cobra.Command {
	return &cobra.Command{
		Use: "get ID...", Short: "Show " + n.title + " by id or name", Args: usage.MinArgs(1), ValidArgsFunction: n.complete,
		Example: n.example("get "+n.sample.name, "get "+n.sample.name+" -o yaml"),
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			var items []T
			for _, arg := range args {
				item, err := n.find(ctx, c, arg)
				if err != nil {
					return err
				}
				items = append(items, item)
			}
			return n.table.All(out, n.Out, items, len(args))
		}),
	}
}

func (n *noun[T, P]) deleteCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "delete ID...", Aliases: []string{"rm"}, Short: "Delete " + n.title + " by id or name", Args: usage.MinArgs(1), ValidArgsFunction: n.complete,
		Example: n.example("delete " + n.sample.name),
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			var ops []simcloud.Operation
			for _, arg := range args {
				op, err := n.delete(ctx, c, arg)
				if err != nil {
					return errors.Join(err, n.deleted(out, ops, len(args)))
				}
				ops = append(ops, op)
			}
			return n.deleted(out, ops, len(args))
		}),
	}
	n.addWait(cmd)
	return cmd
}

func (n *noun[T, P]) delete(ctx context.Context, c *client.Client, arg string) (simcloud.Operation, error) {
	id, err := n.id(ctx, c, arg)
	if err != nil {
		return simcloud.Operation{}, err
	}
	op, err := n.remove(c, ctx, id)
	if err != nil {
		return op, err
	}
	return n.await(ctx, c, op)
}

// deleted prints what deletions have answered: one document for all that were asked for.
func (n *noun[T, P]) deleted(out io.Writer, ops []simcloud.Operation, asked int) error {
	if n.Out.IsDocument() {
		return output.Documents(out, n.Out, ops, asked)
	}
	for _, op := range ops {
		text := fmt.Sprintf("%s %s: deletion %s (%s)", n.use, op.Resource.ID, op.State, op.ID)
		if n.Out == output.FormatName {
			text = string(op.Resource.ID)
		}
		if err := output.PrintLine(out, text); err != nil {
			return err
		}
	}
	return nil
}

func (n *noun[T, P]) addWait(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&n.wait, "wait", false, "synchronous call: returns when the operation is done")
}

// lister is the list operation of a client.
func (n *noun[T, P]) lister(c *client.Client) simcloud.ListFunc[T] {
	return func(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[T], error) {
		return n.list(c, ctx, opts)
	}
}

// find reads a resource by its id, or else by a name that only one has.
func (n *noun[T, P]) find(ctx context.Context, c *client.Client, arg string) (T, error) {
	var none T
	if arg == "" {
		return none, exit.Usage(fmt.Errorf("an argument is empty: want the id or name of one of the %s", n.title))
	}
	arg = n.bare(arg)
	if n.prefix == "" || strings.HasPrefix(arg, n.prefix) {
		item, err := n.get(c, ctx, simcloud.ID(arg))
		if n.prefix == "" || !errors.Is(err, simcloud.NotFound) {
			return item, err
		}
	}
	named, err := simcloud.ListAll(ctx, n.lister(c), simcloud.ListOptions{Name: arg})
	if err == nil && len(named) == 0 && n.hostname != nil {
		named, err = simcloud.ListAll(ctx, n.lister(c), simcloud.ListOptions{})
		named = slices.DeleteFunc(named, func(item T) bool { return n.hostname(item) != arg })
	}
	switch {
	case err != nil:
		return none, err
	case len(named) == 0:
		return none, simcloud.Errorf(simcloud.NotFound, simcloud.Ref(n.kind, simcloud.ID(arg)),
			"no %s has this id or name: see \"simcloud %s list\"", n.bareOne(), n.use)
	case len(named) > 1:
		ids := output.JoinCells(named, n.table[0].Value)
		return none, exit.Usage(fmt.Errorf("%d of the cloud's %s are named %q: say which by id (%s)", len(named), n.title, arg, ids))
	}
	return named[0], nil
}

// bareOne is what one of the kind is called, without an article.
func (n *noun[T, P]) bareOne() string {
	_, one, _ := strings.Cut(n.one, " ")
	return one
}

// bare returns the id or name of an argument that may have the kind in front, as errors and the journal write it:
// instance/i-1.
func (n *noun[T, P]) bare(arg string) string {
	if kind, id, ok := strings.Cut(arg, "/"); ok && (kind == string(n.kind) || kind == n.use) {
		return id
	}
	return arg
}

// id returns the id of what an argument names.
func (n *noun[T, P]) id(ctx context.Context, c *client.Client, arg string) (simcloud.ID, error) {
	item, err := n.find(ctx, c, arg)
	if err != nil {
		return "", err
	}
	return P(&item).GetMeta().ID, nil
}

// resolve replaces the ids or names that flags have given by ids; what is empty stays.
func (n *noun[T, P]) resolve(ctx context.Context, c *client.Client, refs ...*simcloud.ID) (err error) {
	for _, ref := range refs {
		if *ref == "" {
			continue
		}
		if *ref, err = n.id(ctx, c, string(*ref)); err != nil {
			return err
		}
	}
	return nil
}

// resolved returns the ids of what a flag names by ids or names.
func (n *noun[T, P]) resolved(ctx context.Context, c *client.Client, texts []string) ([]simcloud.ID, error) {
	var ids []simcloud.ID
	for _, text := range texts {
		id, err := n.id(ctx, c, text)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// await returns the operation, with --wait once it has ended well.
func (n *noun[T, P]) await(ctx context.Context, c *client.Client, op simcloud.Operation) (simcloud.Operation, error) {
	if !n.wait {
		return op, nil
	}
	return n.Await(ctx, c, op)
}
