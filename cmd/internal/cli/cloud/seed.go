package cloud

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

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
	cmd := &cobra.Command{
		Use: "seed -f FILE", Short: "Make the cloud match a topology file, and print what that has changed", Args: usage.NoArgs,
		Long: `Make the cloud match a topology file: of each kind that the file lists, what
it names is made or changed, and everything else is deleted. Doing it again
changes nothing. docs/topology.md describes the file; - is the standard input.`,
		Example: "  simcloud seed -f topology.yaml\n  simcloud seed -f topology.yaml -o json",
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		wanted, err := readTopologyFrom("--file", file, cmd.InOrStdin())
		if err != nil {
			return err
		}
		return s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			report, err := c.Seed(ctx, wanted)
			if err != nil {
				return err
			}
			return printSeedReport(out, s.Out, report)
		})(cmd, args)
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "topology file; - is the standard input")
	_ = cmd.MarkFlagFilename("file", "yaml", "yml") // the flag is there
	return s.Command(cmd)
}

func printSeedReport(out io.Writer, f output.Format, report simcloud.SeedReport) error {
	if f.IsDocument() {
		return output.Document(out, f, report)
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
	return readTopologyFrom(flag, path, nil)
}

// readTopologyFrom reads a topology file, or in when the path is "-" and there is one.
func readTopologyFrom(flag, path string, in io.Reader) (simcloud.Topology, error) {
	var data []byte
	var err error
	switch {
	case path == "":
		return simcloud.Topology{}, exit.Usage(fmt.Errorf("%s is missing: want the path of a topology file", flag))
	case path == "-" && in != nil:
		data, err = io.ReadAll(io.LimitReader(in, topology.MaxBytes+1))
	default:
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return simcloud.Topology{}, exit.Usage(fmt.Errorf("%s: %w", flag, err))
	}
	wanted, err := topology.Parse(data)
	if err != nil {
		return simcloud.Topology{}, exit.Usage(fmt.Errorf("%s: %s: %w", flag, path, err))
	}
	return wanted, nil
}
