package cloud

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

func newJournalGetCommand(s *connect.Session) *cobra.Command {
	return &cobra.Command{
		Use: "get SEQ", Short: "Show the request and the response of a call", Args: usage.ExactArgs(1),
		Long: "Show the request and the response of a call, by its number in the journal.\n\n" +
			"The journal has the first 4 KiB of each body, with [redacted] in place of secrets. Of the oldest calls it forgets the bodies.",
		Example: "  simcloud journal get 17\n  simcloud journal get 17 -o json",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			entry, err := c.GetJournalEntry(ctx, simcloud.ID(args[0]))
			if err != nil {
				return err
			}
			if err := journalTable.One(out, s.Out, entry); err != nil {
				return err
			}
			if s.Out != output.FormatTable && s.Out != output.FormatWide {
				return nil
			}
			_, err = io.WriteString(out, escape.Block(exchangeText(entry)))
			return err
		}),
	}
}

// exchangeText is what a call has sent and got, as people read it.
func exchangeText(entry simcloud.JournalEntry) string {
	e := entry.Exchange
	if e == nil {
		return "\nThe journal has forgotten the bodies of this call.\n"
	}
	text := "\n" + escape.Line(e.Request) + "\n" + bodyText(e.Sent)
	switch {
	case e.Got != nil:
		text += fmt.Sprintf("\nresponse: %d\n%s", entry.Status, bodyText(e.Got))
	case entry.Status == 0:
		text += "\nresponse: none, the connection was dropped\n"
	default:
		text += fmt.Sprintf("\nresponse: %d, no body, or the caller had gone\n", entry.Status)
	}
	return text
}

// bodyText is a body below a line that tells what it is; JSON that is whole is indented.
func bodyText(b *simcloud.Body) string {
	if b == nil {
		return ""
	}
	about := fmt.Sprintf("%s, %d bytes", escape.Line(b.Type), b.Size)
	if b.Cut {
		about += fmt.Sprintf(", of which these are the first %d", simcloud.BodyLimit)
	}
	var indented bytes.Buffer
	if text := []byte(b.Text); json.Indent(&indented, bytes.TrimSpace(text), "", "  ") != nil {
		indented.Reset()
		indented.Write(bytes.TrimRight(text, "\n"))
	}
	return about + "\n\n" + indented.String() + "\n"
}
