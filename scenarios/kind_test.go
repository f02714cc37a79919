package scenarios_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
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
			if r.Status != scenarios.Passed {
				t.Errorf("it is %s:\n%s", r.Status, reports.Finished(r))
			}
		})
	}
	if ran := func(r scenarios.Result) bool { return r.Seconds > 0 }; err != nil || !slices.ContainsFunc(results, ran) {
		t.Errorf("it ended with %v", err)
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

func readReport(t *testing.T, dir string) (report scenarios.Report) {
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
