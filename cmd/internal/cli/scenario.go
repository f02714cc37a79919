package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/scenarios"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
)

// scenarioState is a scenario as the commands show it.
type scenarioState struct {
	Name        string            `json:"name"`
	Labels      map[string]string `json:"labels"`
	File        string            `json:"file"`
	Line        int               `json:"line"`
	Steps       int               `json:"steps"`
	Nodes       int               `json:"nodes"`
	Needs       []string          `json:"capabilities,omitempty"`
	Parameters  map[string]string `json:"parameters,omitempty"`
	Description string            `json:"description"`
}

func scenarioStateOf(s *scenarios.Scenario) scenarioState {
	return scenarioState{
		Name: s.Name, Labels: s.Labels, File: s.Position.File, Line: s.Position.Line, Steps: len(s.Steps), Nodes: s.Nodes,
		Needs: s.Capabilities, Parameters: s.Parameters, Description: strings.Join(strings.Fields(s.Description), " "),
	}
}

var scenarioTable = output.Table[scenarioState]{
	output.Col("NAME", func(s scenarioState) string { return s.Name }),
	output.Col("TIER", func(s scenarioState) string { return s.Labels["tier"] }),
	output.Col("AREA", func(s scenarioState) string { return s.Labels["area"] }),
	output.Col("CLAUSE", func(s scenarioState) string { return s.Labels["clause"] }),
	output.WideCol("STEPS", func(s scenarioState) string { return fmt.Sprint(s.Steps) }),
	output.WideCol("CAPABILITIES", func(s scenarioState) string { return strings.Join(s.Needs, ",") }),
	output.WideCol("FILE", func(s scenarioState) string { return fmt.Sprintf("%s:%d", s.File, s.Line) }),
	output.Col("DESCRIPTION", func(s scenarioState) string { return firstSentence(s.Description) }),
}

// firstSentence is what a row has room for.
func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, ". ")
	return strings.TrimSuffix(first, ".")
}

func newScenarioCommand() *cobra.Command {
	var out output.Format
	cmd := &cobra.Command{
		Use: "scenario", Aliases: []string{"scenarios"}, Short: "Manage scenarios: list, show and explain them, and create new ones",
		Long: `Manage scenarios: list, show and explain them, and create new ones.

Without files these are the scenarios that simcloud includes. "simcloud test" runs
them, "simcloud lint" checks files. scenarios/README.md describes the language.`,
		Args: usage.KnownCommand, RunE: usage.ShowHelp,
		Example: "  simcloud scenario list -l tier=core\n  simcloud scenario show lb-provisioning",
	}
	out.AddFlag(cmd)
	cmd.AddCommand(newScenarioListCommand(&out), newScenarioShowCommand(), newScenarioNewCommand(), newScenarioExplainCommand(&out))
	return cmd
}

func newScenarioListCommand(format *output.Format) *cobra.Command {
	var selector string
	cmd := &cobra.Command{
		Use: "list [PATH...]", Aliases: []string{"ls"}, Short: "List scenarios: those of files and folders, or those that simcloud includes",
		Example: "  simcloud scenario list\n  simcloud scenario list -l tier=conformance,area=route -o wide\n  simcloud scenario list my-scenarios/ -o name",
		RunE: func(cmd *cobra.Command, paths []string) error {
			all, err := scenariosWith(cmd.Context(), selector, paths)
			if err != nil {
				return err
			}
			var states []scenarioState
			for _, s := range all {
				states = append(states, scenarioStateOf(s))
			}
			return scenarioTable.List(cmd.OutOrStdout(), *format, states)
		},
	}
	cmd.Flags().StringVarP(&selector, "selector", "l", "", "only scenarios with these labels, such as tier=core,area!=route; their names are the label name")
	return cmd
}

// scenariosWith are the scenarios of the paths, or of the library without any, that a selector chooses.
func scenariosWith(ctx context.Context, selector string, paths []string) ([]*scenarios.Scenario, error) {
	chosen, err := labels.Parse(selector)
	if err != nil {
		return nil, exit.Usage(fmt.Errorf("--selector: %w", err))
	}
	all, err := scenariorun.LoadWith(ctx, nil, paths...)
	if err != nil {
		return nil, unread(ctx, err)
	}
	return selection{text: selector, labels: chosen}.labelled(all)
}
