package usage

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

// FlagError tells what is wrong with a flag, and what would be right.
func FlagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		if similar := similarFlags(cmd, unknown.GetSpecifiedName()); len(similar) > 0 {
			err = fmt.Errorf("%w: did you mean --%s?", err, strings.Join(similar, " or --"))
		}
	case errors.As(err, &invalid):
		if wants := wanted(invalid.GetFlag(), invalid.GetValue()); wants != "" {
			err = fmt.Errorf("invalid --%s %q: %s", invalid.GetFlag().Name, invalid.GetValue(), wants)
		}
	}
	return exit.Usage(err)
}

// similarFlags are the flags of a command that look like a name, by the rule by which commands do.
func similarFlags(cmd *cobra.Command, name string) []string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	return names.SuggestionsFor(name)
}

// wanted tells what values a flag takes, in place of what Go's parsers have against one; empty where the flag
// reports that itself.
func wanted(f *pflag.Flag, value string) string {
	if choice, ok := f.Value.(*choice); ok {
		return choice.wants()
	}
	switch f.Value.Type() {
	case "duration":
		if _, err := time.ParseDuration(value + "s"); err == nil {
			return fmt.Sprintf("a duration needs a unit, such as %ss", value)
		}
		return "want a duration such as 500ms, 30s or 1m30s"
	case "int", "int64":
		return "want a whole number"
	case "uint", "uint64":
		return "want a whole number that is not negative"
	case "float64":
		return "want a number"
	case "bool":
		return "want true or false"
	}
	return ""
}
