package cli

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/scenarios"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
)

func newScenarioShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show NAME...", Short: "Print the files of scenarios that simcloud includes, as a start for your own",
		Args: cobra.MinimumNArgs(1), ValidArgsFunction: completeScenarios,
		Example: "  simcloud scenario show lb-provisioning\n  simcloud scenario show lb-provisioning > my-lb.yaml",
		RunE: func(cmd *cobra.Command, names []string) error {
			files, err := filesOfScenarios(names)
			if err != nil {
				return err
			}
			for i, file := range files {
				raw, err := fs.ReadFile(scenarios.Library, file)
				if err != nil {
					return fmt.Errorf("read %s, which simcloud includes: %w", file, err)
				}
				if raw = scenarios.WithoutModeline(raw); i > 0 {
					raw = append([]byte("---\n"), raw...)
				}
				if _, err := cmd.OutOrStdout().Write(raw); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// filesOfScenarios are the files of the library that have the scenarios, each once.
func filesOfScenarios(names []string) (files []string, err error) {
	all, err := scenariorun.Library()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		at := slices.IndexFunc(all, func(s *scenarios.Scenario) bool { return s.Name == name || s.Base == name })
		if at < 0 {
			return nil, exit.Usage(fmt.Errorf(`simcloud includes no scenario %q: "simcloud scenario list" has their names`, name))
		}
		if file := all[at].Position.File; !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return files, nil
}

func completeScenarios(_ *cobra.Command, _ []string, _ string) (names []string, directive cobra.ShellCompDirective) {
	all, err := scenariorun.Library()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	for _, s := range all {
		if !slices.Contains(names, s.Base) {
			names = append(names, s.Base)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
