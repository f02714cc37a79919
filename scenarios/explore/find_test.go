package explore

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/e2e/slots"
	"github.com/simcloud-dev/simcloud/scenarios/mutant"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// TestMain makes this test binary the mutant of its own tests.
func TestMain(m *testing.M) {
	if mutant.Asked() {
		os.Exit(mutant.Run(os.Args[1:], os.Stdout, os.Stderr))
	}
	// Each history is compiled, with dozens of expressions; and a seed says as much as a file.
	for name, value := range map[string]string{"rapid.checks": "15", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// clusters starts clusters whose CCM is a mutant.
func clusters(t *testing.T, bug string) func(context.Context, int) (run.Cluster, error) {
	t.Helper()
	kube := planetest.Kube(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	subject, err := manager.ParseCCMSpec(fmt.Sprintf("env %s=%s %s {flags}", mutant.EnvMutant, bug, self))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	return func(ctx context.Context, _ int) (run.Cluster, error) {
		cluster, err := embedded.Start(ctx, kube, e2e.Config{
			Name: "test", Dir: root, Subject: subject, Cloud: sim.Config{Ephemeral: true, Seed: 1},
			Slot: slots.Taking(func(line string) { t.Log(line) }),
		})
		if err != nil {
			return nil, err
		}
		return run.OnCluster(cluster, profile.Profile{}), nil
	}
}

// shows runs a scenario file on a new cluster and returns how it failed.
func shows(t *testing.T, bug string, text []byte) string {
	t.Helper()
	all, err := run.Parse("found.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	runner := run.Runner{Open: clusters(t, bug), Parallel: 1, Reporter: silent{}}
	report, err := runner.Run(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	return reports.Finished(report.Scenarios[0])
}

// TestFind: a CCM that takes a VM that is switched off for one that is gone is
// found out by the first history of a seed, and one half of it is enough. The file that is written fails with that CCM
// and passes with one that has no bug.
func TestFind(t *testing.T) {
	planetest.Cluster(t)
	planetest.Nightly(t, "the explorer's histories, its shrinking and its verdicts are tested in process; a bug is found on a cluster at night")
	const reruns = 8 // two are enough, unless the machine is so busy that the CCM does not always come to its mistake
	e := Explorer{
		Runner: OnClusters(clusters(t, "stopped-taken-for-gone"), 4972), Parallel: 1, Seed: 4972, Time: 10 * time.Minute, Reruns: reruns, Areas: []Area{Nodes, Lifecycle},
		Progress: func(line string) { t.Log(line) },
	}
	v := violationOf(t, e)
	if v.Failure.Oracle != "node-kept" || v.Steps >= v.FoundSteps || v.Reruns > reruns {
		t.Errorf("%d steps of %d show %s, after %d reruns:\n%s", v.Steps, v.FoundSteps, v.Failure, v.Reruns, v.Text)
	}
	if all, err := run.Parse("found.yaml", v.Text); err != nil || len(all[0].Steps) != v.Steps {
		t.Errorf("the file has not %d steps: %v\n%s", v.Steps, err, v.Text)
	}
	if got := shows(t, "stopped-taken-for-gone", v.Text); !strings.Contains(got, "oracle node-kept") {
		t.Errorf("the file shows\n%s\nwant\n%s", got, v.Failure)
	}
	if got := shows(t, mutant.None, v.Text); !strings.HasPrefix(got, "PASS") {
		t.Errorf("without the bug the file shows\n%s\nwant that it passes", got)
	}
}

// violationOf is what an explorer finds; it is fatal when that is nothing.
func violationOf(t *testing.T, e Explorer) *Violation {
	t.Helper()
	report, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if report.Violation == nil {
		t.Fatalf("nothing was found in %d histories", report.Histories)
	}
	return report.Violation
}

// TestMovesAreHonest: with SIMCLOUD_EXPLORE_MOVES, names of kinds of moves or "all", a right CCM passes histories that
// have each of them, alone and beside another one: what follows from a move is what a CCM can be held to.
func TestMovesAreHonest(t *testing.T) {
	planetest.Cluster(t)
	names := strings.Fields(os.Getenv("SIMCLOUD_EXPLORE_MOVES"))
	if len(names) == 0 {
		t.Skip("SIMCLOUD_EXPLORE_MOVES names no moves: each takes a minute or two")
	}
	x := &exploration{Explorer: &Explorer{Runner: OnClusters(clusters(t, mutant.None), 1), Progress: func(line string) { t.Log(line) }}, began: time.Now()}
	t.Cleanup(func() {
		if err := x.close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	all := x.grammar().kinds(kinds())
	for i, k := range all {
		if names[0] != "all" && !slices.Contains(names, k.name) {
			continue
		}
		for _, others := range [][]kind{nil, {all[(7*i+3)%len(all)]}} {
			must := append([]kind{k}, others...)
			g := &generation{dice: newDice(uint64(i)), grammar: x.grammar(), swarm: swarm{kinds: must, must: must}, model: newModel(2)}
			g.Nodes = 2
			g.begin()
			g.round(slices.Clone(must))
			h := g.finished(g.body())
			if found, err := x.try(t.Context(), 0, turn{number: i, history: h}); err != nil || found != nil {
				t.Errorf("%s, %v: %v\n%s\n%s", k.name, wordsOf(h), err, found.found.failure, h.write(title{name: k.name, description: "d"}).text)
			}
		}
	}
}
