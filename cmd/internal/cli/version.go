package cli

import (
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is what is known of the program itself.
type release struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

var releaseTable = table[release]{
	col("VERSION", func(r release) string { return r.Version }),
	col("REVISION", func(r release) string { return r.Revision }),
	col("GO", func(r release) string { return r.Go }),
	col("PLATFORM", func(r release) string { return r.Platform }),
}

func newVersionCommand() *cobra.Command {
	var out format
	cmd := &cobra.Command{
		Use: "version", Short: "Show the version of this program", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return printVersion(cmd.OutOrStdout(), out) },
	}
	out.addFlag(cmd)
	return cmd
}

func printVersion(w io.Writer, f format) error {
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
	return releaseTable.one(w, f, r)
}
