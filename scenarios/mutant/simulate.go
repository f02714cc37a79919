package mutant

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/simulation"
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

// Simulate runs all mutants, each with its scenario, in simulated time, and the providers without a bug with an ordinary one. It writes
// a line for each, and returns an error when one is not killed for its reason, or a right provider is. A mutant whose bug is in the way of
// its process to the API server is not run.
func Simulate(ctx context.Context, out io.Writer) error {
	if err := simulation.Prepare(); err != nil {
		return err
	}
	named, err := libraryByName()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var mu sync.Mutex
	var wrong []string
	trials, ctx := errgroup.WithContext(ctx)
	trials.SetLimit(runtime.GOMAXPROCS(0))
	for _, m := range slices.Concat(All(), Right()) {
		trials.Go(func() error {
			line, ok, err := m.simulate(ctx, named[cmp.Or(m.KilledBy, rightScenario)], dir)
			mu.Lock()
			defer mu.Unlock()
			if _, broken := fmt.Fprintln(out, line); broken != nil {
				return broken
			}
			if !ok {
				wrong = append(wrong, m.Name)
			}
			return err
		})
	}
	if err := trials.Wait(); err != nil {
		return err
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return fmt.Errorf("%d mutants are not judged as they should be: %v", len(wrong), wrong)
	}
	return nil
}

func libraryByName() (map[string]*scenarios.Scenario, error) {
	all, err := run.Library()
	named := map[string]*scenarios.Scenario{}
	for _, s := range all {
		named[s.Name] = s
	}
	return named, err
}

// simulate runs a mutant with a scenario, and says in a line whether it is judged as it should be.
func (m Mutant) simulate(ctx context.Context, s *scenarios.Scenario, dir string) (line string, ok bool, err error) {
	if m.access != nil {
		return "not simulated  " + m.Name + ": its bug is in its calls of the API server", true, nil
	}
	runner := run.Runner{
		Open: func(ctx context.Context, _ int) (run.Cluster, error) {
			return simulation.Start(ctx, simulation.Config{Subject: m.Subject(), Seed: 1, Dir: dir})
		},
		Isolate: simulation.Isolate(nil), Seed: 1, Subject: m.Name, Reporter: report.NewLines(io.Discard, false),
	}
	whole, err := runner.Run(ctx, []*scenarios.Scenario{s})
	if err != nil {
		return "broken         " + m.Name + ": " + err.Error(), false, nil
	}
	r := whole.Scenarios[0]
	switch {
	case r.Status == scenarios.Skipped:
		return "not simulated  " + m.Name + ": " + r.Reason, true, nil
	case m.KilledBy == "" && r.Status == scenarios.Passed:
		return "passed         " + m.Name + ": " + s.Name, true, nil
	case m.KilledBy != "" && kills(m, r):
		return "killed         " + m.Name + ": " + s.Name, true, nil
	}
	return fmt.Sprintf("WRONG          %s: %s: %s, want %q: %s", m.Name, s.Name, r.Status, m.Reason, verdict(r)), false, nil
}
