package cloud

import (
	"context"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

var faultTable = output.Table[faultRow]{
	output.Col("ID", func(r faultRow) string { return string(r.ID) }),
	output.Col("NAME", func(r faultRow) string { return r.Name }),
	output.Col("MATCH", func(r faultRow) string { return flow(r.Match) }),
	output.Col("WHEN", func(r faultRow) string { return flow(r.When) }),
	output.Col("EFFECT", func(r faultRow) string { return flow(r.Effect) }),
	output.Col("CALLS", func(r faultRow) string { return strconv.FormatUint(r.Calls, 10) }),
	output.Col("HITS", func(r faultRow) string { return strconv.FormatUint(r.Hits, 10) }),
	output.Col("STATE", func(r faultRow) string { return r.state }),
	output.WideCol("ARM", func(r faultRow) string { return r.Arm }),
	output.WideCol("ADDED", func(r faultRow) string { return output.TimeCell(r.Added) }),
}

func newFaultCommand() *cobra.Command {
	var s connect.Session
	cmd := &cobra.Command{
		Use: "fault", Aliases: []string{"faults"}, Short: "Manage fault rules, which make calls fail on purpose", Args: usage.KnownCommand, RunE: usage.ShowHelp,
		Example: "  simcloud fault add --operation CreateLoadBalancer --times 1 --effect 'reset: {when: after}'\n" +
			"  simcloud fault list\n  simcloud fault clear",
	}
	return s.Command(cmd, newFaultAddCommand(&s), newFaultExplainCommand(&s), newFaultListCommand(&s), newFaultGetCommand(&s),
		newFaultDeleteCommand(&s), newFaultClearCommand(&s))
}

func newFaultListCommand(s *connect.Session) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List fault rules and how often they have fired", Args: usage.NoArgs,
		Example: "  simcloud fault list\n  simcloud fault list -o yaml",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			rules, err := c.ListFaults(ctx)
			if err != nil {
				return err
			}
			rows, err := faultRows(ctx, c, rules)
			if err != nil {
				return err
			}
			return faultTable.ListOr(out, s.Err, s.Out, rows, "No fault rules.")
		}),
	}
}

func newFaultGetCommand(s *connect.Session) *cobra.Command {
	return &cobra.Command{
		Use: "get ID...", Short: "Show fault rules by id or name", Args: usage.MinArgs(1), ValidArgsFunction: completeFaults(s),
		Example: "  simcloud fault get lost\n  simcloud fault get lost -o yaml",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			var rules []fault.Rule
			for _, arg := range args {
				rule, err := c.GetFault(ctx, simcloud.ID(arg))
				if err != nil {
					return err
				}
				rules = append(rules, rule)
			}
			return printFaults(ctx, c, out, s.Out, rules, len(args))
		}),
	}
}

func newFaultDeleteCommand(s *connect.Session) *cobra.Command {
	return &cobra.Command{
		Use: "delete ID...", Aliases: []string{"rm"}, Short: "Delete fault rules by id or name", Args: usage.MinArgs(1), ValidArgsFunction: completeFaults(s),
		Example: "  simcloud fault delete lost",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			return output.DeleteEach(out, s.Out, "fault", args, func(arg string) error { return c.DeleteFault(ctx, simcloud.ID(arg)) })
		}),
	}
}

func newFaultClearCommand(s *connect.Session) *cobra.Command {
	return &cobra.Command{
		Use: "clear", Short: "Delete all fault rules", Args: usage.NoArgs,
		Example: "  simcloud fault clear",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			if err := c.ClearFaults(ctx); err != nil {
				return err
			}
			return output.Done{Kind: "faults", Did: "cleared"}.Print(out, s.Out)
		}),
	}
}

// completeFaults offers the ids and names of the rules.
func completeFaults(s *connect.Session) usage.Completion {
	return s.Conn.Completed(func(ctx context.Context, c *client.Client) (words []string, err error) {
		rules, err := c.ListFaults(ctx)
		for _, rule := range rules {
			words = append(words, string(rule.ID)+"\t"+rule.Name)
		}
		return words, err
	})
}
