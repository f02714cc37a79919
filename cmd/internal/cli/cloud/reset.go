package cloud

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newResetCommand() *cobra.Command {
	var s connect.Session
	var yes, dryRun bool
	cmd := s.Command(&cobra.Command{
		Use: "reset", Short: "Reset the cloud: delete everything but its topology", Args: usage.NoArgs,
		Long: `Reset the cloud: delete everything but its topology. On a terminal it asks first,
unless --yes is given. With --dry-run it prints what would be deleted or changed.`,
		Example: "  simcloud reset --dry-run\n  simcloud reset --yes",
	})
	cmd.RunE = s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
		if dryRun {
			report, err := c.PlanReset(ctx)
			if err != nil {
				return err
			}
			return printSeedReport(out, s.Err, s.Out, report, dryRun)
		}
		if !yes && isTerminal(cmd.InOrStdin()) {
			if err := confirm(cmd.InOrStdin(), cmd.ErrOrStderr(), "Delete everything but the topology of the cloud at "+c.Endpoint()+"?"); err != nil {
				return err
			}
		}
		if err := c.Reset(ctx); err != nil {
			return err
		}
		return output.Done{Kind: "cloud", ID: c.Endpoint(), Did: "is as it was first made"}.Print(out, s.Out)
	})
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "no question, also on a terminal")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, dryRunUsage)
	return cmd
}

// isTerminal reports whether a user can answer: scripts and pipes are not asked.
func isTerminal(in io.Reader) bool {
	file, ok := in.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// confirm asks a question, and returns an error unless the answer is yes.
func confirm(in io.Reader, out io.Writer, question string) error {
	fmt.Fprint(out, question+" [y/N] ")
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return exit.Environment(fmt.Errorf("read the answer: %w", err))
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return &exit.Error{Code: exit.CodeFailed, Err: errors.New("nothing was done: answer y, or give --yes")}
}
