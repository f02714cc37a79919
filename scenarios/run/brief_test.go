package run

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestBrief: a long text loses its middle, with what was left out, and a short one nothing.
func TestBrief(t *testing.T) {
	t.Parallel()
	long := "the begin " + strings.Repeat("é", 2000) + " the end"
	f := brief(scenarios.Failure{Headline: "short", Values: []string{"short", long}, Events: []string{long}, CCMLog: []string{long, long}, CloudErrors: []string{long}, Calls: []string{"short"}})
	if f.Cut != 5 || f.Headline != "short" || f.Values[0] != "short" || f.Calls[0] != "short" {
		t.Errorf("%d texts are cut: %+v", f.Cut, f)
	}
	for _, text := range []string{f.Values[1], f.Events[0], f.CCMLog[0], f.CCMLog[1], f.CloudErrors[0]} {
		if len(text) > mostText+50 || !strings.HasPrefix(text, "the begin é") || !strings.HasSuffix(text, "é the end") || !strings.Contains(text, " bytes left out) …") {
			t.Errorf("%d bytes: %s", len(text), text)
		}
	}
	if text := f.String(); !strings.Contains(text, "left out:\n    the middle of 5 long texts: with --report, the whole failure is in failures.txt, with the logs of the scenario") {
		t.Error(text)
	}
	if text := brief(scenarios.Failure{Headline: "short"}); text.Cut != 0 || strings.Contains(text.String(), "left out") {
		t.Error(text)
	}
}

// TestLongTextsAreWholeInTheReport: reports show long texts of others briefly, and the folder of the scenario has them whole.
func TestLongTextsAreWholeInTheReport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cluster, dir := steptest.NewCluster(t), t.TempDir()
		middle := strings.Repeat("blah ", 2000) + "UNIQUE " + strings.Repeat("blah ", 2000)
		cluster.Instead("ListZones", func(map[string]any) (any, error) {
			return nil, simcloud.Errorf(simcloud.Unavailable, "", "first %s last", middle)
		})
		runner := Runner{Dir: dir, Open: func(context.Context, int) (Cluster, error) { return cluster, nil }}
		found, out, err := runAll(t, t.Context(), runner, parsedScenario(t, "one", "- {cloud: {operation: ListZones}}"))
		if err != nil {
			t.Fatal(err)
		}
		if err := report.Write(dir, found); err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{"the terminal": out}
		for _, name := range []string{"junit.xml", "report.md"} {
			raw, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			texts[name] = string(raw)
		}
		for name, text := range texts {
			if strings.Contains(text, "UNIQUE") || !strings.Contains(text, "first blah") || !strings.Contains(text, "failures.txt") {
				t.Errorf("%s has %d bytes:\n%.3000s", name, len(text), text)
			}
		}
		if f := found.Scenarios[0].Failures[0]; strings.Contains(f.Headline, "UNIQUE") || f.Cut != 1 {
			t.Errorf("%d texts are cut: %s", f.Cut, f.Headline)
		}
		whole, err := os.ReadFile(filepath.Join(dir, "logs", "one", wholeFile))
		if err != nil || !strings.Contains(string(whole), "first "+middle+" last") {
			t.Errorf("%v: %.3000s", err, whole)
		}
	})
}
