package scenariotest

import (
	"cmp"
	"context"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/explore"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/simulation"
)

// ExploreConfig says what to explore.
type ExploreConfig struct {
	// Subject is the CCM, which [CloudProvider] makes of a provider.
	Subject manager.CCMSpec
	// Time is how long new histories begin, Histories how many run at most; without both it is DefaultExploreTime. What a
	// violation is shrunk in comes on top.
	Time      time.Duration
	Histories int
	// Seed is what the histories follow from; 0 is 1. History is the number of the only one that runs, from 1; 0 is all.
	Seed    uint64
	History int
	// Corpus is a folder that keeps the histories which have shown something new, and the violations, from one run of the test to
	// the next: see [Corpus]. Empty keeps none.
	Corpus string
	// Areas are the parts of the CCM's work that are explored; none is all that it can do.
	Areas []explore.Area
	// Capabilities are what the CCM can do: what it cannot do is in no history. Nil is what the Profile has, or everything.
	Capabilities scenarios.CapabilitySet
	// Profile is what is known of the CCM, as in [Config].
	Profile profile.Profile
	// Parallel is how many histories run at a time; 0 is one for each processor.
	Parallel int
	// Reruns is how many shorter histories run at most to shrink a violation; 0 is [explore.DefaultReruns].
	Reruns int
}

// DefaultExploreTime is how long new histories begin where nothing else is said.
const DefaultExploreTime = time.Minute

// Corpus returns the folder for the corpus of a test: below testdata, as that of a fuzz test.
func Corpus(t *testing.T) string { return filepath.Join("testdata", "explore", t.Name()) }

// Explore runs random but legal histories in simulated time, until one breaks a promise or the time is over: docs/exploring.md
// has what they are made of. The first violation is shrunk and fails the test, with the scenario that shows it and how to see it
// again. What does not come back is a race: the log has it, and it does not fail the test.
//
// With a corpus, each violation that an earlier run has found runs first, as a subtest, until the CCM passes it.
func Explore(t *testing.T, c ExploreConfig) {
	t.Helper()
	mustSimulate(t, c.Subject)
	c = c.withDefaults()
	if c.replay(t) {
		c.search(t)
	}
}

func (c ExploreConfig) withDefaults() ExploreConfig {
	c.Subject = profiled(c.Subject, c.Profile)
	c.Parallel, c.Seed, c.Reruns = cmp.Or(c.Parallel, runtime.GOMAXPROCS(0)), cmp.Or(c.Seed, 1), cmp.Or(c.Reruns, explore.DefaultReruns)
	c.Capabilities = c.config().simulated()
	if c.Time == 0 && c.Histories == 0 {
		c.Time = DefaultExploreTime
	}
	return c
}

// config is how scenarios run.
func (c ExploreConfig) config() Config {
	return Config{Subject: c.Subject, Capabilities: c.Capabilities, Profile: c.Profile, Parallel: c.Parallel, Seed: c.Seed}
}

// replay runs the violations of the corpus. It reports whether all of them pass.
func (c ExploreConfig) replay(t *testing.T) bool {
	t.Helper()
	if c.Corpus == "" {
		return true
	}
	files, err := explore.Violations(c.Corpus)
	if err != nil {
		t.Fatal(err)
	}
	passed := true
	for _, file := range files {
		config := c.config()
		passed = t.Run(filepath.Base(file), func(t *testing.T) {
			config.Scenarios = Load(t, file)
			Simulate(t, config)
		}) && passed
	}
	return passed
}

// search explores, and tells the test what was found.
func (c ExploreConfig) search(t testing.TB) {
	t.Helper()
	if err := explore.CheckAreas(c.Areas, c.Capabilities); err != nil {
		t.Fatal(err)
	}
	runner := &tally{Runner: c.runner(t)}
	explorer := c.explorer(runner)
	explorer.Progress = progressOf(t)
	report, err := explorer.Run(t.Context())
	c.tell(t, report)
	if err != nil {
		t.Fatalf("the exploration broke: %v", err)
	}
	runner.tell(t)
}

// explorer explores all that simulated time has, including an API server that is behind.
func (c ExploreConfig) explorer(runner explore.Runner) explore.Explorer {
	return explore.Explorer{
		Runner: runner, Parallel: c.Parallel, Seed: c.Seed, History: c.History, Time: c.Time, Histories: c.Histories, Reruns: c.Reruns,
		Areas: c.Areas, Capabilities: c.Capabilities, Corpus: c.Corpus, Lags: true,
	}
}

// progressOf logs what happens with -v: a line for each history is too much to read beside a failure.
func progressOf(t testing.TB) func(line string) {
	if !testing.Verbose() {
		return func(string) {}
	}
	return func(line string) { t.Log(line) }
}

// runner runs each history on a cluster of its own.
func (c ExploreConfig) runner(t testing.TB) explore.Runner {
	dir := t.TempDir()
	open := func(ctx context.Context, _ int) (run.Cluster, error) {
		return simulation.Start(ctx, simulation.Config{Subject: c.Subject, Profile: c.Profile, Seed: c.Seed, Dir: dir})
	}
	real, _ := t.(*testing.T)
	return explore.Apart(open, simulation.Isolate(real), c.Seed)
}

// tally counts the histories that cannot be simulated.
type tally struct {
	explore.Runner

	mu           sync.Mutex
	ran, skipped int
	reason       string // of the first that was skipped
}

// Run runs a scenario.
func (y *tally) Run(ctx context.Context, place int, s *scenarios.Scenario) (scenarios.Result, error) {
	r, err := y.Runner.Run(ctx, place, s)
	y.mu.Lock()
	defer y.mu.Unlock()
	y.ran++
	if r.Status == scenarios.Skipped {
		y.skipped++
		y.reason = cmp.Or(y.reason, r.Reason)
	}
	return r, err
}

// tell says what was not explored. Where that is everything the test is skipped: it proves nothing.
func (y *tally) tell(t testing.TB) {
	t.Helper()
	switch y.skipped {
	case 0:
	case y.ran:
		t.Skipf("none of the %d histories can be simulated: %s", y.ran, y.reason)
	default:
		t.Logf("%d of %d histories cannot be simulated: %s", y.skipped, y.ran, y.reason)
	}
}
