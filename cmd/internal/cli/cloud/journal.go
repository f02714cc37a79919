package cloud

import (
	"cmp"
	"context"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// journalTable shows what the cloud was asked and what it answered.
var journalTable = output.Table[simcloud.JournalEntry]{
	output.Col("SEQ", func(e simcloud.JournalEntry) string { return strconv.FormatUint(e.Seq, 10) }),
	output.Col("TIME", func(e simcloud.JournalEntry) string { return e.Time.UTC().Format("15:04:05.000") }),
	output.Col("OPERATION", func(e simcloud.JournalEntry) string { return cmp.Or(e.Name, e.Operation) }),
	output.Col("RESOURCE", func(e simcloud.JournalEntry) string { return words.Shown(e.Resource, e.ShownID) }),
	output.Col("STATUS", func(e simcloud.JournalEntry) string { return strconv.Itoa(e.Status) }),
	output.Col("CODE", func(e simcloud.JournalEntry) string { return string(e.Code) }),
	output.Col("TOOK", func(e simcloud.JournalEntry) string {
		return time.Duration(e.Duration).Round(10 * time.Microsecond).String()
	}),
	output.Col("CALLER", func(e simcloud.JournalEntry) string { return e.Caller.UserAgent }),
	output.Col("FAULT", func(e simcloud.JournalEntry) string { return string(e.Fault) }),
	output.WideCol("EFFECT", func(e simcloud.JournalEntry) string { return e.Effect }),
	output.WideCol("COMMITTED", func(e simcloud.JournalEntry) string { return strconv.FormatBool(e.Committed) }),
	output.WideCol("CORE", func(e simcloud.JournalEntry) string { return e.Operation }),
	output.WideCol("OPERATION-ID", func(e simcloud.JournalEntry) string { return string(e.OperationID) }),
	output.WideCol("REQUEST", func(e simcloud.JournalEntry) string { return e.RequestID }),
	output.WideCol("TOKEN", func(e simcloud.JournalEntry) string { return string(e.Caller.Token) }),
	output.WideCol("MESSAGE", func(e simcloud.JournalEntry) string { return e.Message }),
}

func newJournalCommand() *cobra.Command {
	var s connect.Session
	var filter simcloud.JournalFilter
	var follow bool
	cmd := &cobra.Command{
		Use: "journal", Short: "Show the calls that the cloud got", Args: usage.NoArgs,
		Example: "  simcloud journal --errors\n  simcloud journal --follow --writes --user-agent 'simcloud-ccm*'",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			if follow {
				return followJournal(ctx, c, out, s.Out, filter)
			}
			entries, err := c.ListJournal(ctx, filter)
			if err != nil {
				return err
			}
			return journalTable.ListOr(output.Paged(out), s.Err, s.Out, entries, "No calls.")
		}),
	}
	f := cmd.Flags()
	f.BoolVarP(&follow, "follow", "f", false, "stream of the calls to come")
	f.Uint64Var(&filter.After, "after", 0, "only calls after this number")
	f.StringVar(&filter.Operation, "operation", "", "only these operations, such as 'Create*'")
	f.StringVar(&filter.Resource, "resource", "", "only calls about these resources, such as 'instance/*'")
	f.StringVar(&filter.UserAgent, "user-agent", "", "only calls by these programs, such as 'simcloud-ccm*'")
	f.StringVar((*string)(&filter.Project), "project", "", "only calls for this project")
	f.StringVar((*string)(&filter.Code), "code", "", "only calls that ended with this code, such as locked")
	f.StringVar((*string)(&filter.Fault), "fault", "", "only calls that this fault rule has changed; '*' for any")
	f.BoolVar(&filter.Errors, "errors", false, "only calls that failed")
	f.BoolVar(&filter.Settled, "settled", false, "complete answer: waits for each call that may have changed the cloud by now")
	f.BoolVar(&filter.Writes, "writes", false, "only operations that change the cloud")
	cmd.MarkFlagsMutuallyExclusive("follow", "settled")
	_ = cmd.RegisterFlagCompletionFunc("operation", completeOperations) // the flag is there
	return s.Command(cmd, newJournalGetCommand(&s), newJournalClearCommand(&s))
}

func followJournal(ctx context.Context, c *client.Client, out io.Writer, f output.Format, filter simcloud.JournalFilter) error {
	seen := false
	for entry, err := range c.WatchJournal(ctx, filter) {
		if err != nil {
			return resumable(err, seen, filter.After)
		}
		if err := journalTable.Line(out, f, entry); err != nil {
			return err
		}
		filter.After, seen = entry.Seq, true
	}
	return nil
}

func newJournalClearCommand(s *connect.Session) *cobra.Command {
	return &cobra.Command{
		Use: "clear", Short: "Clear the journal", Args: usage.NoArgs,
		Example: "  simcloud journal clear",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			if err := c.ClearJournal(ctx); err != nil {
				return err
			}
			return output.Done{Kind: "journal", Did: "cleared"}.Print(out, s.Out)
		}),
	}
}
