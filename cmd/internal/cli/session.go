package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// session is what commands about a cloud as a whole have in common.
type session struct {
	conn connection
	out  format
}

// command gives a command the flags of a session.
func (s *session) command(cmd *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	s.conn.addFlags(cmd)
	s.out.addFlag(cmd)
	cmd.AddCommand(verbs...)
	return cmd
}

// run opens the connection for a command.
func (s *session) run(fn func(context.Context, *client.Client, io.Writer, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := s.conn.open(cmd)
		if err != nil {
			return err
		}
		defer c.Close()
		return s.conn.explain(fn(cmd.Context(), c, cmd.OutOrStdout(), args))
	}
}
