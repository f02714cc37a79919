// Package usage is what commands demand of their arguments and flags, and how variables of the environment set flags.
package usage

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

// ShowHelp is what a command that needs a verb does without one.
func ShowHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// KnownCommand refuses a verb that there is not, and names those that look like it.
func KnownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	advice := fmt.Sprintf("see \"%s --help\"", cmd.CommandPath())
	if call := nounFirst(cmd, args); call != "" {
		return exit.Usage(fmt.Errorf("%s has no command %q: did you mean \"%s\"?", cmd.CommandPath(), args[0], call))
	}
	if cmd.SuggestionsMinimumDistance == 0 {
		cmd.SuggestionsMinimumDistance = 2
	}
	if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
		advice = "did you mean " + strings.Join(similar, " or ") + "?"
	}
	return exit.Usage(fmt.Errorf("%s has no command %q: %s", cmd.CommandPath(), args[0], advice))
}

// MinArgs asks for arguments.
func MinArgs(count int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= count {
			return nil
		}
		return exit.Usage(fmt.Errorf("missing argument: %s", cmd.UseLine()))
	}
}

// ExactArgs asks for a number of arguments.
func ExactArgs(count int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > count {
			return exit.Usage(fmt.Errorf("unexpected argument %q: %s", args[count], cmd.UseLine()))
		}
		return MinArgs(count)(cmd, args)
	}
}

// Completion offers words for an argument, each with what it means after a tab.
type Completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// InTurn has a completion for each argument, and none for those after.
func InTurn(each ...Completion) Completion {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= len(each) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return each[len(args)](cmd, args, word)
	}
}

// NoArgs refuses arguments as wrong usage.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return exit.Usage(fmt.Errorf("%q: %s takes no arguments", args[0], cmd.CommandPath()))
}

// AtMostOneArg refuses more arguments as wrong usage.
func AtMostOneArg(cmd *cobra.Command, args []string) error {
	if len(args) <= 1 {
		return nil
	}
	return exit.Usage(fmt.Errorf("%q: %s takes at most one argument", args[1], cmd.CommandPath()))
}
