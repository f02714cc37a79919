package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/explore"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// TestExploreUnusable: what cannot be explored is told before anything starts, with exit code 2.
func TestExploreUnusable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	able := filepath.Join(t.TempDir(), "caps.yaml")
	if err := os.WriteFile(able, syntax.CapabilitiesFile(scenarios.CapabilitySet{"nodes": true}), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SIMCLOUD_CCM", "/bin/true")
	tests := []struct {
		args []string
		says string
	}{
		{[]string{"--ccm", "none"}, "--ccm none"},
		{[]string{"--ccm", "/no/such/ccm"}, "--ccm"},
		{[]string{"--areas", "node,disk"}, `--areas: "disk" is no area: want some of node, lifecycle, service, route`},
		{[]string{"--areas", "node,route", "--capabilities", able}, `--areas: "route" needs the capability routes, which the CCM does not declare`},
		{[]string{"--time", "0s"}, "invalid --time 0s: must be positive"},
		{[]string{"--history", "-1"}, "invalid --history -1: must be the number of a history, from 1"},
		{[]string{"--history", "0"}, "invalid --history 0"},
		{[]string{"--reruns", "-1"}, "invalid --reruns -1"},
		{[]string{"--parallel", "0"}, "invalid --parallel 0: must be between 1 and"},
		{[]string{"--out", filepath.Join(file, "x")}, `--out "` + filepath.Join(file, "x") + `" is not a folder`},
		{[]string{"--corpus", filepath.Join(file, "x")}, `--corpus "` + filepath.Join(file, "x") + `" is not a folder`},
		{[]string{"--corpus", t.TempDir(), "--history", "3"}, "--history goes without --corpus"},
		{[]string{"scenario.yaml"}, "scenario.yaml"},
		{[]string{"--backend", "kind", "--ccm-manifests", filepath.Dir(file), "--ccm", "/bin/true"}, "--ccm and --ccm-manifests are two"},
		{[]string{"--backend", "kind", "--ccm-image", file}, "--ccm-image goes with --ccm-manifests"},
	}
	for _, test := range tests {
		code, out, errs := simcloudMain(append([]string{"explore"}, test.args...)...)
		if code != exit.CodeUsage || !strings.Contains(errs, test.says) || out != "" {
			t.Errorf("%v: code %d, %q, %q; want 2 and %q", test.args, code, out, errs, test.says)
		}
	}
}

// TestExploreVerdict: what was found is written, and the command that shows it again runs what was explored.
func TestExploreVerdict(t *testing.T) {
	var o exploreOptions
	o.out = t.TempDir()
	o.test.seed, o.test.again = 7, []string{"--ccm", "./ccm {flags}", "--backend", backendKind}
	var out strings.Builder
	report := explore.Report{Violation: &explore.Violation{Name: "explored-7-1", Text: []byte("x")}}
	err := o.verdict(t.Context(), output.Streams{Out: &out}, report, nil)
	var ended *exit.Error
	if !errors.As(err, &ended) || ended.Code != exit.CodeFailed {
		t.Errorf("%v, want exit code %d", err, exit.CodeFailed)
	}
	path := filepath.Join(o.out, "explored-7-1.yaml")
	if text, err := os.ReadFile(path); err != nil || string(text) != "# yaml-language-server: $schema=scenario.schema.json\nx" {
		t.Errorf("%q, %v", text, err)
	}
	if schema, err := os.ReadFile(filepath.Join(o.out, "scenario.schema.json")); err != nil || !bytes.Equal(schema, scenarios.SchemaJSON()) {
		t.Errorf("the schema for editors: %.80q, %v", schema, err)
	}
	if want := "simcloud test " + path + " --seed 7 --ccm './ccm {flags}' --backend kind\n"; !strings.Contains(out.String(), want) {
		t.Errorf("%s\nlacks %s", out.String(), want)
	}
}

// TestExploreCountsHistories: one history has the singular.
func TestExploreCountsHistories(t *testing.T) {
	for n, want := range map[int]string{0: "\n0 histories in ", 1: "\n1 history in ", 2: "\n2 histories in "} {
		var out strings.Builder
		if err := (exploreOptions{}).verdict(t.Context(), output.Streams{Out: &out}, explore.Report{Histories: n}, nil); err != nil || !strings.HasPrefix(out.String(), want) {
			t.Errorf("%d: %q, %v; want %q", n, out.String(), err, want)
		}
	}
}

// TestExploreDoubts: what is not to be relied on is reported with its history, and is no failure.
func TestExploreDoubts(t *testing.T) {
	var o exploreOptions
	o.out, o.test.seed = t.TempDir(), 7
	report := explore.Report{
		Unstable: []*explore.Violation{
			{Name: "a", History: 3, Reruns: 3}, {Name: "b", History: 4, Interrupted: true},
		},
		Unconfirmed: []*explore.Violation{{Name: "c", History: 5, Confirmation: explore.SimulatedOnly}},
	}
	var out strings.Builder
	if err := o.verdict(t.Context(), output.Streams{Out: &out}, report, nil); err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"history 3 of seed 7: a race, which 3 reruns did not show: " + filepath.Join(o.out, "a.yaml"),
		"history 4 of seed 7: seen once, and not run again: ",
		"history 5 of seed 7: happens in simulated time only: ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s\nlacks %s", out.String(), want)
		}
	}
}

// TestExploreSumsUp: with a corpus it is told what it has got, what is known was seen, and where the history is from.
func TestExploreSumsUp(t *testing.T) {
	var o exploreOptions
	o.out, o.corpus, o.test.seed = t.TempDir(), "kept", 7
	report := explore.Report{
		Histories: 9, Features: 120, Kept: 4, Known: map[string]int{"violation-b.yaml": 1, "violation-a.yaml": 3},
		Violation: &explore.Violation{Name: "explored-7-9", History: 9, Bred: true, Confirmation: explore.Confirmed},
	}
	var out strings.Builder
	if err := o.verdict(t.Context(), output.Streams{Out: &out}, report, nil); err == nil {
		t.Error("a violation is no failure")
	}
	at := 0
	for _, want := range []string{
		"\n9 histories in ", "120 features seen; the corpus kept has 4 more\n",
		"known: violation-a.yaml was seen again, 3 times\n", "known: violation-b.yaml was seen again, once\n",
		"history 9, made of the corpus, showed it after 0s; ", "; confirmed outside of simulated time\n",
	} {
		next := strings.Index(out.String()[at:], want)
		if next < 0 {
			t.Fatalf("%s\nlacks %q", out.String()[at:], want)
		}
		at += next
	}
}

// TestExploreFlagsDocumented: docs/exploring.md has a row for each flag of explore that is about histories. It names no flag that explore lacks.
func TestExploreFlagsDocumented(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "exploring.md"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := newExploreCommand(output.Streams{})
	rows := regexp.MustCompile("(?m)^\\| `--([a-z-]+)`").FindAllStringSubmatch(string(raw), -1)
	var named []string
	for _, row := range rows {
		named = append(named, row[1])
	}
	for _, name := range []string{"seed", "history", "time", "areas", "capabilities", "reruns", "parallel", "out", "corpus", "backend", "fallback"} {
		if !slices.Contains(named, name) {
			t.Errorf("docs/exploring.md has no row for --%s", name)
		}
	}
	for _, found := range regexp.MustCompile("[ `]--([a-z-]+)").FindAllStringSubmatch(string(raw), -1) {
		if name := found[1]; cmd.Flags().Lookup(name) == nil && !slices.Contains([]string{"kubeconfig", "secure-port", "leader-elect"}, name) {
			t.Errorf("explore has no flag --%s", name)
		}
	}
}
