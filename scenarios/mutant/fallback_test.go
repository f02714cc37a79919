package mutant

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/scenarios"
)

// TestFallback: of a provider that holds a mutex over a call simulated time says which goroutines stand still, and where. It is judged
// on a control plane.
func TestFallback(t *testing.T) {
	planetest.Kube(t)
	s := library(t)["s09-node-comes-during-create"] // calls that take time
	if s == nil {
		t.Fatal("the scenario is gone")
	}
	trials := []trial{{mutant: oneCallAtATime, scenario: s}}
	alone := simulated(t, trials, func(Pair) {})
	for _, want := range []string{"not simulated", "sync.(*Mutex).Lock", "mutant.(*locked).RoundTrip"} {
		if alone[0].Status != scenarios.Skipped || !strings.Contains(alone[0].Verdict, want) {
			t.Errorf("%s, want it skipped, and %q in\n%s", alone[0].Status, want, alone[0].Verdict)
		}
	}
	file := filepath.Join(t.TempDir(), "pairs.jsonl")
	addPair(t, file, Pair{Bug: oneCallAtATime.Name, Scenario: s.Name})
	out, err := exec.CommandContext(t.Context(), programOf(t), "--simulate-pairs", file, "--fallback").CombinedOutput()
	if want := `"status":"passed"`; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v, want %s in\n%s", err, want, out)
	}
}
