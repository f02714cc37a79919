package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

var eventTable = table[simcloud.Event]{
	col("REVISION", func(e simcloud.Event) string { return strconv.FormatUint(e.Revision, 10) }),
	col("TIME", func(e simcloud.Event) string { return e.Time.UTC().Format("15:04:05.000") }),
	col("TYPE", func(e simcloud.Event) string { return string(e.Type) }),
	col("RESOURCE", func(e simcloud.Event) string { return simcloud.Ref(e.Kind, e.ID) }),
	col("STATE", eventState),
	col("NAME", eventName),
	wideCol("OPERATION-ID", func(e simcloud.Event) string { return string(e.OperationID) }),
	wideCol("REQUEST", func(e simcloud.Event) string { return e.RequestID }),
}

func newEventsCommand() *cobra.Command {
	var s session
	var after uint64
	cmd := &cobra.Command{
		Use: "events", Short: "Follow the changes of the cloud", Args: noArgs,
		Example: "  simcloud events\n  simcloud events --after 0 -o json",
	}
	cmd.Flags().Uint64Var(&after, "after", 0, "begin after this revision; 0 begins with the oldest (default: from now on)")
	cmd.RunE = s.run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
		if !given(cmd, "after") {
			page, err := c.ListRegions(ctx, simcloud.ListOptions{PageSize: 1})
			if err != nil {
				return err
			}
			after = page.Revision
		}
		return followEvents(ctx, c, out, s.out, after)
	})
	return s.command(cmd)
}

func followEvents(ctx context.Context, c *client.Client, out io.Writer, f format, after uint64) error {
	seen := false
	for event, err := range c.WatchEvents(ctx, after) {
		if err != nil {
			return resumable(err, seen, after)
		}
		if err := eventTable.line(out, f, event); err != nil {
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
