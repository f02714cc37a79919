package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagsWithOtherEnv are the flags whose variable is read elsewhere, and means something of its own.
var flagsWithOtherEnv = []string{"ccm", "help", "kube", "name"}

// otherOutputs are the commands whose --output has formats of its own, which
// SIMCLOUD_OUTPUT does not mean.
var otherOutputs = []string{"env"}

// setFlagsFromEnv sets each flag that was not given from SIMCLOUD_<FLAG>: for
// --token-file that is SIMCLOUD_TOKEN_FILE.
func setFlagsFromEnv(cmd *cobra.Command) error {
	var wrong error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := "SIMCLOUD_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value := os.Getenv(name)
		if value == "" || f.Changed || wrong != nil || slices.Contains(flagsWithOtherEnv, f.Name) ||
			f.Name == "output" && slices.Contains(otherOutputs, cmd.Name()) {
			return
		}
		if err := f.Value.Set(value); err != nil {
			wrong = usageError(fmt.Errorf("%s=%q: %w", name, value, err))
		}
	})
	return wrong
}
