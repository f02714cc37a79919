package scenarios

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestConformance runs the conformance scenarios with our provider, those of
// what it has beyond them, and the museum's, each as a test of its own. The command runs them,
// as it does for users: without the race detector, which the other tests of
// clusters have, and with which these would take twice as long.
func TestConformance(t *testing.T) {
	b := newBench(t, "")
	simcloud := buildCommands(t, b.dir)
	report := filepath.Join(b.dir, "report")
	run := exec.CommandContext(t.Context(), simcloud, "test", "-l", "tier in (conformance,provider,museum)",
		"--parallel", "3", "--kube", b.kube, "--report", report)
	run.Env = append(os.Environ(), "SIMCLOUD_CCM=") // the one beside it
	out, err := run.CombinedOutput()
	results := readReport(t, report).Scenarios
	for _, r := range results {
		t.Run(r.Name, func(t *testing.T) {
			if r.Status != Passed {
				t.Errorf("it is %s:\n%s", r.Status, Finished(r))
			}
		})
	}
	if want := len(ofTier(t, tierConformance)) + len(ofTier(t, "provider")) + len(ofTier(t, "museum")); len(results) != want || err != nil && !t.Failed() {
		t.Errorf("%d of %d scenarios were run, %v:\n%s", len(results), want, err, out)
	}
}

// buildCommands builds simcloud, whose path it returns, and simcloud-ccm into one folder.
func buildCommands(t *testing.T, dir string) string {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", dir+string(filepath.Separator), "../cmd/simcloud", "../cmd/simcloud-ccm")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the commands: %v\n%s", err, out)
	}
	return filepath.Join(dir, "simcloud")
}

func readReport(t *testing.T, dir string) (report Report) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err == nil {
		err = json.Unmarshal(raw, &report)
	}
	if err != nil {
		t.Errorf("read the report: %v", err)
	}
	return report
}
