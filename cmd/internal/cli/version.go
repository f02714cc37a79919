package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
)

// What the linker sets in builds of a clone and of a release: see STAMP in the Makefile. Go's own stamp is missing where
// GOFLAGS has -buildvcs=false or Go may not read the repository.
var stampedVersion, stampedRevision string

// release is what is known of the program itself.
type release struct {
	Version    string `json:"version"`
	Revision   string `json:"revision,omitempty"`
	Modified   bool   `json:"modified,omitempty"`
	Kubernetes string `json:"kubernetes"` // of simcloud-kube
	Go         string `json:"go"`
	Platform   string `json:"platform"`
}

var releaseTable = output.Table[release]{
	output.Col("VERSION", func(r release) string { return r.Version }),
	output.Col("REVISION", func(r release) string { return r.Revision }),
	output.Col("KUBERNETES", func(r release) string { return r.Kubernetes }),
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
	return releaseTable.One(w, f, thisRelease())
}

// addVersionFlag gives the root command --version and -v, which print one line.
func addVersionFlag(root *cobra.Command) {
	root.Version = thisRelease().String()
	root.SetVersionTemplate("{{.Version}}\n")
	root.Flags().BoolP("version", "v", false, "version of this program")
}

// String is the line of --version.
func (r release) String() string {
	revision := ""
	if r.Revision != "" {
		revision = "revision " + r.Revision + ", "
	}
	return fmt.Sprintf("simcloud %s (%sKubernetes %s)", r.Version, revision, r.Kubernetes)
}

func thisRelease() release {
	r := release{
		Version: "(devel)", Kubernetes: embedded.KubernetesVersion,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		r.stampedByGo(info)
	}
	if stampedVersion != "" {
		r.Version, r.Modified = stampedVersion, strings.HasSuffix(stampedVersion, dirty)
	}
	if stampedRevision != "" {
		r.Revision = stampedRevision
	}
	return r
}

// dirty is how "git describe --dirty" ends the version of a tree with changes that are in no commit.
const dirty = "-dirty"

// stampedByGo takes what Go knows of a module that "go install" fetched, or of a clone.
func (r *release) stampedByGo(info *debug.BuildInfo) {
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
