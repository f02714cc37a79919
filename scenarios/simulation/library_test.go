package simulation_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestLibrary: simcloud-ccm passes the whole library in simulated time. It runs the program, without the race detector, with which
// this would take minutes.
func TestLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: this runs some 150 scenarios")
	}
	program := filepath.Join(os.Getenv("SIMCLOUD_BIN"), "simcloud")
	if os.Getenv("SIMCLOUD_BIN") == "" {
		program = filepath.Join(t.TempDir(), "simcloud")
		build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", program, "../../cmd/simcloud")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build simcloud: %v\n%s", err, out)
		}
	}
	out, err := exec.CommandContext(t.Context(), program, "test", "--backend", "simulated").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
