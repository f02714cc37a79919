package wrong

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// TestMain makes this test binary the CCM of its own tests.
func TestMain(m *testing.M) {
	if Asked() {
		os.Exit(Run(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// trial is a scenario that is run with a bug.
type trial struct {
	bug      Bug
	scenario *scenarios.Scenario // as the library has it
}

// hurried is the scenario with less patience where it is to fail. Where an oracle is
// to object to the whole run, no step is to fail, and each has its time.
func (t trial) hurried() *scenarios.Scenario {
	oracle, _, _ := strings.Cut(t.bug.Caught, " ")
	if t.scenario.Name == t.bug.Scenario && slices.Contains(scenarios.Oracles(), oracle) {
		patient := *t.scenario
		return &patient
	}
	return t.scenario.HurriedFor(patience, t.bug.Caught)
}

// patience is how long a scenario waits for what its wrong provider may never do.
const patience = 12 * time.Second

// bench runs trials on real control planes. The CCM of each slot reads at its start which bug it has.
type bench struct {
	*scenarios.Lines
	t        *testing.T
	dir      string
	kube     string
	parallel int

	// finished, when set, is told of each trial when it is over, one at a time.
	finished func(trial, scenarios.Result)

	mu     sync.Mutex
	trials map[string]trial // by the names that their scenarios have here
}

func newBench(t *testing.T, parallel int) *bench {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: this starts control planes")
	}
	kube, err := embedded.Find(t.Context(), embedded.FindOptions{Progress: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, dir: t.TempDir(), kube: kube, parallel: parallel, trials: map[string]trial{}}
}

// run runs all trials and returns how they went, in their order.
func (b *bench) run(trials []trial) []scenarios.Result {
	b.t.Helper()
	var out bytes.Buffer
	b.Lines = scenarios.NewLines(&out, false)
	var all []*scenarios.Scenario
	for i, trial := range trials {
		s := trial.hurried()
		s.Name = fmt.Sprintf("%s-t%d", s.Name, i) // a scenario may be tried with several bugs
		b.trials[s.Name] = trial
		all = append(all, s)
	}
	runner := scenarios.Runner{Open: b.open, Parallel: b.parallel, Seed: 1, Subject: "wrongccm", Reporter: b}
	report, err := runner.Run(b.t.Context(), all)
	b.t.Log(out.String() + scenarios.Summary(report))
	if err != nil {
		b.t.Error(err)
	}
	return report.Scenarios
}

func (b *bench) bugFile(slot int) string { return filepath.Join(b.dir, fmt.Sprintf("bug-%d", slot)) }

// ScenarioStarted names the bug before the CCM starts.
func (b *bench) ScenarioStarted(slot int, s *scenarios.Scenario) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := os.WriteFile(b.bugFile(slot), []byte(b.trials[s.Name].bug.Name), 0o600); err != nil {
		b.t.Error(err)
	}
}

// ScenarioFinished tells of the trial.
func (b *bench) ScenarioFinished(slot int, s *scenarios.Scenario, r scenarios.Result) {
	b.Lines.ScenarioFinished(slot, s, r)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.finished != nil {
		b.finished(b.trials[s.Name], r)
	}
}

func (b *bench) open(ctx context.Context, slot int) (scenarios.Cluster, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	subject, err := e2e.ParseSubject(fmt.Sprintf("env %s=%s %s {flags}", EnvBugFile, b.bugFile(slot), self))
	if err != nil {
		return nil, err
	}
	cluster, err := embedded.Start(ctx, b.kube, e2e.Config{
		Name: "test", Dir: b.dir, Subject: subject, Cloud: sim.Config{Ephemeral: true, Seed: 1},
	})
	if err != nil {
		return nil, err
	}
	return scenarios.OnCluster(cluster), nil
}

// library returns the scenarios of the library by their names.
func library(t *testing.T) map[string]*scenarios.Scenario {
	t.Helper()
	all, err := scenarios.Library()
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]*scenarios.Scenario{}
	for _, s := range all {
		named[s.Name] = s
	}
	return named
}

// verdict is why a scenario failed: what its first failure says in a line; empty when there is none.
func verdict(r scenarios.Result) string {
	if len(r.Failures) == 0 {
		return ""
	}
	first := r.Failures[0]
	return strings.Join(strings.Fields(first.Oracle+" "+first.Headline+" "+first.Because), " ")
}
