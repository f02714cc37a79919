package scenariotest

import (
	"cmp"
	"runtime"
	"sync"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/simulation"
)

// Simulate runs each scenario as a subtest of its name in simulated time, on a cluster that is a part of this process: the
// provider of [CloudProvider] is real, and so are the controllers of k8s.io/cloud-provider and the cloud; the API server and the
// nodes are simulated (docs/simulated.md). It needs no binary, no port and no slot of the machine, and a minute takes some
// hundredths of a second, so that it runs with -short too.
//
// The provider must reach its cloud by [manager.Access.Transport] or DialContext. What cannot be simulated is skipped with the
// reason: a provider that holds a lock while it waits, for instance. Parallel 0 is one scenario for each processor.
func Simulate(t *testing.T, c Config) {
	t.Helper()
	mustSimulate(t, c.Subject)
	c.Parallel, c.Seed = cmp.Or(c.Parallel, runtime.GOMAXPROCS(0)), cmp.Or(c.Seed, 1)
	r := newSuite(t, c, c.simulated())
	t.Cleanup(func() { r.close(t) })
	r.all(t)
}

// mustSimulate prepares for simulated time. A CCM that cannot run there is fatal.
func mustSimulate(t *testing.T, subject manager.CCMSpec) {
	t.Helper()
	if subject.Provider == nil {
		t.Fatalf("Subject is %s, which is a program of its own: simulated time needs a provider, such as CloudProvider makes of one", subject.Name)
	}
	if err := prepared(); err != nil {
		t.Fatal(err)
	}
}

var prepared = sync.OnceValue(simulation.Prepare)

// simulated is what the CCM can do in simulated time.
func (c Config) simulated() scenarios.CapabilitySet {
	if c.Capabilities != nil {
		return simulation.Able(c.Capabilities)
	}
	return simulation.Able(c.Profile.Capabilities)
}
