package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/lsp"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
)

func newLSPCommand(streams output.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor that writes scenario files",
		Long: `Serve an editor that writes scenario files, by the Language Server Protocol on
standard input and output: mistakes are shown while one types, as "simcloud lint"
finds them; verbs, keys, operations, their arguments and what expressions read are
completed and explained. docs/editors.md has the settings of some editors.`,
		Args:    usage.NoArgs,
		Example: "  simcloud lsp",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return lsp.Serve(cmd.Context(), pipe{cmd.InOrStdin(), streams.Out}, thisRelease().Version, func(file string, text []byte) error {
				return checkText(cmd.Context(), file, text)
			})
		},
	}
}

// pipe is the editor's end of a pipe. It is the editor that closes it.
type pipe struct {
	io.Reader
	io.Writer
}

// Close is a part of [io.Closer].
func (pipe) Close() error { return nil }

// checkText finds what is wrong with the text of a scenario file, as lint does with files.
func checkText(ctx context.Context, file string, text []byte) error {
	all, err := scenariorun.Check(ctx, file, text)
	if err == nil {
		err = unknownClauses(all).AsError()
	}
	return err
}
