package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/golden"
	"github.com/simcloud-dev/simcloud/scenarios/report/reporttest"
)

// TestMarkdown pins what GitHub shows in the summary of a job.
func TestMarkdown(t *testing.T) {
	golden.Check(t, "testdata/report.md", []byte(Markdown(reporttest.Example())))
}

// TestMarkdownHasAnEnd: the summary stays below what GitHub shows, and says what it leaves out.
func TestMarkdownHasAnEnd(t *testing.T) {
	r := reporttest.Example()
	long := r.Scenarios[1]
	long.Failures = []scenarios.Failure{{Position: "x.yaml:1:1", Headline: "the expectation is false", CCMLog: []string{strings.Repeat("ä", 40<<10)}}}
	for range 100 {
		r.Scenarios = append(r.Scenarios, long)
	}
	for i := range 20_000 { // such as each scenario a hundred times
		r.Scenarios = append(r.Scenarios, scenarios.Result{Name: fmt.Sprintf("repeated#%d", i), Status: scenarios.Passed})
	}
	text := Markdown(r)
	if !strings.Contains(text, "scenarios more: report.html has all |") || !strings.HasSuffix(text, "</details>\n") {
		t.Errorf("the table does not end: %q", text[len(text)-300:])
	}
	if len(text) > 1<<20 || !strings.Contains(text, "scenarios more with failures: `report.html` has all.") || !strings.Contains(text, "bytes more)") {
		t.Errorf("%d bytes, the end is %q", len(text), text[len(text)-300:])
	}
}

// TestAppendSummary: what other steps of a job have said stays.
func TestAppendSummary(t *testing.T) {
	file := filepath.Join(t.TempDir(), "summary.md")
	for range 2 {
		if err := AppendSummary(file, reporttest.Example()); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(file)
	if err != nil || strings.Count(string(raw), "## ❌ simcloud") != 2 {
		t.Errorf("%v: %s", err, raw)
	}
	if err := AppendSummary(t.TempDir(), reporttest.Example()); err == nil || !strings.Contains(err.Error(), "write the summary") {
		t.Errorf("a folder: %v", err)
	}
}

func TestSelectorOf(t *testing.T) {
	for name, want := range map[string]string{"lb": "name=lb", "lb#2": "name=lb", "lb[a=1,b=x]": "name=lb,a=1,b=x", "lb[a=1]#3": "name=lb,a=1"} {
		if got := selectorOf(name); got != want {
			t.Errorf("%s is chosen by %s, want %s", name, got, want)
		}
	}
}

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{"name=a-b": "name=a-b", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "{kubeconfig}": "'{kubeconfig}'", "$HOME": "'$HOME'"} {
		if got := shellWord(word); got != want {
			t.Errorf("%q is quoted %s, want %s", word, got, want)
		}
	}
}
