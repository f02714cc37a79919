package cli

import (
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios/report"
)

// flagsOfARun are the flags of test, conformance and explore that do not change how one scenario runs, or that its name and seed stand for.
func flagsOfARun() []string {
	return []string{
		"selector", "report", "summary", "parallel", "seed", "repeat", "retries", "shard", "timeout", "pause-on-failure", "fail-fast", "strict", "keep", "verbose", "format", "output",
		"capabilities", "known-failures", "areas", "shorten", "confirm", "time", "out", "reruns", "history", "corpus",
	}
}

// againFlags are the flags that were given, by themselves or by variables,
// without which a scenario would not run in the same way.
func againFlags(cmd *cobra.Command) []string {
	var words []string
	if ccm := os.Getenv(manager.EnvCCM); ccm != "" && !usage.Given(cmd, "ccm") && !usage.Given(cmd, "ccm-manifests") {
		words = append(words, "--ccm", ccm)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains(flagsOfARun(), f.Name) || !usage.Given(cmd, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if several, ok := f.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		for _, value := range values {
			if f.NoOptDefVal != "" {
				words = append(words, "--"+f.Name+"="+value)
			} else {
				words = append(words, "--"+f.Name, value)
			}
		}
	})
	return words
}

// command is the command that runs a scenario file as this run does.
func (o testOptions) command(file string) string {
	return report.TestCommand(file, o.seed, o.again)
}
