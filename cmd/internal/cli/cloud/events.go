package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

var eventTable = output.Table[simcloud.Event]{
	output.Col("REVISION", func(e simcloud.Event) string { return strconv.FormatUint(e.Revision, 10) }),
	output.Col("TIME", func(e simcloud.Event) string { return e.Time.UTC().Format("15:04:05.000") }),
	output.Col("TYPE", func(e simcloud.Event) string { return string(e.Type) }),
	output.Col("RESOURCE", func(e simcloud.Event) string { return simcloud.Ref(e.Kind, e.ID) }),
	output.Col("STATE", output.EventState),
	output.Col("NAME", output.EventName),
	output.WideCol("OPERATION-ID", func(e simcloud.Event) string { return string(e.OperationID) }),
	output.WideCol("REQUEST", func(e simcloud.Event) string { return e.RequestID }),
}

func newEventsCommand() *cobra.Command {
	var s connect.Session
	var after uint64
	cmd := &cobra.Command{
		Use: "events", Short: "Follow the changes of the cloud", Args: usage.NoArgs,
		Example: "  simcloud events\n  simcloud events --after 0 -o json",
	}
	cmd.Flags().Uint64Var(&after, "after", 0, "revision to begin after; 0 for all from the oldest on (default: only those to come)")
	cmd.RunE = s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
		if !usage.Given(cmd, "after") {
			page, err := c.ListRegions(ctx, simcloud.ListOptions{PageSize: 1})
			if err != nil {
				return err
			}
			after = page.Revision
		}
		return followEvents(ctx, c, out, s.Out, after)
	})
	return s.Command(cmd)
}

func followEvents(ctx context.Context, c *client.Client, out io.Writer, f output.Format, after uint64) error {
	seen := false
	for event, err := range c.WatchEvents(ctx, after) {
		if err != nil {
			return resumable(err, seen, after)
		}
		if err := eventTable.Line(out, f, event); err != nil {
			return err
		}
		after, seen = event.Revision, true
	}
	return nil
}

// resumable says after which message of a stream that has ended to go on, once there was one.
func resumable(err error, seen bool, after uint64) error {
	if !seen || !errors.Is(err, simcloud.Unavailable) {
		return err
	}
	return fmt.Errorf("%w: go on with --after %d", err, after)
}
