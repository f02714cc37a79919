package scenarios

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// The tests below run scenarios of the library on clusters of containers, as
// users do, each as a test of its own.

// TestCoreOnKind: the core scenarios pass on real nodes as they do on others.
func TestCoreOnKind(t *testing.T) { onKind(t, "tier=core", "1") }

// TestDataOnKind: packets arrive because of what the CCM did.
func TestDataOnKind(t *testing.T) { onKind(t, "tier=data", "1") }

// TestConformanceOnKind: so does the whole conformance suite.
func TestConformanceOnKind(t *testing.T) { onKind(t, "tier in (conformance,provider)", "2") }

func onKind(t *testing.T, selector, parallel string) {
	t.Helper()
	if os.Getenv("SIMCLOUD_KIND") != "1" {
		t.Skip("SIMCLOUD_KIND is not 1: this starts clusters in a container engine")
	}
	dir := t.TempDir()
	simcloud, report := buildCommands(t, dir), filepath.Join(dir, "report")
	run := exec.CommandContext(t.Context(), simcloud, "test", "--backend", "kind", "-l", selector, "--parallel", parallel, "--report", report)
	run.Env = append(os.Environ(), "SIMCLOUD_CCM=") // the one beside it
	out, err := run.CombinedOutput()
	t.Logf("%s", out)
	results := readReport(t, report).Scenarios
	for _, r := range results {
		t.Run(r.Name, func(t *testing.T) {
			if r.Status != Passed {
				t.Errorf("it is %s:\n%s", r.Status, Finished(r))
			}
		})
	}
	if ran := func(r Result) bool { return r.Seconds > 0 }; err != nil || !slices.ContainsFunc(results, ran) {
		t.Errorf("it ended with %v", err)
	}
}
