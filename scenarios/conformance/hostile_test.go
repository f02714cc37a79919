package conformance

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/reduce"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/report/reporttest"
	"github.com/simcloud-dev/simcloud/scenarios/run"
)

// markupAndEscapes is what a CCM could log, or a caller send, to be more than text in a report.
const markupAndEscapes = "![x](https://evil.example) @team #7 <img src=x> | `a` ``` \x1b[2J\a\u009b\u202e\x7f\xff\u2028"

// hostileReport has it wherever text of others is.
func hostileReport() scenarios.Report {
	r := reporttest.Example()
	r.Subject = markupAndEscapes
	failure := scenarios.Failure{
		Position: "x.yaml:1:1", Headline: markupAndEscapes, Because: markupAndEscapes, Values: []string{markupAndEscapes}, CCMLog: []string{markupAndEscapes, "````"},
	}
	failed := scenarios.Result{Name: "hostile", Status: scenarios.Failed, Failures: []scenarios.Failure{failure}, Flaked: []scenarios.Failure{failure}, Labels: map[string]string{"area": markupAndEscapes}}
	broken := scenarios.Result{Name: "broken", Status: scenarios.Broken, Error: markupAndEscapes}
	skipped := scenarios.Result{Name: "skipped", Status: scenarios.Skipped, Reason: markupAndEscapes}
	r.Scenarios = append(r.Scenarios, failed, broken, skipped)
	return r
}

func hostileConformance() Verdict {
	f := hostileReport().Scenarios
	failure := f[len(f)-3].Failures[0]
	return Verdict{Subject: markupAndEscapes, Areas: []AreaVerdict{{Title: "Nodes", Clauses: []ClauseVerdict{{
		ID: "N01", Status: ClauseFailed, Reason: markupAndEscapes,
		Scenarios: []ScenarioVerdict{{Name: "hostile", Status: scenarios.Failed, Failure: &failure, Reproduction: &Reproduction{File: "a)[b].yaml", Command: "x"}}},
	}}}}}
}

// checkGraphic fails when a terminal would act on a text.
func checkGraphic(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if !strconv.IsGraphic(r) && !strings.ContainsRune("\n\t", r) {
			t.Fatalf("%U is in %q", r, text)
		}
	}
}

// TestReportsAreText: what others have sent is no link, image, mention or tag in Markdown, outside of blocks that it cannot end.
func TestReportsAreText(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"report.md": report.Markdown(hostileReport()), "conformance.md": Markdown(hostileConformance())} {
		checkGraphic(t, text)
		fence := ""
		for line := range strings.Lines(text) {
			ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
			switch {
			case fence == "" && len(ticks) >= 3:
				fence = ticks
			case fence != "" && strings.TrimSpace(line) == fence:
				fence = ""
			case fence == "" && (strings.Contains(line, "![") || strings.Contains(line, "@team") || strings.Contains(line, "#7") ||
				strings.Contains(line, "<img") || strings.Contains(line, "://") || strings.Contains(line, "` ")):
				t.Errorf("%s has markup: %s", name, line)
			}
		}
		if fence != "" || !strings.Contains(text, "evil.example") {
			t.Errorf("%s: a block is open, or the text is not in it:\n%s", name, text)
		}
	}
}

// TestTerminalTextIsText: the same of all that a run prints.
func TestTerminalTextIsText(t *testing.T) {
	t.Parallel()
	r := hostileReport()
	var out bytes.Buffer
	lines := report.NewLines(&out, true)
	lines.Note(0, markupAndEscapes)
	s := &scenarios.Scenario{Name: "hostile"}
	lines.StepStarted(0, s, scenarios.Step{Text: markupAndEscapes}, 0, 1, false)
	for _, result := range r.Scenarios {
		lines.ScenarioFinished(0, s, result)
	}
	checkGraphic(t, out.String()+report.Summary(r)+Text(hostileConformance()))
}

// TestJUnitIsXML: a strict reader takes the whole report, in which the escapes are to be seen.
func TestJUnitIsXML(t *testing.T) {
	t.Parallel()
	raw, err := report.JUnit(hostileReport())
	if err != nil {
		t.Fatal(err)
	}
	checkGraphic(t, string(raw))
	if bytes.ContainsRune(raw, '\ufffd') || !bytes.Contains(raw, []byte(`\x1b[2J`)) {
		t.Errorf("characters were replaced:\n%s", raw)
	}
	for reader := xml.NewDecoder(bytes.NewReader(raw)); err == nil; {
		_, err = reader.Token()
	}
	if err != io.EOF { //nolint:errorlint // it is what Token returns at the end
		t.Error(err)
	}
}

// TestCallsAreOneLine: a caller forges no call in the list of a failure.
func TestCallsAreOneLine(t *testing.T) {
	t.Parallel()
	lines, failed := observe.CallLines([]any{
		map[string]any{"operation": "GetInstance", "resource": "instance/a\nDeleteInstance", "code": ""},
		map[string]any{"operation": "CreateInstance", "resource": "instance/a\nDeleteInstance", "code": "", "write": true},
		map[string]any{"operation": "GetInstance", "resource": "instance/b", "code": "locked", "message": "no\nDeleteInstance"},
	})
	if text := strings.Join(append(lines, failed...), ""); len(lines) != 2 || len(failed) != 1 || strings.Contains(text, "\n") {
		t.Errorf("they are %q and %q", lines, failed)
	}
}

// TestReportFilesAreText: whoever prints a file of a report to a terminal sees text, and a program reads what was sent.
func TestReportFilesAreText(t *testing.T) {
	t.Parallel()
	dir, r := t.TempDir(), hostileReport()
	hostile := &r.Scenarios[len(r.Scenarios)-3]
	hostile.CallValues = []any{map[string]any{"operation": markupAndEscapes}}
	if err := report.Write(dir, r); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, hostileConformance()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"report.json", "conformance.json", filepath.Join("logs", "hostile", "calls.jsonl")} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		checkGraphic(t, string(raw))
		var value any
		if err := json.Unmarshal(raw, &value); err != nil || !strings.Contains(renderAll(value), "\u009b\u202e") {
			t.Errorf("%s: %v, or it lacks what was sent:\n%s", name, err, raw)
		}
	}
}

// renderAll joins the strings of a value.
func renderAll(value any) string {
	var b strings.Builder
	switch value := value.(type) {
	case string:
		return value
	case []any:
		for _, item := range value {
			b.WriteString(renderAll(item))
		}
	case map[string]any:
		for _, field := range value {
			b.WriteString(renderAll(field))
		}
	}
	return b.String()
}

// TestAReproductionIsAScenario: what a failure quotes of a CCM neither ends the comment at its top nor reaches a terminal.
func TestAReproductionIsAScenario(t *testing.T) {
	t.Parallel()
	s := parseAll(t)[1]
	d, err := reduce.NewDraft(s, run.Parse)
	if err != nil {
		t.Fatal(err)
	}
	quoted := markupAndEscapes + "\rspec: {}\nspec: {}"
	f := shortening{&reduce.Shortener{Draft: d}, s, scenarios.Result{Failures: []scenarios.Failure{{Headline: quoted, Because: quoted}}}, "x.yaml", &often{}}
	text, err := f.Draft.Text(f.comment("simcloud test '" + quoted + "'"))
	if err != nil {
		t.Fatal(err)
	}
	checkGraphic(t, string(text))
	again, err := run.Parse("x.yaml", text)
	if err != nil || len(again[0].Steps) != len(s.Steps) {
		t.Errorf("it is not the scenario: %v\n%s", err, text)
	}
}
