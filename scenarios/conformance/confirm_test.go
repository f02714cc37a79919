package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestConformerConfirms: what is left of a failure is run again, and the whole scenario takes its place only when it shows the
// failure more often. How often it did is in the report and in the file.
func TestConformerConfirms(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fails string // each run of the scenario after the first, in their order: F fails, p passes
		want  Reproduction
		says  string
	}{
		"each time":               {"FF", Reproduction{Steps: 3, Runs: 2, Seen: 2}, "two.yaml) shows it in 3 of 4 steps, in 2 of 2 runs:"},
		"the whole one alone":     {"ppFF", Reproduction{Steps: 4, Runs: 2, Seen: 2}, "two.yaml) shows it in 4 of 4 steps, in 2 of 2 runs:"},
		"the whole one more":      {"pFFF", Reproduction{Steps: 4, Runs: 2, Seen: 2}, "in 2 of 2 runs:"},
		"the whole one no more":   {"pFFp", Reproduction{Steps: 3, Runs: 2, Seen: 1}, "two.yaml) shows it in 3 of 4 steps, in 1 of 2 runs:"},
		"never again":             {"pppp", Reproduction{Steps: 3, Runs: 2}, "The failure was seen once. [reproduce/two.yaml](reproduce/two.yaml), with 3 of 4 steps, did not show it again in 2 runs:"},
		"not to be run once more": {"", Reproduction{Steps: 3}, "two.yaml) shows it in 3 of 4 steps:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dir, cluster := t.TempDir(), steptest.NewCluster(t)
				nodes := 0 // that were made: of scenario one, of two, and of what is run again of two
				cluster.When("CreateInstance", func() {
					cluster.UID = ""
					if again := nodes - 2; again >= 0 && test.fails[again] == 'p' {
						cluster.UID = "mine"
					}
					nodes++
				})
				c := Conformer{Capabilities: scenarios.CapabilitySet{"nodes": true}, Areas: []string{"node"}, Confirm: min(2, len(test.fails)), Runner: run.Runner{
					Dir: dir, Known: scenarios.KnownFailures{{Scenario: "two", Issue: "acme/ccm#2", Why: "It waits."}}, Retries: 1,
				}}
				verdict, report := conform(t, c, cluster)
				got := *clauseOf(t, verdict, "N02").Scenarios[0].Reproduction
				want := test.want
				want.File, want.Command, want.Of = got.File, got.Command, 4
				if diff := cmp.Diff(want, got); diff != "" || nodes != 2+len(test.fails) || len(report.Scenarios) != 3 {
					t.Errorf("%d nodes were made, %d scenarios reported, the reproduction (-want +got):\n%s", nodes, len(report.Scenarios), diff)
				}
				if text := Markdown(verdict); !strings.Contains(text, test.says) {
					t.Errorf("the page lacks %q:\n%s", test.says, text)
				}
				checkConfirmed(t, filepath.Join(dir, "reproduce", "two.yaml"), got, Text(verdict))
			})
		})
	}
}

// checkConfirmed wants the file to have the steps that are told, and both texts to say how often it failed.
func checkConfirmed(t *testing.T, path string, r Reproduction, text string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all, err := run.Parse(path, raw)
	if err != nil || len(all[0].Steps) != r.Steps {
		t.Errorf("%v, want %d steps:\n%s", err, r.Steps, raw)
	}
	if told := strings.Contains(string(raw), "\n# It showed the failure "+r.Often()+".\n"); told != (r.Runs > 0) {
		t.Errorf("%+v, and the file:\n%s", r, raw)
	}
	if told := strings.Contains(text, "  shows it "+r.Often()+"\n"); told != (r.Runs > 0) {
		t.Errorf("%+v, and the text:\n%s", r, text)
	}
}

// TestConfirmEnds: a run that did not come to its end tells nothing, and a run that is ended counts no more.
func TestConfirmEnds(t *testing.T) {
	t.Parallel()
	var o often
	for _, status := range []scenarios.Status{scenarios.Broken, scenarios.Interrupted, scenarios.NotRun, scenarios.Skipped} {
		o.add(scenarios.Result{Status: status}, true)
	}
	if o != (often{}) {
		t.Errorf("runs without an end are counted: %+v", o)
	}
	if (often{3, 2}).more(often{2, 2}) || !(often{3, 2}).more(often{4, 2}) || (often{}).more(often{2, 0}) {
		t.Error("the larger part of the runs is not what counts")
	}
}
