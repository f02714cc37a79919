package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
			all, err := scenariosWith(selector, paths)
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
func scenariosWith(selector string, paths []string) ([]*scenarios.Scenario, error) {
	chosen, err := labels.Parse(selector)
	if err != nil {
		return nil, exit.Usage(fmt.Errorf("--selector: %w", err))
	}
	all, err := scenariorun.LoadWith(nil, paths...)
	if err != nil {
		return nil, exit.Usage(err)
	}
	return selection{text: selector, labels: chosen}.labelled(all)
}

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
				if i > 0 {
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
	all, err := scenariorun.LoadWith(nil)
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
	all, err := scenariorun.LoadWith(nil)
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

func newScenarioNewCommand() *cobra.Command {
	return &cobra.Command{
		Use: "new FILE", Short: "Create a file with a scenario to begin with, named after it",
		Long: `Create a file with a scenario to begin with, named after it. It passes as it
is: change its steps to what you want to know of your cloud controller manager.

Editors with a YAML language server complete and check it by the schema that its
first line names, which is written beside it.`,
		Args:    usage.ExactArgs(1),
		Example: "  simcloud scenario new my-scenarios/lb-two-ports.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeNewScenario(output.Printer(cmd.OutOrStdout()), args[0])
		},
	}
}

// schemaFile is beside a new scenario, for editors.
const schemaFile = "scenario.schema.json"

func writeNewScenario(say func(string), path string) error {
	name, isYAML := strings.CutSuffix(filepath.Base(path), ".yaml")
	if !isYAML || name == "" {
		return exit.Usage(fmt.Errorf("FILE is %q: want a path that ends with .yaml, such as my-scenarios/lb-two-ports.yaml", path))
	}
	text := fmt.Sprintf(newScenario, schemaFile, name)
	if _, err := scenariorun.Parse(path, []byte(text)); err != nil {
		return exit.Usage(fmt.Errorf("FILE is %q: %w", path, err))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := writeNew(path, text); err != nil {
		return err
	}
	schema := filepath.Join(filepath.Dir(path), schemaFile)
	if err := os.WriteFile(schema, scenarios.SchemaJSON(), 0o644); err != nil { //nolint:gosec // others may read it, as all of a repository
		return err
	}
	say(fmt.Sprintf("wrote %s, and %s for editors; run it with: simcloud test %s", path, schema, path))
	return nil
}

// writeNew writes a file that is not there yet.
func writeNew(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // others may read it, as all of a repository
	if errors.Is(err, fs.ErrExist) {
		return exit.Usage(fmt.Errorf("%s is there already: want a file that is not", path))
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// newScenario is a scenario that passes, with a step of each sort that most need.
const newScenario = `# yaml-language-server: $schema=%s
apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata:
  name: %s
  labels: {area: service}
spec:
  description: A Service of type LoadBalancer gets a load balancer that listens on its ports, and leaves nothing behind.
  nodes: 1
  capabilities: [loadBalancers]
  steps:
  - apply: |
      apiVersion: v1
      kind: Service
      metadata: {name: web, namespace: $NAMESPACE}
      spec: {type: LoadBalancer, selector: {app: web}, ports: [{port: 80}]}
  - because: A CCM must make a load balancer for a Service of type LoadBalancer, and write its address into the status.
    within: 30s
    expect: reachable(services["web"]).size() > 0
  - because: The load balancer must listen on the ports of the Service.
    within: 20s
    expect: services["web"].spec.ports.all(p, loadBalancers[0].listeners.exists(l, l.port == p.port))
  - delete: service/web
  - because: When a Service is deleted, a CCM must remove its load balancer.
    within: 60s
    expect: '!("web" in services) && loadBalancers.size() == 0'
  finally:
  - delete: service/web
`
