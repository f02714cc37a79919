package mutant

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// The labels of the museum's scenarios.
const (
	labelTier  = "tier"
	labelBug   = "bug"
	tierMuseum = "museum"
)

// TestMutants holds the table and the museum against each other, their rules and their files.
func TestMutants(t *testing.T) {
	t.Parallel()
	named := library(t)
	t.Run("bugs", func(t *testing.T) { checkBugs(t, named) })
	t.Run("corpusScenarios", func(t *testing.T) { checkExhibits(t, named) })
}

func checkBugs(t *testing.T, named map[string]*scenarios.Scenario) {
	t.Helper()
	seen := map[string]bool{}
	for _, bug := range All() {
		if seen[bug.Name] {
			t.Errorf("%s is there twice", bug.Name)
		}
		seen[bug.Name] = true
		if _, err := os.Stat("bug_" + strings.ReplaceAll(bug.Name, "-", "_") + ".go"); err != nil {
			t.Errorf("%s: each bug has a file of its name: %v", bug.Name, err)
		}
		if bug.Title == "" || bug.Caught == "" || bug.open == nil {
			t.Errorf("%s: Title, Caught and open are needed", bug.Name)
		}
		for _, name := range append([]string{bug.Scenario}, bug.Also...) {
			if named[name] == nil {
				t.Errorf("%s: there is no scenario %q", bug.Name, name)
			}
		}
		if bug.Row != "" {
			checkExhibit(t, bug, named[bug.Scenario])
		}
	}
}

// checkExhibit holds a bug of the museum against its scenario.
func checkExhibit(t *testing.T, bug Mutant, s *scenarios.Scenario) {
	t.Helper()
	if s == nil {
		return
	}
	if len(bug.Issues) == 0 || bug.Fault == "" || bug.Expected == "" {
		t.Errorf("%s: one of the museum needs Issues, Fault and Expected", bug.Name)
	}
	if s.Labels[labelTier] != tierMuseum || s.Labels[labelBug] != bug.Row {
		t.Errorf("%s: the labels of %s are %v: tier %s and bug %q are right", bug.Name, s.Name, s.Labels, tierMuseum, bug.Row)
	}
	told := slices.ContainsFunc(bug.Issues, func(issue string) bool { return strings.Contains(s.Description, issue) })
	if !told {
		t.Errorf("%s: the description of %s tells of none of %v", bug.Name, s.Name, bug.Issues)
	}
}

// checkExhibits: each scenario of the museum is proven by a bug, and is in a file of its name.
func checkExhibits(t *testing.T, named map[string]*scenarios.Scenario) {
	t.Helper()
	for name, s := range named {
		if s.Labels[labelTier] != tierMuseum {
			continue
		}
		if !slices.ContainsFunc(All(), func(b Mutant) bool { return b.Scenario == name }) {
			t.Errorf("%s: no bug proves it", s.Position)
		}
		if want := filepath.Join("library", tierMuseum, name+".yaml"); s.Position.File != want {
			t.Errorf("%s: the scenario %s is in another file than %s", s.Position, name, want)
		}
	}
}

// TestNoBugShips: what is installed does not have this package.
func TestNoBugShips(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "../../cmd/...").CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("simcloud/scenarios\n")) {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	if bytes.Contains(out, []byte("scenarios/mutant")) {
		t.Error("a command that ships depends on scenarios/mutant")
	}
}

// TestCommand: the command lists the bugs, and refuses to run without one that exists.
func TestCommand(t *testing.T) {
	tests := []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--list"}, 0, "node-deleted-on-401"},
		{[]string{}, 1, "no bug is named: --bug NAME is right"},
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
