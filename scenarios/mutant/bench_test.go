package mutant

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/e2e/slots"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// hurried is the scenario with less patience where it is to fail. Where an oracle is
// to object to the whole run, and with a right provider, no step is to fail, and each has its time.
func (t trial) hurried() *scenarios.Scenario {
	oracle, _, _ := strings.Cut(t.mutant.Reason, " ")
	if t.mutant.Reason == "" || t.scenario.Name == t.mutant.KilledBy && slices.Contains(scenarios.Oracles(), oracle) {
		patient := *t.scenario
		return &patient
	}
	return step.HurriedFor(t.scenario, patience, t.mutant.Reason)
}

// patience is how long a scenario waits for what a mutant may never do.
const patience = 12 * time.Second

// envMutantCCM is the path of the program mutantccm, as make builds it.
const envMutantCCM = "SIMCLOUD_MUTANTCCM"

// parallel is how many trials run at the same time.
const parallel = 2

// bench runs trials on real control planes. The CCM of each slot reads at its start which mutant it is.
type bench struct {
	dir      string
	kube     string
	program  string // mutantccm
	clusters *run.Pool
	slots    chan int // those that are free
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{dir: t.TempDir(), kube: planetest.Kube(t), program: programOf(t), slots: make(chan int, parallel)}
	for slot := range parallel {
		b.slots <- slot
	}
	b.clusters = &run.Pool{Start: func(ctx context.Context, slot int) (run.Cluster, error) { return b.start(ctx, t, slot) }}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*time.Minute)
		defer cancel()
		if err := b.clusters.Close(ctx); err != nil {
			t.Errorf("stop the clusters: %v", err)
		}
	})
	return b
}

// programOf is mutantccm.
func programOf(t *testing.T) string {
	t.Helper()
	if program := os.Getenv(envMutantCCM); program != "" {
		return program
	}
	return buildMutantCCM(t, t.TempDir())
}

// buildMutantCCM builds the program without the race detector, with which a CCM would be a slow one.
func buildMutantCCM(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "mutantccm")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", path, "./mutantccm")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build mutantccm: %v\n%s", err, out)
	}
	return path
}

func (b *bench) nameFile(slot int) string {
	return filepath.Join(b.dir, fmt.Sprintf("mutant-%d", slot))
}

// start starts the cluster of a slot.
func (b *bench) start(ctx context.Context, t *testing.T, n int) (run.Cluster, error) {
	subject, err := manager.ParseCCMSpec(fmt.Sprintf("env %s=%s %s {flags}", EnvMutantFile, b.nameFile(n), b.program))
	if err != nil {
		return nil, err
	}
	cluster, err := embedded.Start(ctx, b.kube, e2e.Config{
		Name: "test", Dir: b.dir, Subject: subject, Cloud: sim.Config{Ephemeral: true, Seed: 1},
		Slot: slots.Taking(func(line string) { t.Log(line) }),
	})
	if err != nil {
		return nil, err
	}
	return run.OnCluster(cluster, profile.Profile{}), nil
}

// run runs a trial on a cluster that is free, and returns how it went.
func (b *bench) run(t *testing.T, trial trial) scenarios.Result {
	t.Helper()
	n := <-b.slots
	defer func() { b.slots <- n }()
	if err := os.WriteFile(b.nameFile(n), []byte(trial.mutant.Name), 0o600); err != nil {
		t.Fatal(err)
	}
	runner := run.Runner{
		Open: func(ctx context.Context, _ int) (run.Cluster, error) { return b.clusters.Open(ctx, n) },
		Seed: 1, Subject: "mutantccm", Reporter: report.NewLines(t.Output(), false),
	}
	report, err := runner.Run(t.Context(), []*scenarios.Scenario{trial.hurried()})
	if err != nil {
		t.Fatal(err)
	}
	return report.Scenarios[0]
}

// library returns the scenarios of the library by their names.
func library(t *testing.T) map[string]*scenarios.Scenario {
	t.Helper()
	all, err := run.Library()
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]*scenarios.Scenario{}
	for _, s := range all {
		named[s.Name] = s
	}
	return named
}
