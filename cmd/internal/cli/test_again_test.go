package cli

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/scenarios"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
)

// TestAgainFlags: the command of a report that runs one scenario again has what matters, and nothing else.
func TestAgainFlags(t *testing.T) {
	t.Setenv("SIMCLOUD_CCM", "")
	t.Setenv("SIMCLOUD_NODE_IMAGE", "mine:1")
	t.Setenv("SIMCLOUD_PARALLEL", "1")
	cmd := newTestCommand(output.Streams{})
	args := []string{"-l", "tier=core", "--ccm", "./my-ccm --x={kubeconfig}", "--set", "a=1", "--set", "b=2,3", "--report", "out", "--seed", "7", "--keep", "--summary", "s.md"}
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	if err := usage.SetFlagsFromEnv(cmd); err != nil {
		t.Fatal(err)
	}
	want := []string{"--ccm", "./my-ccm --x={kubeconfig}", "--node-image", "mine:1", "--set", "a=1", "--set", "b=2,3"}
	if diff := cmp.Diff(want, againFlags(cmd)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	t.Setenv("SIMCLOUD_CCM", "./other {flags}")
	if got := againFlags(cmd); !slices.Equal(got, want) {
		t.Errorf("a variable came before the flag: %q", got)
	}
	if diff := cmp.Diff([]string{"--ccm", "./other {flags}"}, againFlags(newTestCommand(output.Streams{}))); diff != "" {
		t.Errorf("the variable alone (-want +got):\n%s", diff)
	}
	others := []*cobra.Command{newConformanceCommand(output.Streams{}), newExploreCommand(output.Streams{}), cmd}
	for _, name := range flagsOfARun() {
		if !slices.ContainsFunc(others, func(c *cobra.Command) bool { return c.Flags().Lookup(name) != nil }) {
			t.Errorf("there is no flag %s", name)
		}
	}
}

// TestSummaryThatCannotBeWritten is told before anything starts.
func TestSummaryThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, _, errs := simcloudMain("test", "--ccm", "none", "--summary", dir)
	if code != exit.CodeUsage || !strings.Contains(errs, `--summary "`+dir+`" is not a file that can be written`) {
		t.Errorf("code %d, %q", code, errs)
	}
	file := filepath.Join(dir, "summary.md")
	if err := os.WriteFile(file, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := prepareSummary(file); err != nil {
		t.Error(err)
	}
	if raw, err := os.ReadFile(file); err != nil || string(raw) != "before\n" {
		t.Errorf("%v: %q", err, raw)
	}
}

// TestAgainCommands: the command that a report has for a scenario selects it, and no other.
func TestAgainCommands(t *testing.T) {
	t.Setenv("SIMCLOUD_CCM", "")
	dir := t.TempDir()
	file := filepath.Join(dir, "odd name.yaml")
	text := `
apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata: {name: lb}
spec:
  description: d
  parameters: {count: {default: 1}}
  matrix: {how: [kill, pause], a_1: [5s, A.b_c, "2"]}
  nodes: ${count}
  steps:
  - {ccm: "${how}", because: "${a_1}"}
---
apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata: {name: other}
spec: {description: d, steps: [{ccm: start}]}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		set, paths []string
		selector   string
		want       int
	}{
		{nil, []string{file}, "", 7},
		{[]string{"count=3", "how=stop"}, []string{file}, "", 4},
		{nil, nil, "name=p04-failover", 2}, // of the library
	} {
		o := testOptions{parallel: 1, repeat: 1, set: test.set, selector: test.selector}
		all, err := selectScenarios(t.Context(), o, test.paths)
		if err != nil || len(all) != test.want {
			t.Fatalf("%d scenarios, %v", len(all), err)
		}
		checkAgain(t, o, all)
	}
}

// checkAgain runs the commands of a report of these scenarios, as far as what they select.
func checkAgain(t *testing.T, o testOptions, all []*scenarios.Scenario) {
	t.Helper()
	report := scenarios.Report{Seed: 7}
	for _, pair := range o.set {
		report.Flags = append(report.Flags, "--set", pair)
	}
	for _, s := range all {
		report.Scenarios = append(report.Scenarios, scenarios.Result{
			Name: s.Name, File: s.Position.File, Parameters: s.Parameters, Status: scenarios.Failed,
		})
	}
	raw, err := reports.JUnit(report)
	if err != nil {
		t.Fatal(err)
	}
	var suites struct {
		Cases []struct {
			Out string `xml:"system-out"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(raw, &suites); err != nil {
		t.Fatal(err)
	}
	for i, c := range suites.Cases {
		_, line, _ := strings.Cut(strings.TrimSpace(c.Out), "again: ")
		if got := selectedBy(t, line); !slices.Equal(got, []string{all[i].Name}) {
			t.Errorf("%s selects %v, want %s", line, got, all[i].Name)
		}
	}
}

// selectedBy are the scenarios that "simcloud test", as a shell understands it, would run.
func selectedBy(t *testing.T, line string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", "-c", `simcloud() { printf '%s\n' "$@"; }; `+line).Output()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	words := strings.Split(strings.TrimSpace(string(out)), "\n")
	var o testOptions
	flags := newTestCommand(output.Streams{}).Flags()
	if err := flags.Parse(words[1:]); words[0] != "test" || err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	o.selector, _ = flags.GetString("selector") // these flags there are
	o.set, _ = flags.GetStringArray("set")
	o.parallel, o.repeat = 1, 1
	found, err := selectScenarios(t.Context(), o, flags.Args())
	if err != nil {
		t.Errorf("%s: %v", line, err)
	}
	return scenarioNames(found)
}
