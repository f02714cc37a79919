package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/conformance"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
)

// reportFolder has the report of a shard with these results.
func reportFolder(t *testing.T, shard string, all ...scenarios.Result) string {
	t.Helper()
	dir := t.TempDir()
	if err := reports.Write(dir, scenarios.Report{Shard: shard, Subject: "my-ccm", Parallel: 1, Scenarios: all}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestReportMerge: shards become a folder of their own, which is good news whatever it reports; a missing one is told.
func TestReportMerge(t *testing.T) {
	t.Parallel()
	one := reportFolder(t, "1/3", scenarios.Result{Name: "a", Status: scenarios.Failed})
	two := reportFolder(t, "3/3", scenarios.Result{Name: "b", Status: scenarios.Passed})
	dir := t.TempDir()
	out, summary := filepath.Join(dir, "out"), filepath.Join(dir, "summary.md")
	code, text, errs := simcloudMain("report", "merge", one, two, "--report", out, "--summary", summary)
	if code != exit.CodeOK || !strings.Contains(text, "1 passed, 1 failed") || !strings.Contains(errs, "no folder has the parts 2/3 of the run") {
		t.Errorf("code %d, %q, %q", code, text, errs)
	}
	for _, name := range []string{"out/report.html", "out/report.json", "out/junit.xml", "out/report.md", "summary.md"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReportMergeOfConformance: the clauses are judged by all shards, and not at all for repetitions.
func TestReportMergeOfConformance(t *testing.T) {
	t.Parallel()
	one := reportFolder(t, "1/2", scenarios.Result{Name: "n01-initialised", Status: scenarios.Passed})
	two := reportFolder(t, "2/2", scenarios.Result{Name: "n03-late-vm", Status: scenarios.Failed, Failures: []scenarios.Failure{{Headline: "late"}}})
	verdict := conformance.Verdict{Capabilities: scenarios.AllCapabilities().Names(), Areas: []conformance.AreaVerdict{{Name: "node"}}}
	if err := conformance.Write(one, verdict); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if code, _, errs := simcloudMain("report", "merge", one, two, "--report", out); code != exit.CodeUsage || !strings.Contains(errs, two+" has no conformance.json") {
		t.Errorf("one of test, and one of conformance: code %d, %q", code, errs)
	}
	if err := conformance.Write(two, verdict); err != nil {
		t.Fatal(err)
	}
	code, text, errs := simcloudMain("report", "merge", one, two, "--report", out)
	if code != exit.CodeOK || !strings.Contains(text, "N03  failed") || !strings.Contains(text, "my-ccm keeps ") {
		t.Errorf("code %d, %q, %q", code, text, errs)
	}
	if found, err := conformance.Load(filepath.Join(out, conformance.FileName)); err != nil || found.Score.Failed() != 1 || found.Score.NotRun == 0 {
		t.Errorf("%v: %+v", err, found.Score)
	}
	out = t.TempDir()
	if code, text, errs = simcloudMain("report", "merge", one, two, "--repeats", "--report", out); code != exit.CodeOK || strings.Contains(text, "keeps") {
		t.Errorf("repetitions: code %d, %q, %q", code, text, errs)
	}
	if _, err := os.Stat(filepath.Join(out, conformance.FileName)); err == nil {
		t.Error("repetitions have a verdict")
	}
}

// TestUnusableReports: folders that cannot be merged are told all at once, with exit code 2, and nothing is written.
func TestUnusableReports(t *testing.T) {
	t.Parallel()
	good := reportFolder(t, "", scenarios.Result{Name: "a", Status: scenarios.Passed})
	empty, dir := t.TempDir(), t.TempDir()
	out := filepath.Join(dir, "out")
	for _, test := range []struct {
		args []string
		says []string
	}{
		{[]string{"merge", good}, []string{"--report is not set: want the folder"}},
		{[]string{"merge"}, []string{"missing argument"}},
		{[]string{"merge", good, empty, "/no/such", "--report", out}, []string{`"` + empty + `" is not a report folder`, `"/no/such" is not a report folder`}},
		{[]string{"merge", good, good, "--report", out}, []string{"a is in both", "--repeats"}},
		{[]string{"merge", good, "--report", good}, []string{"--report: ", "is one of the folders to merge"}},
		{[]string{"merge", good, "--report", out, "--summary", dir}, []string{"--summary"}},
	} {
		code, text, errs := simcloudMain(append([]string{"report"}, test.args...)...)
		if code != exit.CodeUsage || text != "" {
			t.Errorf("%v: code %d, %q", test.args, code, text)
		}
		for _, says := range test.says {
			if !strings.Contains(errs, says) {
				t.Errorf("%v: %q lacks %q", test.args, errs, says)
			}
		}
		if _, err := os.Stat(filepath.Join(out, "report.json")); err == nil {
			t.Errorf("%v: a report was written", test.args)
		}
	}
}

// TestStamp: a report tells the flags, the shard and the version of the command that made it.
func TestStamp(t *testing.T) {
	t.Parallel()
	cmd := newTestCommand(output.Streams{})
	if err := cmd.ParseFlags([]string{"--node-image", "mine:1"}); err != nil {
		t.Fatal(err)
	}
	var r scenarios.Report
	testOptions{shard: "1/2"}.stamp(cmd, &r)
	if r.Shard != "1/2" || r.Version != thisRelease().Version || r.Version == "" || !strings.Contains(strings.Join(r.Flags, " "), "--node-image mine:1") {
		t.Errorf("%+v", r)
	}
}
