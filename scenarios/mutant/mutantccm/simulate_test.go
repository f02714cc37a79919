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
	out, err := exec.CommandContext(t.Context(), programOf(t), "--simulate").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// programOf is mutantccm, as make builds it.
func programOf(t *testing.T) string {
	t.Helper()
	if program := os.Getenv("SIMCLOUD_MUTANTCCM"); program != "" {
		return program
	}
	program := filepath.Join(t.TempDir(), "mutantccm")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build mutantccm: %v\n%s", err, out)
	}
	return program
}
