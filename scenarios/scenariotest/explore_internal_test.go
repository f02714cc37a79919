package scenariotest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/explore"
	"github.com/simcloud-dev/simcloud/scenarios/mutant"
)

// bug is the mutant that takes a VM that is switched off for one that is gone, and seed one whose first history shows it.
const (
	bug  = "stopped-taken-for-gone"
	seed = 4972
)

func mutantOf(t *testing.T, name string) manager.CCMSpec {
	t.Helper()
	m, err := mutant.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return m.Subject()
}

// TestExploreFinds: a wrong provider fails the test, with a shorter scenario that shows it, and its corpus runs that first from then on.
func TestExploreFinds(t *testing.T) {
	t.Parallel()
	if err := prepared(); err != nil {
		t.Fatal(err)
	}
	told := &ending{TB: t}
	c := ExploreConfig{
		Subject: mutantOf(t, bug), Seed: seed, Histories: 20, Reruns: 8, Areas: []explore.Area{explore.Nodes, explore.Lifecycle}, Corpus: t.TempDir(),
	}.withDefaults()
	c.search(told)
	all := strings.Join(told.ended, "\n")
	for _, want := range []string{"error: the CCM breaks a promise: history 1 of seed 4972", "node-kept", "kind: Scenario", "To see it again, save it as testdata/explored-4972-1.yaml", "Seed: 4972, History: 1."} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in what it tells:\n%s", want, all)
		}
	}
	files, err := explore.Violations(c.Corpus)
	if err != nil || len(files) != 1 {
		t.Fatalf("the corpus has the violations %v (%v), want one", files, err)
	}
	config := c.config()
	config.Scenarios = Load(t, files[0])
	if status := statusOf(t, config); status != scenarios.Failed {
		t.Errorf("the scenario of the corpus: %s with the bug", status)
	}
	config.Subject = mutantOf(t, mutant.None)
	if status := statusOf(t, config); status != scenarios.Passed {
		t.Errorf("the scenario of the corpus: %s without the bug", status)
	}
}

// statusOf is how the scenario of a config ends.
func statusOf(t *testing.T, c Config) scenarios.Status {
	t.Helper()
	r := newSuite(t, c, c.simulated())
	r.one(&ending{TB: t}, c.Scenarios[0])
	return (<-r.results).Scenarios[0].Status
}

// TestExploreIsJust: a right provider is not blamed, and a history of a number is the only one that runs.
func TestExploreIsJust(t *testing.T) {
	t.Parallel()
	areas := []explore.Area{explore.Nodes, explore.Lifecycle, explore.Routes} // upstream has a race in Services
	Explore(t, ExploreConfig{Subject: mutantOf(t, mutant.None), Histories: 8, Areas: areas})
	Explore(t, ExploreConfig{Subject: mutantOf(t, bug), Seed: 1, History: 1, Areas: []explore.Area{explore.Routes}})
}

// TestExploreTells: races do not fail the test, and a provider of which nothing can be simulated skips it.
func TestExploreTells(t *testing.T) {
	t.Parallel()
	told := &ending{TB: t}
	ExploreConfig{Seed: 7}.tell(told, explore.Report{Histories: 3, Unstable: []*explore.Violation{{Name: "explored-7-2", History: 2, Reruns: 3, Bred: true}}})
	if all := strings.Join(told.ended, "\n"); strings.Contains(all, "error: ") || !strings.Contains(all, "log: a race, which 3 reruns did not show again: history 2 of seed 7") || strings.Contains(all, "History: 2") {
		t.Errorf("of a race it tells:\n%s", all)
	}
	for passes, want := range map[int]string{0: "skip: none of the 2 histories can be simulated: a lock", 1: "log: 2 of 3 histories cannot be simulated: a lock", 2: "log: 2 of 4 "} {
		told, runs := &ending{TB: t}, 0
		y := &tally{Runner: explore.RunFunc(func(context.Context, int, *scenarios.Scenario) (scenarios.Result, error) {
			if runs++; runs <= passes {
				return scenarios.Result{Status: scenarios.Passed}, nil
			}
			return scenarios.Result{Status: scenarios.Skipped, Reason: "a lock"}, nil
		})}
		for range passes + 2 {
			if _, err := y.Run(t.Context(), 0, nil); err != nil {
				t.Fatal(err)
			}
		}
		if y.tell(told); len(told.ended) != 1 || !strings.HasPrefix(told.ended[0], want) {
			t.Errorf("it tells %q, want %q", told.ended, want)
		}
	}
}

// TestReplay: a violation that the corpus has runs as a subtest of its name.
func TestReplay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"history-1.yaml":   "apiVersion: simcloud.dev/v1alpha1\nkind: History\nviolates: a rule\nscenario: violation-1.yaml\nnodes: 1\nops: [wait]\n",
		"history-2.yaml":   "apiVersion: simcloud.dev/v1alpha1\nkind: History\nviolates: a rule\nscenario: violation-2.yaml\nrace: true\nnodes: 1\nops: [wait]\n",
		"violation-1.yaml": oneExpectation + "true\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var ran []string
	t.Run("corpus", func(t *testing.T) {
		c := ExploreConfig{Subject: mutantOf(t, mutant.None), Corpus: dir}.withDefaults()
		if !c.replay(t) {
			t.Error("it failed")
		}
		files, err := explore.Violations(dir)
		if err != nil {
			t.Error(err)
		}
		ran = files
	})
	if len(ran) != 1 || filepath.Base(ran[0]) != "violation-1.yaml" {
		t.Errorf("%v ran, want the one that is no race", ran)
	}
}

// TestExploreLags: in simulated time histories have an API server that is behind, too.
func TestExploreLags(t *testing.T) {
	t.Parallel()
	if !(ExploreConfig{}).withDefaults().explorer(nil).Lags {
		t.Error("no history lags")
	}
}
