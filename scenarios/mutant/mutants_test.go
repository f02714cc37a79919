package mutant

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// The labels of the corpus' scenarios.
const (
	labelTier  = "tier"
	labelBug   = "bug"
	tierMuseum = "museum"
)

// TestMutants holds the tables and the regression corpus against each other, and both against their rules.
func TestMutants(t *testing.T) {
	t.Parallel()
	named := library(t)
	t.Run("mutants", func(t *testing.T) { checkMutants(t, named) })
	t.Run("corpusScenarios", func(t *testing.T) { checkScenarios(t, named) })
}

func checkMutants(t *testing.T, named map[string]*scenarios.Scenario) {
	t.Helper()
	seen := map[string]bool{}
	for _, mutant := range All() {
		if seen[mutant.Name] {
			t.Errorf("%s is there twice", mutant.Name)
		}
		seen[mutant.Name] = true
		if mutant.Title == "" || mutant.Reason == "" || !mutant.differs() {
			t.Errorf("%s: Title, Reason and a difference from simcloud-ccm are needed", mutant.Name)
		}
		for _, name := range append([]string{mutant.KilledBy}, mutant.AlsoKilledBy...) {
			if named[name] == nil {
				t.Errorf("%s: there is no scenario %q", mutant.Name, name)
			}
		}
		if mutant.Row != "" {
			checkScenario(t, mutant, named[mutant.KilledBy])
		}
	}
}

// differs reports whether the mutant changes something.
func (m Mutant) differs() bool {
	return m.config != nil || m.client != nil || m.api != nil || m.instances != nil || m.instancesV1 != nil ||
		m.balancers != nil || m.routes != nil || m.informers != nil || m.access != nil
}

// checkScenario holds a mutant of the corpus against its scenario.
func checkScenario(t *testing.T, mutant Mutant, s *scenarios.Scenario) {
	t.Helper()
	if s == nil {
		return
	}
	if len(mutant.Issues) == 0 || mutant.Fault == "" || mutant.Expected == "" {
		t.Errorf("%s: one of the corpus needs Issues, Fault and Expected", mutant.Name)
	}
	if _, err := strconv.Atoi(strings.TrimRight(mutant.Row, rowLetters)); err != nil {
		t.Errorf("%s: the row %q is no number with or without a letter", mutant.Name, mutant.Row)
	}
	if s.Labels[labelTier] != tierMuseum || s.Labels[labelBug] != mutant.Row {
		t.Errorf("%s: the labels of %s are %v: want tier %s and bug %q", mutant.Name, s.Name, s.Labels, tierMuseum, mutant.Row)
	}
	told := slices.ContainsFunc(mutant.Issues, func(issue string) bool { return strings.Contains(s.Description, issue) })
	if !told {
		t.Errorf("%s: the description of %s tells of none of %v", mutant.Name, s.Name, mutant.Issues)
	}
}

// checkScenarios: each scenario of the corpus is proven by a mutant, and is in a file of its name.
func checkScenarios(t *testing.T, named map[string]*scenarios.Scenario) {
	t.Helper()
	for name, s := range named {
		if s.Labels[labelTier] != tierMuseum {
			continue
		}
		if !slices.ContainsFunc(All(), func(b Mutant) bool { return b.KilledBy == name }) {
			t.Errorf("%s: no mutant proves it", s.Position)
		}
		if want := filepath.Join("library", tierMuseum, name+".yaml"); s.Position.File != want {
			t.Errorf("%s: the scenario %s is in another file than %s", s.Position, name, want)
		}
	}
}

// TestNoMutantShips: what is installed does not have this package.
func TestNoMutantShips(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "../../cmd/...").CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("simcloud/scenarios\n")) {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	if bytes.Contains(out, []byte("scenarios/mutant")) {
		t.Error("a command that ships depends on scenarios/mutant")
	}
}

// TestCommand: the command lists the mutants, and refuses to run without one that exists.
func TestCommand(t *testing.T) {
	tests := []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--list"}, 0, "node-deleted-on-401"},
		{[]string{}, 1, "no mutant is named: set --bug"},
		{[]string{"--bug", "nothing-like-it"}, 1, `there is no bug "nothing-like-it"; there are none, `},
		{[]string{"--bug-file", filepath.Join(t.TempDir(), "gone")}, 1, "--bug-file: open"},
	}
	for _, test := range tests {
		var out bytes.Buffer
		if code := Run(test.args, &out, &out); code != test.code || !strings.Contains(out.String(), test.says) {
			t.Errorf("%v: exit code %d, want %d and %q:\n%s", test.args, code, test.code, test.says, &out)
		}
	}
	if _, err := Find("nothing-like-it"); !errors.Is(err, simcloud.Invalid) {
		t.Errorf("Find: %v, want Invalid", err)
	}
}

// TestOpen: the provider of each mutant has all parts, also where it changes none of them.
func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	configFile := filepath.Join(dir, "cloud.yaml")
	for name, text := range map[string]string{"token": "secret", "cloud.yaml": "endpoint: http://127.0.0.1:1\ntokenFile: token\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, mutant := range append(All(), Right()...) {
		provider, err := Open(mutant, configFile, nil)
		if err != nil {
			t.Errorf("%s: %v", mutant.Name, err)
			continue
		}
		old, hasOld := provider.Instances()
		vms, hasVMs := provider.InstancesV2()
		lbs, hasLBs := provider.LoadBalancer()
		routes, hasRoutes := provider.Routes()
		if hasOld == hasVMs || !hasLBs || !hasRoutes || old == nil || vms == nil || lbs == nil || routes == nil {
			t.Errorf("%s has not all parts: instances %v and %v, load balancers %v, routes %v", mutant.Name, hasOld, hasVMs, hasLBs, hasRoutes)
		}
	}
}
