package usage

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

// flagsWithOtherEnv are the flags whose variable is read elsewhere, and means something of its own.
var flagsWithOtherEnv = []string{"ccm", "help", "kube", "name", "version"}

// flagsWithoutEnv are the flags that only count when they are written: a
// variable confirms for ever what was looked at once.
var flagsWithoutEnv = []string{"confirm-context"}

// outputFlag has other formats with some commands. Its variable is for those that know the format; the others keep
// their default.
const outputFlag = "output"

// otherOutputs are the commands whose --output SIMCLOUD_OUTPUT never means: what they print is for a shell to read.
var otherOutputs = []string{"env"}

// acceptedElsewhere reports whether a command, or one below it, has a flag --output that takes a format.
func acceptedElsewhere(cmd *cobra.Command, format string) bool {
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		if f := flags.Lookup(outputFlag); f != nil {
			if value, ok := f.Value.(interface{ Accepts(string) bool }); ok && value.Accepts(format) {
				return true
			}
		}
	}
	return slices.ContainsFunc(cmd.Commands(), func(child *cobra.Command) bool { return acceptedElsewhere(child, format) })
}

// SetFlagsFromEnv sets each flag that was not given from SIMCLOUD_<FLAG>: for
// --token-file that is SIMCLOUD_TOKEN_FILE. Flags without a variable stay as they are.
func SetFlagsFromEnv(cmd *cobra.Command) error {
	var wrong error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := "SIMCLOUD_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value := os.Getenv(name)
		if value == "" || f.Changed || wrong != nil || slices.Contains(slices.Concat(flagsWithOtherEnv, flagsWithoutEnv), f.Name) ||
			f.Name == outputFlag && slices.Contains(otherOutputs, cmd.Name()) {
			return
		}
		if err := f.Value.Set(value); err != nil {
			if f.Name == outputFlag && acceptedElsewhere(cmd.Root(), value) {
				return
			}
			if wants := wanted(f, value); wants != "" {
				err = errors.New(wants)
			}
			wrong = exit.Usage(fmt.Errorf("%s=%q: %w", name, value, err))
			return
		}
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[fromEnv] = []string{name}
	})
	return wrong
}

// fromEnv is the annotation of a flag whose value is that of its variable.
const fromEnv = "simcloud_from_env"

// Given reports whether a flag was given, on the command line or by its variable.
func Given(cmd *cobra.Command, flag string) bool {
	f := cmd.Flags().Lookup(flag)
	return f != nil && (f.Changed || f.Annotations[fromEnv] != nil)
}

// Need makes a flag of a command one without which it does nothing; example
// is a valid value, which the lines of the command's example get too.
func Need(cmd *cobra.Command, flag, example string) {
	if cmd.Example != "" {
		cmd.Example = strings.ReplaceAll(cmd.Example+"\n", "\n", " --"+flag+" "+example+"\n")
		cmd.Example = strings.TrimSuffix(cmd.Example, "\n")
	}
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !Given(cmd, flag) {
			return exit.Usage(fmt.Errorf("--%s is missing: want %s%s --%s %s",
				flag, cmd.CommandPath(), strings.TrimPrefix(cmd.Use, cmd.Name()), flag, example))
		}
		return run(cmd, args)
	}
}
