package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/conformance"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// TestUnusableConformance: what cannot be run is told before anything starts, with exit code 2.
func TestUnusableConformance(t *testing.T) {
	dir := t.TempDir()
	caps := filepath.Join(dir, "caps.yaml")
	if err := os.WriteFile(caps, []byte("apiVersion: simcloud.dev/v1alpha1\nkind: Capabilities\ncapabilities:\n- nodes\n- rutes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	few := filepath.Join(dir, "few.yaml")
	if err := os.WriteFile(few, []byte("apiVersion: simcloud.dev/v1alpha1\nkind: Capabilities\ncapabilities: [udp]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	image := filepath.Join(dir, "image.tar")
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"--capabilities", caps}, caps + `:5:3: there is no capability "rutes" ("routes"?)`},
		{[]string{"--capabilities", filepath.Join(dir, "none")}, "no such file"},
		{[]string{"--areas", "node,routes"}, `--areas: "routes" is not one of: node, lifecycle, service, route, process`},
		{[]string{"--shorten", "-1"}, "invalid --shorten -1"},
		{[]string{"--confirm", "-1"}, "invalid --confirm -1: must be 0 or more"},
		{[]string{"--parallel", "0"}, "invalid --parallel 0: must be between 1 and"},
		{[]string{"--retries", "9"}, "invalid --retries 9: must be between 0 and 5"},
		{[]string{"--shard", "4/3"}, `invalid --shard "4/3": must be i/n, from 1/n to n/n`},
		{[]string{"-l", "("}, "--selector"},
		{[]string{"-l", "tier=core"}, `--selector "tier=core" matches none of`},
		{[]string{"--capabilities", few}, "no clause applies"},
		{[]string{"--pause-on-failure", "--parallel", "2"}, "--pause-on-failure goes with --parallel 1"},
		{[]string{"--ccm", "none", "--summary", dir}, `--summary "` + dir + `" is not a file that can be written`},
		{[]string{"--ccm", "A={unknown} /bin/true"}, "{unknown}"},
		{[]string{"lifecycle"}, `has no command "lifecycle"`},
		{[]string{"--ccm-manifests", dir}, "--ccm-manifests goes with --backend kind alone"},
		{[]string{"--backend", "kind", "--ccm-image", image}, "--ccm-image goes with --ccm-manifests"},
		{[]string{"--backend", "kind", "--ccm-manifests", dir, "--ccm", "none"}, "want one"},
		{[]string{"--backend", "kind", "--ccm-manifests", dir, "--ccm-mode", "daemonset"}, "--ccm-mode is for simcloud-ccm"},
		{[]string{"--backend", "kind", "--ccm-manifests", dir, "--ccm-image", image}, "--ccm-image: open " + image},
		{[]string{"--ccm", "none", "--report", filepath.Join(few, "x")}, "is not a folder"},
	} {
		code, out, errs := simcloudMain(append([]string{"conformance"}, test.args...)...)
		if code != exit.CodeUsage || !strings.Contains(errs, test.says) || out != "" {
			t.Errorf("%v: code %d, %q, %q; want 2 and %q", test.args, code, out, errs, test.says)
		}
	}
}

// TestCapabilities: what is printed as YAML can be declared, and there is nothing else to declare.
func TestCapabilities(t *testing.T) {
	code, out, errs := simcloudMain("conformance", "capabilities", "-o", "yaml")
	declared, err := syntax.ParseCapabilities("out", []byte(out))
	if code != exit.CodeOK || err != nil || len(declared) != len(scenarios.Capabilities()) {
		t.Errorf("code %d, %v, %d capabilities: %s%s", code, err, len(declared), out, errs)
	}
	if code, out, _ = simcloudMain("conformance", "capabilities", "-o", "name"); code != exit.CodeOK || !strings.HasPrefix(out, "nodes\n") {
		t.Errorf("as names: code %d, %s", code, out)
	}
	if code, out, _ = simcloudMain("conformance", "capabilities", "-o", "json"); code != exit.CodeOK || !strings.Contains(out, `"doc": "initialises Nodes`) {
		t.Errorf("as JSON: code %d, %s", code, out)
	}
}

// TestNoneIsBrief: without a CCM nothing is waited for that does not come.
func TestNoneIsBrief(t *testing.T) {
	all := conformance.Conformer{Shorten: 4, Confirm: 3}
	none := conformanceOptions{}.hurried(all, manager.CCMSpec{Name: "none"})
	some := conformanceOptions{}.hurried(all, manager.CCMSpec{Path: "/ccm"})
	if !none.Brief || none.Patience == 0 || none.Shorten+none.Confirm != 0 || some.Brief || some.Patience != 0 || some.Shorten != 4 || some.Confirm != 3 {
		t.Errorf("none is %+v, and some is %+v", none, some)
	}
	first := testOptions{failFast: true}
	if (conformanceOptions{testOptions: first}).hurried(all, manager.CCMSpec{Name: "none"}).Brief {
		t.Error("a run that fails fast runs the clauses in turns")
	}
}

// TestRunFlags: test and conformance take the same flags for a run, but those that would make other scenarios
// of those of the clauses, and those about clauses; explore has what is about clusters.
func TestRunFlags(t *testing.T) {
	t.Parallel()
	usages := func(cmd *cobra.Command) map[string]string {
		all := map[string]string{}
		cmd.Flags().VisitAll(func(f *pflag.Flag) { all[f.Name] = f.Shorthand + " " + f.DefValue + " " + f.Usage })
		return all
	}
	test, clauses, explore := usages(newTestCommand(output.Streams{})), usages(newConformanceCommand(output.Streams{})), usages(newExploreCommand(output.Streams{}))
	for _, name := range []string{
		"selector", "shard", "capabilities", "known-failures", "report", "summary", "retries", "timeout", "pause-on-failure", "fail-fast", "strict", "verbose",
		"ccm", "parallel", "seed", "keep", "profile", "backend", "kube",
	} {
		if test[name] == "" || clauses[name] == "" {
			t.Errorf("--%s is %q of test and %q of conformance", name, test[name], clauses[name])
		}
		if name != "report" && test[name] != clauses[name] {
			t.Errorf("--%s is %q of test and %q of conformance", name, test[name], clauses[name])
		}
	}
	var differ []string
	for name := range test {
		if clauses[name] == "" {
			differ = append(differ, name)
		}
	}
	for name := range clauses {
		if test[name] == "" {
			differ = append(differ, name)
		}
	}
	slices.Sort(differ)
	if diff := cmp.Diff([]string{"areas", "confirm", "repeat", "set", "shorten"}, differ); diff != "" {
		t.Errorf("flags of one alone (-want +got):\n%s", diff)
	}
	for _, name := range []string{"ccm", "parallel", "seed", "keep", "profile", "backend"} {
		if explore[name] == "" {
			t.Errorf("explore has no --%s", name)
		}
	}
}

// chosenOf are the scenarios of clauses that conformance runs with these flags.
func chosenOf(t *testing.T, o conformanceOptions) ([]string, error) {
	t.Helper()
	all, err := scenariorun.Library()
	if err != nil {
		t.Fatal(err)
	}
	if o.declared == nil {
		o.declared = scenarios.AllCapabilities()
	}
	c, err := o.conformer(all)
	if err != nil {
		return nil, err
	}
	return scenarioNames(c.Select(c.Applicable(all))), nil
}

// TestConformanceSelects: -l and --shard choose among the scenarios of clauses, and all parts together are all of them.
func TestConformanceSelects(t *testing.T) {
	t.Parallel()
	whole, err := chosenOf(t, conformanceOptions{})
	if err != nil || len(whole) < 60 {
		t.Fatalf("%d scenarios, %v", len(whole), err)
	}
	var together []string
	for _, shard := range []string{"1/3", "2/3", "3/3"} {
		part, err := chosenOf(t, conformanceOptions{testOptions: testOptions{shard: shard}})
		if err != nil || len(part) < len(whole)/3 || len(part) > len(whole)/3+1 {
			t.Errorf("%s: %d scenarios of %d, %v", shard, len(part), len(whole), err)
		}
		together = append(together, part...)
	}
	slices.Sort(together)
	slices.Sort(whole)
	if diff := cmp.Diff(whole, together); diff != "" {
		t.Errorf("all parts together (-want +got):\n%s", diff)
	}
	if got, err := chosenOf(t, conformanceOptions{testOptions: testOptions{selector: "clause=N03"}}); err != nil || !slices.Equal(got, []string{"n03-late-vm"}) {
		t.Errorf("of N03: %v, %v", got, err)
	}
	for says, o := range map[string]conformanceOptions{
		`--selector "clause=N03": none of `:     {testOptions: testOptions{selector: "clause=N03"}, areas: []string{"route"}},
		"--capabilities and --areas leave none": {testOptions: testOptions{declared: scenarios.CapabilitySet{"udp": true}}},
	} {
		var ended *exit.Error
		if got, err := chosenOf(t, o); !errors.As(err, &ended) || ended.Code != exit.CodeUsage || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, %v, want an error that says %q", got, err, says)
		}
	}
}

// TestClausesVerdict: a part of the clauses of which none failed is no mistake, even when none of it was judged whole.
func TestClausesVerdict(t *testing.T) {
	t.Parallel()
	results := func(all ...scenarios.Status) (r scenarios.Report) {
		for _, status := range all {
			r.Scenarios = append(r.Scenarios, scenarios.Result{Status: status})
		}
		return r
	}
	part := conformance.Verdict{Score: conformance.Score{NotRun: 2}}
	for _, r := range []scenarios.Report{results(scenarios.Passed), results(scenarios.Passed, scenarios.Skipped), results()} {
		if err := (conformanceOptions{}).verdict(t.Context(), part, r, nil); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
	var ended *exit.Error
	if err := (conformanceOptions{}).verdict(t.Context(), part, results(scenarios.Skipped), nil); !errors.As(err, &ended) || ended.Code != exit.CodeUsage {
		t.Errorf("all are skipped: %v", err)
	}
}

// TestConformanceSummary: the file of --summary gets the score of each area, and the report.
func TestConformanceSummary(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "summary.md")
	o := conformanceOptions{testOptions: testOptions{summary: file}}
	found := conformance.Verdict{Subject: "mine", Areas: []conformance.AreaVerdict{{Title: "Routes", Score: conformance.Score{Passed: 3, Applicable: 4, NotRun: 2}}}}
	if err := o.write(found, scenarios.Report{}); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(file)
	for _, part := range []string{"# Conformance of mine\n", "| Routes | 3 | 0 | 4 | 0 | 0 | 0 | 2 |\n", "simcloud: nothing ran"} {
		if err != nil || !strings.Contains(string(raw), part) {
			t.Errorf("%v: the summary lacks %q:\n%s", err, part, raw)
		}
	}
}
