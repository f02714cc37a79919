package cli

import (
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
)

// release is what is known of the program itself.
type release struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

var releaseTable = output.Table[release]{
	output.Col("VERSION", func(r release) string { return r.Version }),
	output.Col("REVISION", func(r release) string { return r.Revision }),
	output.Col("GO", func(r release) string { return r.Go }),
	output.Col("PLATFORM", func(r release) string { return r.Platform }),
}

func newVersionCommand() *cobra.Command {
	var out output.Format
	cmd := &cobra.Command{
		Use: "version", Short: "Show the version of this program", Args: usage.NoArgs,
		Example: "  simcloud version\n  simcloud version -o json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return printVersion(cmd.OutOrStdout(), out) },
	}
	out.AddFlag(cmd)
	return cmd
}

func printVersion(w io.Writer, f output.Format) error {
	r := release{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			r.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				r.Revision = s.Value
			case "vcs.modified":
				r.Modified = s.Value == "true"
			}
		}
	}
	return releaseTable.One(w, f, r)
}
