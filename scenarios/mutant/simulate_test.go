package mutant

import (
	"os"
	"os/exec"
	"testing"
)

// TestSimulate: every mutant is killed by its scenario in simulated time too, for the right reason, and the right providers pass.
// The program runs without the race detector.
func TestSimulate(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: this runs a scenario for each mutant")
	}
	program := os.Getenv(envMutantCCM)
	if program == "" {
		program = buildMutantCCM(t, t.TempDir())
	}
	out, err := exec.CommandContext(t.Context(), program, "--simulate").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
