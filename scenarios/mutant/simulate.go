package mutant

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/slots"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/simulation"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// rightScenario is the scenario that a provider without a bug must pass.
const rightScenario = "plain-day"

// Subject is the mutant as a part of this process, for simulated time.
func (m Mutant) Subject() manager.CCMSpec {
	s := manager.InProcess(m.Name, nil, true)
	s.Provider = func(_ context.Context, access manager.Access) (cloudprovider.Interface, error) {
		return Open(m, access.CloudConfig, access.Transport)
	}
	return s
}

// Pair is how one scenario went with one mutant.
type Pair struct {
	Bug      string `json:"bug"`
	Scenario string `json:"scenario"`
	// Seed is what ids, addresses and UIDs follow from; 0 is 1.
	Seed   uint64           `json:"seed,omitempty"`
	Status scenarios.Status `json:"status,omitempty"`
	// Verdict is what its first failure says, or why it was not run.
	Verdict string `json:"verdict,omitempty"`
}

// trial is a scenario that is run with a mutant.
type trial struct {
	mutant   Mutant
	scenario *scenarios.Scenario // as the library has it
	seed     uint64              // as of [Pair]
	// elsewhere is where it runs that cannot be simulated; nil for nowhere.
	elsewhere func(ctx context.Context, dir string) (run.Cluster, error)
}

// onControlPlane starts a control plane with a mutant, which is this program once more.
func onControlPlane(m Mutant) func(ctx context.Context, dir string) (run.Cluster, error) {
	return func(ctx context.Context, dir string) (run.Cluster, error) {
		program, err := os.Executable()
		if err != nil {
			return nil, err
		}
		subject, err := manager.ParseCCMSpec(program + " --bug " + m.Name + " {flags}")
		if err != nil {
			return nil, err
		}
		kube, err := embedded.Find(ctx, embedded.FindOptions{})
		if err != nil {
			return nil, err
		}
		cluster, err := embedded.Start(ctx, kube, e2e.Config{Name: m.Name, Dir: dir, Subject: subject, Cloud: sim.Config{Ephemeral: true, Seed: 1}, Slot: slots.Taking(func(string) {})})
		if err != nil {
			return nil, err
		}
		return run.OnCluster(cluster, profile.Profile{}), nil
	}
}

// pair is how the trial went.
func (t trial) pair(r scenarios.Result) Pair {
	p := Pair{Bug: t.mutant.Name, Scenario: t.scenario.Name, Seed: t.seed, Status: r.Status, Verdict: verdict(r)}
	if r.Status == scenarios.Skipped || r.Status == scenarios.Undecided {
		p.Verdict = r.Reason
	}
	return p
}

// Simulate runs all mutants, each with its scenario, in simulated time, and the providers without a bug with an ordinary one. It writes
// a line for each, and returns an error when one is not killed for its reason, or a right provider is. A mutant whose bug is in the way of
// its process to the API server is not run.
func Simulate(ctx context.Context, out io.Writer) error {
	trials, err := ownTrials()
	if err != nil {
		return err
	}
	var wrong []string
	err = simulateAll(ctx, trials, func(t trial, r scenarios.Result) error {
		line, ok := t.judged(r)
		if !ok {
			wrong = append(wrong, t.mutant.Name)
		}
		_, err := fmt.Fprintln(out, line)
		return err
	})
	if len(wrong) > 0 {
		slices.Sort(wrong)
		err = errors.Join(err, fmt.Errorf("%d mutants are not judged as they should be: %v", len(wrong), wrong))
	}
	return err
}

// SimulatePairs runs the pairs of a file, a line of JSON for each, in simulated time. It writes how each went in the same way, in any order.
// With fallback those for which time stands still run on a control plane.
func SimulatePairs(ctx context.Context, file string, fallback bool, out io.Writer) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	trials, err := readTrials(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	lines := json.NewEncoder(out)
	if fallback {
		for i := range trials {
			trials[i].elsewhere = onControlPlane(trials[i].mutant)
		}
	}
	return simulateAll(ctx, trials, func(t trial, r scenarios.Result) error { return lines.Encode(t.pair(r)) })
}

// readTrials reads pairs, one a line.
func readTrials(raw []byte) (trials []trial, err error) {
	named, err := libraryByName()
	if err != nil {
		return nil, err
	}
	for lines := json.NewDecoder(bytes.NewReader(raw)); lines.More(); {
		var p Pair
		if err := lines.Decode(&p); err != nil {
			return nil, err
		}
		m, err := Find(p.Bug)
		if err != nil {
			return nil, err
		}
		if named[p.Scenario] == nil {
			return nil, fmt.Errorf("the library has no scenario %q", p.Scenario)
		}
		trials = append(trials, trial{mutant: m, scenario: named[p.Scenario], seed: p.Seed})
	}
	return trials, nil
}

// ownTrials are the mutants, each with the scenario that kills it, and the providers without a bug.
func ownTrials() (trials []trial, err error) {
	named, err := libraryByName()
	if err != nil {
		return nil, err
	}
	for _, m := range slices.Concat(All(), Right()) {
		trials = append(trials, trial{mutant: m, scenario: named[cmp.Or(m.KilledBy, rightScenario)]})
	}
	return trials, nil
}

func libraryByName() (map[string]*scenarios.Scenario, error) {
	all, err := run.Library()
	named := map[string]*scenarios.Scenario{}
	for _, s := range all {
		named[s.Name] = s
	}
	return named, err
}

// simulateAll runs trials, as many at a time as there are cores, and calls done after each, one at a time.
func simulateAll(ctx context.Context, trials []trial, done func(trial, scenarios.Result) error) error {
	if err := simulation.Prepare(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var mu sync.Mutex
	running, ctx := errgroup.WithContext(ctx)
	running.SetLimit(runtime.GOMAXPROCS(0))
	for _, t := range trials {
		running.Go(func() error {
			result := t.simulate(ctx, dir)
			mu.Lock()
			defer mu.Unlock()
			return errors.Join(ctx.Err(), done(t, result))
		})
	}
	return running.Wait()
}

// simulate runs a trial in simulated time.
func (t trial) simulate(ctx context.Context, dir string) scenarios.Result {
	if t.mutant.access != nil {
		return scenarios.Result{Name: t.scenario.Name, Status: scenarios.Skipped, Reason: "not simulated: its bug is in its calls of the API server"}
	}
	seed := max(t.seed, 1)
	runner := run.Runner{
		Open: func(ctx context.Context, _ int) (run.Cluster, error) {
			return simulation.Start(ctx, simulation.Config{
				Subject: t.mutant.Subject(), Seed: seed, Dir: dir, Profile: profile.Profile{Capabilities: t.mutant.capabilities(), Cloud: t.mutant.rules},
			})
		},
		Isolate: simulation.Isolate(nil), Seed: seed, Subject: t.mutant.Name, Reporter: report.NewLines(io.Discard, false),
	}
	if t.elsewhere != nil {
		runner.Fallback = func(ctx context.Context, _ int) (run.Cluster, error) { return t.elsewhere(ctx, dir) }
	}
	whole, err := runner.Run(ctx, []*scenarios.Scenario{t.scenario})
	if err != nil {
		return scenarios.Result{Name: t.scenario.Name, Status: scenarios.Broken, Error: err.Error()}
	}
	return whole.Scenarios[0]
}

// judged says in a line whether a mutant was judged as it should be by its scenario.
func (t trial) judged(r scenarios.Result) (line string, ok bool) {
	m := t.mutant
	switch {
	case r.Status == scenarios.Skipped && len(r.Steps) == 0: // one that a step skips shows nothing of the mutant
		return "not simulated  " + m.Name + ": " + r.Reason, true
	case m.KilledBy == "" && r.Status == scenarios.Passed:
		return "passed         " + m.Name + ": " + t.scenario.Name, true
	case m.KilledBy != "" && kills(m, r) && silent(m, r) != "":
		return "WRONG          " + m.Name + ": " + t.scenario.Name + ": the oracle " + silent(m, r) + " does not object", false
	case m.KilledBy != "" && kills(m, r):
		return "killed         " + m.Name + ": " + t.scenario.Name, true
	}
	return fmt.Sprintf("WRONG          %s: %s: %s, want %q: %s", m.Name, t.scenario.Name, r.Status, m.Reason, cmp.Or(r.Reason, verdict(r), r.Error)), false
}
