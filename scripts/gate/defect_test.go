package main

import (
	"fmt"
	"path/filepath"
	"testing"
)

// defectTest is a test on clusters that passes when it is run once more. %s is how it fails the first time.
const defectTest = `package clusters

import (
	"os"
	"testing"

	"example.com/tree/e2e/planetest"
)

func TestDefect(t *testing.T) {
	planetest.Cluster(t)
	if _, err := os.Stat("../defect"); err == nil {
		return
	}
	_ = os.WriteFile("../defect", nil, 0o600)
	t.Run("Part", func(t *testing.T) { %s })
}
`

// TestNotRetried: a data race and the end of the test binary are defects, even when the test would pass the next time. No
// other test of the package is run once more, since its success would hide them.
func TestNotRetried(t *testing.T) {
	for name, c := range map[string]struct{ code, why string }{
		"race":  {"n, done := 0, make(chan int); go func() { n++; close(done) }(); n++; <-done", "its output shows a data race"},
		"panic": {`panic("boom")`, "its test binary panicked"},
		"fatal": {"var m map[int]int; go func() { m[1] = 1 }(); select {}", "its test binary panicked"},
		"exit":  {"os.Exit(3)", "its test binary panicked, timed out or exited in a test"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "race" && raceFlags() == nil {
				t.Skip("needs a C compiler for the race detector")
			}
			dir := t.TempDir()
			write1(t, filepath.Join(dir, "clusters", "defect_test.go"), fmt.Sprintf(defectTest, c.code))
			code, out := runGate(t, dir)
			if code != 1 {
				t.Errorf("exit code %d, want 1", code)
			}
			contains(t, "the output", out, "no test of example.com/tree/clusters is run once more: "+c.why,
				"0 flaky, 0 run once more", "failed: example.com/tree/clusters TestDefect/Part\n", "failed: example.com/tree/clusters TestFlaky")
		})
	}
}

// TestInProcessIsNeverRetried: nor is a package that does not build.
func TestInProcessIsNeverRetried(t *testing.T) {
	dir := t.TempDir()
	write1(t, filepath.Join(dir, "plain", "broken_test.go"), "package plain\n\nfunc broken() int { return \"\" }\n")
	write1(t, filepath.Join(dir, "seen"), "")
	code, out := runGate(t, dir)
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	contains(t, "the output", out, "FAIL  example.com/tree/plain", "cannot use", "0 run once more", "1 failed")
}
