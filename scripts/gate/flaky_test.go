package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestFlakyPasses: a test on clusters that fails once is run once more, which the end, junit.xml and the
// ledger report. A test of which only a part needs a cluster is run as a whole.
func TestFlakyPasses(t *testing.T) {
	dir := t.TempDir()
	code, out := runGate(t, dir)
	if code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	const name = "example.com/tree/clusters TestFlaky/Once[a=1]"
	contains(t, "the output", out, "flaky: "+name+" (1 times in ", "1 flaky, 1 run once more")
	if !strings.HasSuffix(out, "\ntests: 11 passed, 0 failed, 0 skipped\n") {
		t.Errorf("the last line does not count 10 tests:\n%s", out)
	}
	contains(t, "the ledger", read1(t, filepath.Join(dir, "ledger")), `"test":"`+name+`","result":"flaky"`)
	junit := read1(t, filepath.Join(dir, "out", "gate", "junit.xml"))
	contains(t, "junit.xml", junit, "<flakyFailure", "not this time")
	if strings.Contains(junit, "<failure") {
		t.Errorf("junit.xml has a failure:\n%s", junit)
	}
}

// onceTest is a test that needs no cluster and fails once.
const onceTest = `package %s

import (
	"os"
	"testing"
)

func TestOnce(t *testing.T) {
	if _, err := os.Stat("once"); err != nil {
		_ = os.WriteFile("once", nil, 0o600)
		t.Error("the only time")
	}
}
`

// TestFlakyBesideACluster: only a test on clusters may be flaky. One in process that fails in the same run, beside it in its
// package or in another, has failed although it would pass the next time.
func TestFlakyBesideACluster(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"plain", "clusters"} {
		write1(t, filepath.Join(dir, folder, "once_test.go"), fmt.Sprintf(onceTest, folder))
	}
	code, out := runGate(t, dir)
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	const flaky = "example.com/tree/clusters TestFlaky/Once[a=1]"
	contains(t, "the summary", read1(t, filepath.Join(dir, "out", "gate", "summary.txt")), "flaky: "+flaky, "1 flaky, 1 run once more",
		"failed: example.com/tree/plain TestOnce\n", "failed: example.com/tree/clusters TestOnce\n", "tests: 11 passed, 2 failed, 0 skipped\n")
	ledger := read1(t, filepath.Join(dir, "ledger"))
	if contains(t, "the ledger", ledger, `"test":"`+flaky+`","result":"flaky"`); strings.Contains(ledger, "TestOnce") {
		t.Errorf("the ledger has a test that needs no cluster:\n%s", ledger)
	}
	junit := read1(t, filepath.Join(dir, "out", "gate", "junit.xml"))
	if strings.Count(junit, "<flakyFailure") != 1 || strings.Count(junit, "<failure") != 2 {
		t.Errorf("junit.xml has not one flaky failure and two failures:\n%s", junit)
	}
	if n := strings.Count(out, "the only time"); n != 2 {
		t.Errorf("the tests in process ran %d times, want 2:\n%s", n, out)
	}
}

// TestTwiceIsAFailure: a test that fails when it is run once more has failed.
func TestTwiceIsAFailure(t *testing.T) {
	t.Setenv("TREE_FAILS", "1")
	dir := t.TempDir()
	write1(t, filepath.Join(dir, "seen"), "")
	code, out := runGate(t, dir)
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	contains(t, "the output", out, "failed: example.com/tree/clusters TestNever", "0 flaky, 1 run once more", "tests: 10 passed, 1 failed, 0 skipped\n")
}

// TestNightlyNeverRetries: at night what fails once has failed, and is in the ledger.
func TestNightlyNeverRetries(t *testing.T) {
	dir := t.TempDir()
	code, out := runGate(t, dir, "--nightly")
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	contains(t, "the output", out, "0 flaky, 0 run once more", "failed: example.com/tree/clusters TestFlaky/Once[a=1]")
	contains(t, "the ledger", read1(t, filepath.Join(dir, "ledger")), `TestFlaky/Once[a=1]","result":"failed"`)
}
