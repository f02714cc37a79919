package cloud

import "github.com/spf13/cobra"

// CompleteProgression completes flags that take a progression.
func CompleteProgression(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"immediate", "time=5s", "time=5s,jitter=1s", "polls=3"}, cobra.ShellCompDirectiveNoFileComp
}
