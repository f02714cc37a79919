package cli

import (
	"context"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

var faultTable = table[fault.Rule]{
	col("ID", func(r fault.Rule) string { return string(r.ID) }),
	col("NAME", func(r fault.Rule) string { return r.Name }),
	col("MATCH", func(r fault.Rule) string { return flow(r.Match) }),
	col("WHEN", func(r fault.Rule) string { return flow(r.When) }),
	col("EFFECT", func(r fault.Rule) string { return flow(r.Effect) }),
	col("CALLS", func(r fault.Rule) string { return strconv.FormatUint(r.Calls, 10) }),
	col("HITS", func(r fault.Rule) string { return strconv.FormatUint(r.Hits, 10) }),
	wideCol("ARM", func(r fault.Rule) string { return r.Arm }),
	wideCol("ADDED", func(r fault.Rule) string { return timeCell(r.Added) }),
}

func newFaultCommand() *cobra.Command {
	var s session
	cmd := &cobra.Command{
		Use: "fault", Aliases: []string{"faults"}, Short: "Calls that go wrong on purpose", Args: knownCommand, RunE: showHelp,
		Example: "  simcloud fault add --operation CreateLoadBalancer --times 1 --effect 'reset: {when: after}'\n" +
			"  simcloud fault list\n  simcloud fault clear",
	}
	return s.command(cmd, newFaultAddCommand(&s), newFaultListCommand(&s), newFaultGetCommand(&s),
		newFaultDeleteCommand(&s), newFaultClearCommand(&s))
}

func newFaultListCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List fault rules and how often they have fired", Args: noArgs,
		RunE: s.run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			rules, err := c.ListFaults(ctx)
			if err != nil {
				return err
			}
			return faultTable.list(out, s.out, rules)
		}),
	}
}

func newFaultGetCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use: "get ID...", Short: "Show fault rules by id or name", Args: minArgs(1), ValidArgsFunction: completeFaults(s),
		RunE: s.run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			var rules []fault.Rule
			for _, arg := range args {
				rule, err := c.GetFault(ctx, simcloud.ID(arg))
				if err != nil {
					return err
				}
				rules = append(rules, rule)
			}
			return faultTable.all(out, s.out, rules, len(args))
		}),
	}
}

func newFaultDeleteCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use: "delete ID...", Aliases: []string{"rm"}, Short: "End fault rules by id or name", Args: minArgs(1), ValidArgsFunction: completeFaults(s),
		RunE: s.run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			return deleteEach(out, s.out, "fault", args, func(arg string) error { return c.DeleteFault(ctx, simcloud.ID(arg)) })
		}),
	}
}

func newFaultClearCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use: "clear", Short: "End all fault rules", Args: noArgs,
		RunE: s.run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			if err := c.ClearFaults(ctx); err != nil {
				return err
			}
			return done{Kind: "faults", Did: "cleared"}.print(out, s.out)
		}),
	}
}

// completeFaults offers the ids and names of the rules.
func completeFaults(s *session) completion {
	return s.conn.completed(func(ctx context.Context, c *client.Client) (words []string, err error) {
		rules, err := c.ListFaults(ctx)
		for _, rule := range rules {
			words = append(words, string(rule.ID)+"\t"+rule.Name)
		}
		return words, err
	})
}
