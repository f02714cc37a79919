package scenariotest

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

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

// Config says what to run.
type Config struct {
	// Subject is the CCM: [CloudProvider], [Self], or one of [manager.InProcess] or [manager.ParseCCMSpec].
	Subject manager.CCMSpec
	// Scenarios are those to run: [Library] and [Load] read them.
	Scenarios []*scenarios.Scenario
	// Capabilities are what the CCM can do; a scenario that needs another is
	// skipped. Nil is everything. When the CCM is a part of the test, it has none of [NotInProcess].
	Capabilities scenarios.CapabilitySet
	// Profile is what is known of the CCM; it counts for Capabilities when these are nil. The subtest of a scenario
	// that fails as it says in Known is skipped, with the issue. A CCM that is a part of the test gets the environment and the
	// config files of the profile in its [manager.Access], and its rights, where the Subject has none.
	Profile profile.Profile
	// Parallel is how many clusters run at a time; 0 is 1. A CCM that is a part of the test has one.
	Parallel int
	// Seed is what ids and addresses follow from; 0 is 1.
	Seed uint64
	// Kube is the path of simcloud-kube; empty is the one that is found, or built once.
	Kube string
	// Report is a folder for the report and the logs; empty for none.
	Report string
}

// NotInProcess are capabilities that a CCM does not have as a part of a test:
// its metrics count on over its restarts, and a leader that loses its lease ends the process.
func NotInProcess() []string { return []string{"metrics", "leaderElection"} }

// closeTimeout is how long clusters may take to stop.
const closeTimeout = time.Minute

// Run runs each scenario as a subtest of its name. It starts control planes, for each
// of which it waits for a slot of the machine (package slots), so that -short skips it. All clusters are gone when the test ends.
func Run(t *testing.T, c Config) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: this starts control planes")
	}
	if c.Subject.InProcess() && c.Parallel > 1 {
		t.Fatalf("Parallel is %d: a CCM that is a part of the test runs once", c.Parallel)
	}
	newRun(t, c).all(t)
}

// all runs the scenarios as subtests.
func (r *suite) all(t *testing.T) {
	t.Helper()
	for _, s := range r.Scenarios {
		t.Run(s.Name, func(t *testing.T) {
			if lacks := r.declared.Lacking(s); len(lacks) > 0 {
				t.Skipf("it needs the capabilities %s", strings.Join(lacks, ", "))
			}
			if r.Parallel > 1 {
				t.Parallel()
			}
			r.one(t, s)
		})
	}
}

// suite is one Run.
type suite struct {
	Config
	declared scenarios.CapabilitySet
	dir      string
	clusters *run.Pool // nil in simulated time
	slots    chan int  // those that are free
	results  chan scenarios.Report
	waiting  func(line string) // is told when a cluster waits for a slot of the machine
}

func newRun(t *testing.T, c Config) *suite {
	t.Helper()
	c.Parallel, c.Seed = max(1, c.Parallel), cmp.Or(c.Seed, 1)
	r := newSuite(t, c, c.declared())
	kube, err := embedded.Find(t.Context(), embedded.FindOptions{Flag: c.Kube, Progress: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	r.Kube, r.waiting = kube, func(line string) { t.Log(line) }
	r.clusters = &run.Pool{Start: r.start}
	t.Cleanup(func() { r.close(t) })
	return r
}

// newSuite has a place for each scenario that runs at a time.
func newSuite(t *testing.T, c Config, declared scenarios.CapabilitySet) *suite {
	t.Helper()
	c.Subject = profiled(c.Subject, c.Profile)
	r := &suite{Config: c, declared: declared, dir: t.TempDir(), slots: make(chan int, c.Parallel), results: make(chan scenarios.Report, len(c.Scenarios))}
	for slot := range c.Parallel {
		r.slots <- slot
	}
	return r
}

// profiled is a CCM that is a part of the test with what its profile has for it. A command has that already.
func profiled(subject manager.CCMSpec, p profile.Profile) manager.CCMSpec {
	if !subject.InProcess() {
		return subject
	}
	if subject.Env == nil {
		subject.Env = p.Env
	}
	if subject.ConfigFiles == nil {
		subject.ConfigFiles = p.Config
	}
	if subject.Rights == nil {
		subject.Rights = p.Rights
	}
	return subject
}

// declared is what the CCM can do.
func (c Config) declared() scenarios.CapabilitySet {
	declared := maps.Clone(c.Capabilities)
	if declared == nil {
		declared = maps.Clone(c.Profile.Capabilities)
	}
	if declared == nil {
		declared = scenarios.AllCapabilities()
	}
	if c.Subject.InProcess() {
		for _, name := range NotInProcess() {
			delete(declared, name)
		}
	}
	return declared
}

// start starts a cluster on the embedded backend.
func (r *suite) start(ctx context.Context, slot int) (run.Cluster, error) {
	cluster, err := embedded.Start(ctx, r.Kube, e2e.Config{
		Name: fmt.Sprintf("test-%d", slot+1), Dir: r.dir, Subject: r.Subject,
		Cloud: sim.Config{Ephemeral: true, Seed: r.Seed}, Rules: r.Profile.Cloud, NodeIPs: r.Profile.NodeIPs, Log: slog.New(slog.DiscardHandler), Slot: slots.Taking(r.waiting),
	})
	if err != nil {
		return nil, err
	}
	return run.OnCluster(cluster, r.Profile), nil
}

// open takes a cluster of the pool, or starts one for the scenario alone.
func (r *suite) open(ctx context.Context, slot int) (run.Cluster, error) {
	if r.clusters != nil {
		return r.clusters.Open(ctx, slot)
	}
	return simulation.Start(ctx, simulation.Config{Subject: r.Subject, Profile: r.Profile, Seed: r.Seed, Dir: r.dir})
}

// isolate runs a scenario in simulated time; nil on real clusters.
func (r *suite) isolate(t testing.TB) func(context.Context, func(context.Context) error) error {
	if r.clusters != nil {
		return nil
	}
	real, _ := t.(*testing.T)
	return simulation.Isolate(real)
}

// one runs a scenario on a cluster that is free, and tells the test how it went.
func (r *suite) one(t testing.TB, s *scenarios.Scenario) {
	t.Helper()
	slot := <-r.slots
	defer func() { r.slots <- slot }()
	runner := run.Runner{
		Open: func(ctx context.Context, _ int) (run.Cluster, error) { return r.open(ctx, slot) }, Isolate: r.isolate(t),
		Seed: r.Seed, Subject: r.Subject.Name, Known: r.Profile.Known, Reporter: report.NewLines(t.Output(), true), Dir: r.Report,
	}
	report, err := runner.Run(t.Context(), []*scenarios.Scenario{s})
	r.results <- report
	if err != nil {
		t.Fatal(err)
	}
	switch result := report.Scenarios[0]; result.Status {
	case scenarios.Passed:
		if result.Known != nil {
			t.Logf("%s: take it off the list (%s)", result.KnownWords(), result.Known)
		}
	case scenarios.Skipped:
		t.Skip(result.Reason)
	case scenarios.Undecided:
		t.Skipf("undecided: %s", result.Reason)
	case scenarios.KnownFailed:
		t.Skipf("%s: %s", result.KnownWords(), result.Known)
	default:
		t.Errorf("scenario %s: %s", s.Name, result.Status) // how is in the output
	}
}

// close stops all clusters and writes the report of what has run.
func (r *suite) close(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), closeTimeout)
	defer cancel()
	if r.clusters != nil {
		if err := r.clusters.Close(ctx); err != nil {
			t.Errorf("stop the clusters: %v", err)
		}
	}
	if r.Report == "" || len(r.results) == 0 {
		return
	}
	whole := <-r.results
	for len(r.results) > 0 {
		whole = whole.Join(<-r.results)
	}
	if err := report.Write(r.Report, whole); err != nil {
		t.Error(err)
	}
}
