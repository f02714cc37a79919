package cli

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"
)

// completeYAML completes arguments that are files or folders of YAML.
func completeYAML(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeLabels completes --selector of a run: the labels that the scenarios have, and their names.
func completeLabels(cmd *cobra.Command, paths []string, _ string) ([]string, cobra.ShellCompDirective) {
	all, err := loadScenarios(cmd.Context(), nil, paths)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	found := map[string]bool{}
	for _, scenario := range all {
		for key, value := range labelsOf(scenario) {
			found[key+"="+value] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
