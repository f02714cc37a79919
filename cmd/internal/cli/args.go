package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// showHelp is what a command that needs a verb does without one.
func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// knownCommand refuses a verb that there is not, and names those that look like it.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	advice := fmt.Sprintf("see \"%s --help\"", cmd.CommandPath())
	if cmd.SuggestionsMinimumDistance == 0 {
		cmd.SuggestionsMinimumDistance = 2
	}
	if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
		advice = "did you mean " + strings.Join(similar, " or ") + "?"
	}
	return usageError(fmt.Errorf("%s has no command %q: %s", cmd.CommandPath(), args[0], advice))
}

// minArgs asks for arguments.
func minArgs(count int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= count {
			return nil
		}
		return usageError(fmt.Errorf("an argument is missing: %s", cmd.UseLine()))
	}
}

// exactArgs asks for a number of arguments.
func exactArgs(count int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > count {
			return usageError(fmt.Errorf("%q is an argument too many: %s", args[count], cmd.UseLine()))
		}
		return minArgs(count)(cmd, args)
	}
}

// completion offers words for an argument, each with what it means after a tab.
type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// inTurn has a completion for each argument, and none for those after.
func inTurn(each ...completion) completion {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= len(each) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return each[len(args)](cmd, args, word)
	}
}

// noArgs refuses arguments as wrong usage.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError(fmt.Errorf("%q: %s takes no arguments", args[0], cmd.CommandPath()))
}

// atMostOneArg refuses more arguments as wrong usage.
func atMostOneArg(cmd *cobra.Command, args []string) error {
	if len(args) <= 1 {
		return nil
	}
	return usageError(fmt.Errorf("%q: %s takes at most one argument", args[1], cmd.CommandPath()))
}
