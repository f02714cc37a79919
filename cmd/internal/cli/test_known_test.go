package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/conformance"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

const knownHead = "apiVersion: simcloud.dev/v1alpha1\nkind: KnownFailures\nknown:\n"

// profileFile is a profile of a user's.
func profileFile(t *testing.T, spec string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, []byte("apiVersion: simcloud.dev/v1alpha1\nkind: Profile\nmetadata: {name: mine}\nspec: "+spec+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestKnownFailures: the file's entries come before the profile's, and can name scenarios of the paths and of the library.
func TestKnownFailures(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "known.yaml")
	if err := os.WriteFile(file, []byte(knownHead+"- {scenario: 'lb[how=stop]', issue: 'a/b#1', why: x}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := testOptions{knownFile: file, set: []string{"how=stop"}}
	o.backend.profile.Known = scenarios.KnownFailures{{Scenario: "n03-late-vm", Issue: "a/b#2", Why: "y"}}
	known, err := o.knownFailures(t.Context(), []string{matrixFile(t)})
	if err != nil {
		t.Fatal(err)
	}
	var issues []string
	for _, k := range known {
		issues = append(issues, k.Issue)
	}
	if diff := cmp.Diff([]string{"a/b#1", "a/b#2"}, issues); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestDocumentedKnownFailures: the file that the page on testing shows can be used.
func TestDocumentedKnownFailures(t *testing.T) {
	t.Parallel()
	for _, block := range codeBlocks(t, "../../../docs/testing-your-ccm.md", "yaml") {
		if !strings.Contains(block, "kind: "+syntax.KindKnownFailures) {
			continue
		}
		file := filepath.Join(t.TempDir(), "known.yaml")
		if err := os.WriteFile(file, []byte(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if known, err := (testOptions{knownFile: file}).knownFailures(t.Context(), nil); err != nil || len(known) != 1 {
			t.Errorf("%v, %v:\n%s", known, err, block)
		}
		return
	}
	t.Error("the page shows no file with known failures")
}

// TestProfilesNameScenarios: what a profile of simcloud says to be known to fail is a scenario of the library.
func TestProfilesNameScenarios(t *testing.T) {
	t.Parallel()
	for _, name := range profile.Names() {
		p, err := profile.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		var o testOptions
		o.backend.profile = p
		if _, err := o.knownFailures(t.Context(), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKnownFailureIsNoFailure: a run whose failures are all known ends with exit code 0, of test and of conformance.
func TestKnownFailureIsNoFailure(t *testing.T) {
	t.Parallel()
	known := scenarios.Report{Scenarios: []scenarios.Result{{Status: scenarios.KnownFailed}}}
	if err := (testOptions{}).verdict(t.Context(), known, nil); err != nil {
		t.Errorf("test: %v", err)
	}
	score := conformance.Score{Passed: 1, KnownFailures: 1, Applicable: 2}
	if err := (conformanceOptions{}).verdict(t.Context(), conformance.Verdict{Score: score}, known, nil); err != nil {
		t.Errorf("conformance: %v", err)
	}
	score.Applicable++
	var ended *exit.Error
	if err := (conformanceOptions{}).verdict(t.Context(), conformance.Verdict{Score: score}, known, nil); !errors.As(err, &ended) || ended.Code != exit.CodeFailed || ended.Error() != "1 of 3 applicable clauses failed" {
		t.Errorf("with a failure that is not known: %v", err)
	}
}
