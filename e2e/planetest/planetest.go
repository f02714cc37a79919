// Package planetest gives tests what they need of real clusters: the programs,
// a slot of the machine, and a control plane that the tests of a package borrow
// one after the other instead of starting one each. It is for the tests of this
// project; package scenariotest is for those of a cloud controller manager (CCM).
package planetest

import (
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/slots"
)

const (
	// EnvNightly, when it is set, lets the tests run that the gate leaves out.
	EnvNightly = "SIMCLOUD_NIGHTLY"
	// EnvSample is the text that [Sample] chooses by, such as the hash of a commit.
	EnvSample = "SIMCLOUD_SAMPLE"
)

// NeedsCluster is what a test says that is skipped because it needs a cluster.
// The gate (scripts/gate) knows such tests by it, and runs only them once more when they fail.
const NeedsCluster = "needs a cluster: left out by -short"

// Cluster skips a test that needs a cluster when the tests are to be short.
func Cluster(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip(NeedsCluster)
	}
}

// Nightly skips a test that the gate leaves out, because what it proves is
// proven by the tests that the line names, or takes too long: see docs/gate.md.
func Nightly(t testing.TB, why string) {
	t.Helper()
	if os.Getenv(EnvNightly) == "" {
		t.Skipf("nightly (set %s=1 to run it): %s", EnvNightly, why)
	}
}

// InNightly reports whether the tests run that the gate leaves out.
func InNightly() bool { return os.Getenv(EnvNightly) != "" }

// Kube returns the path of simcloud-kube, and builds it when it is not there. It
// skips a test that is to be short.
func Kube(t testing.TB) string {
	t.Helper()
	Cluster(t)
	path, err := embedded.Find(t.Context(), embedded.FindOptions{Progress: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// CCM returns simcloud-ccm, or what the environment names. It skips a test that has
// neither, and one that is to be short.
func CCM(t testing.TB) manager.CCMSpec {
	t.Helper()
	Cluster(t)
	if os.Getenv(manager.EnvCCM) == "" {
		t.Skipf("needs a cloud controller manager: set %s", manager.EnvCCM)
	}
	subject, err := manager.ParseCCMSpec("")
	if err != nil {
		t.Fatal(err)
	}
	return subject
}

// Slot takes a slot of the machine for a cluster that a test starts itself, and
// gives it back when the test ends.
func Slot(t testing.TB) {
	t.Helper()
	slot, err := slots.Taking(func(line string) { t.Log(line) })(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slot.Started()
	t.Cleanup(slot.Free)
}

// Sample returns n of the names, in order: others for each value of EnvSample, and
// the same ones for the same value. Without a value there are none, and in the
// nightly run all.
func Sample(names []string, n int) []string {
	seed := os.Getenv(EnvSample)
	switch {
	case InNightly():
		return slices.Sorted(slices.Values(names))
	case seed == "":
		return nil
	}
	rank := func(name string) uint64 {
		h := fnv.New64a()
		_, _ = h.Write([]byte(seed + "/" + name)) // never fails
		return h.Sum64()
	}
	chosen := slices.SortedFunc(slices.Values(names), func(a, b string) int {
		if ra, rb := rank(a), rank(b); ra != rb {
			if ra < rb {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	chosen = chosen[:min(n, len(chosen))]
	slices.Sort(chosen)
	return chosen
}
