// Package backendtest is the suite that each backend's tests run: what a Backend
// promises, and that its Capabilities say the truth. A backend gives it a Harness;
// its own tests have only what no other backend has.
package backendtest

import (
	"testing"

	"github.com/simcloud-dev/simcloud/e2e"
)

// Harness is a backend under test.
type Harness struct {
	// Cluster is an empty cluster on the backend, without a CCM. The suite stops it.
	Cluster *e2e.Cluster
	// Logs are patterns of files that Backend.Logs writes once a machine "node-1"
	// has run; none of them may be missing or empty.
	Logs []string
	// Lose ends a part of the control plane as a crash does, and returns a part of
	// what Err then says. It is nil when the backend has no Done.
	Lose func(t *testing.T) (says string)
	// Left fails the test when something is left after the cluster was stopped.
	Left func(t *testing.T)
	// Slow is called first by the parts that wait until the control plane gives up
	// a silent Node. It may skip them. It is nil when they always run.
	Slow func(t *testing.T)
}

// part is a test of the suite. Parts follow each other on one cluster, since
// starting one costs seconds to minutes.
type part struct {
	name string
	slow bool
	run  func(*testing.T, Harness)
}

// Run runs the suite, one part after the other. With -run parts can be chosen; those
// after Boot need it.
func Run(t *testing.T, h Harness) {
	t.Helper()
	for _, p := range []part{
		{"Start", false, started},
		{"Capabilities", false, capabilities},
		{"Boot", false, boots},
		{"OneOfAName", false, oneOfAName},
		{"OffAndOn", false, offAndOn},
		{"Freeze", true, freezes},
		{"Partition", true, partitions},
		{"Kill", true, kills},
		{"APIServer", true, apiServerRestarts},
		{"Logs", false, logs},
		{"Reset", false, resets},
		{"Lost", false, lost},
		{"Stop", false, stops},
	} {
		t.Run(p.name, func(t *testing.T) {
			if p.slow && h.Slow != nil {
				h.Slow(t)
			}
			p.run(t, h)
		})
	}
}
