package cloud

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/topology"
)

func newSeedCommand() *cobra.Command {
	var s connect.Session
	var file string
	var dryRun bool
	cmd := &cobra.Command{
		Use: "seed -f FILE", Short: "Make the cloud match a topology file, and print what that has changed", Args: usage.NoArgs,
		Long: `Make the cloud match a topology file: of each kind that the file lists, what
it names is made or changed, and everything else is deleted. Doing it again
changes nothing. With --dry-run it prints what would change. docs/topology.md
describes the file; - is the standard input.`,
		Example: "  simcloud seed -f topology.yaml --dry-run\n  simcloud seed -f topology.yaml",
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		wanted, source, err := readTopologyFrom("--file", file, cmd.InOrStdin())
		if err != nil {
			return err
		}
		return s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			seed := c.Seed
			if dryRun {
				seed = c.PlanSeed
			}
			report, err := seed(ctx, wanted)
			if err != nil {
				return withLines(source, err)
			}
			return printSeedReport(out, s.Err, s.Out, report, dryRun)
		})(cmd, args)
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, dryRunUsage)
	cmd.Flags().StringVarP(&file, "file", "f", "", "topology file; - is the standard input")
	_ = cmd.MarkFlagFilename("file", "yaml", "yml") // the flag is there
	return s.Command(cmd)
}

// dryRunUsage is the help of --dry-run, for what a cloud plans.
const dryRunUsage = "changes that a run would make, without making them"

// printSeedReport prints what has changed, or would change. That it is a dry run goes to stderr, so that scripts read
// the same lines.
func printSeedReport(out, stderr io.Writer, f output.Format, report simcloud.SeedReport, dryRun bool) error {
	if f.IsDocument() {
		return output.Document(out, f, report)
	}
	if dryRun {
		if err := output.PrintLine(stderr, "Dry run: nothing was changed. A run would report:"); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		what string
		refs []string
	}{{"deleted", report.Deleted}, {"created", report.Created}, {"updated", report.Updated}} {
		for _, ref := range part.refs {
			text := part.what + " " + ref
			if f == output.FormatName {
				text = ref
			}
			if err := output.PrintLine(out, text); err != nil {
				return err
			}
		}
	}
	if f == output.FormatName {
		return nil
	}
	_, err := fmt.Fprintf(out, "%d unchanged\n", report.Unchanged)
	return err
}

// ReadTopology reads a topology file, which a flag has named.
func ReadTopology(flag, path string) (simcloud.Topology, error) {
	wanted, _, err := readTopologyFrom(flag, path, nil)
	return wanted, err
}

// readTopologyFrom reads a topology file, or in when the path is "-" and there is one. Errors name the lines; it returns
// the value that has them.
func readTopologyFrom(flag, path string, in io.Reader) (simcloud.Topology, *yaml.Node, error) {
	var data []byte
	var err error
	switch {
	case path == "":
		return simcloud.Topology{}, nil, exit.Usage(fmt.Errorf("%s is missing: want the path of a topology file", flag))
	case path == "-" && in != nil:
		data, err = io.ReadAll(io.LimitReader(in, topology.MaxBytes+1))
	default:
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return simcloud.Topology{}, nil, exit.Usage(fmt.Errorf("%s: %w", flag, err))
	}
	source := &yaml.Node{}
	if documents, err := readYAML(path, bytes.NewReader(data)); err == nil && len(documents) > 0 {
		source = documents[0]
	}
	wanted, err := topology.Parse(data)
	if err != nil {
		return simcloud.Topology{}, nil, exit.Usage(fmt.Errorf("%s: %s: %w", flag, path, withLines(source, err)))
	}
	return wanted, source, nil
}
