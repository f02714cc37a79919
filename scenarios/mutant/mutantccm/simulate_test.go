package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestSimulate: every mutant is killed by its scenario in simulated time too, for the right reason, and the right providers pass.
// The program runs without the race detector.
func TestSimulate(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: this runs a scenario for each mutant")
	}
	program := os.Getenv("SIMCLOUD_MUTANTCCM")
	if program == "" {
		program = filepath.Join(t.TempDir(), "mutantccm")
		build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", program, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build mutantccm: %v\n%s", err, out)
		}
	}
	out, err := exec.CommandContext(t.Context(), program, "--simulate").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
