package connect

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// Session is what commands about a cloud as a whole have in common.
type Session struct {
	Conn Cloud
	Out  output.Format
	// Err is the stderr of the command that runs: for what is no part of the answer.
	Err io.Writer

	waiting waiting
}

// Command gives a command the flags of a session.
func (s *Session) Command(cmd *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	s.Conn.AddFlags(cmd)
	s.Out.AddFlag(cmd)
	cmd.AddCommand(verbs...)
	return cmd
}

// Run opens the connection for a command.
func (s *Session) Run(fn func(context.Context, *client.Client, io.Writer, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := s.Conn.open(cmd)
		if err != nil {
			return err
		}
		defer c.Close()
		s.Err, s.waiting = cmd.ErrOrStderr(), s.Conn.waiting(cmd)
		ctx := cmd.Context()
		out := output.WithClock(cmd.OutOrStdout(), func() time.Time { return cloudTime(ctx, c) })
		return s.Conn.explain(fn(ctx, c, out, args))
	}
}

// cloudTime is the time by the cloud's clock, which need not be that of this machine; zero for those who must not read it.
func cloudTime(ctx context.Context, c *client.Client) time.Time {
	clock, err := c.GetClock(ctx)
	if err != nil {
		return time.Time{}
	}
	return clock.Now
}
