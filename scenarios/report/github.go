package report

import (
	"crypto/rand"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// GitHub reports as GitHub Actions shows the log of a step: a group for each scenario, with its steps and how it failed.
// No line of a group is taken for a command of the workflow, whatever a cloud or a CCM has written.
type GitHub struct {
	mu    sync.Mutex
	out   io.Writer
	steps map[string][]string // of the scenarios that run, by their names
}

// NewGitHub reports to out.
func NewGitHub(out io.Writer) *GitHub { return &GitHub{out: out, steps: map[string][]string{}} }

// ClusterStarting says nothing.
func (g *GitHub) ClusterStarting(int) {}

// ClusterStarted says nothing.
func (g *GitHub) ClusterStarted(int) {}

// ScenarioStarted begins the list of its steps.
func (g *GitHub) ScenarioStarted(_ int, s *scenarios.Scenario) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.steps, s.Name)
}

// StepStarted notes the step for the group of its scenario.
func (g *GitHub) StepStarted(_ int, s *scenarios.Scenario, step scenarios.Step, index, of int, finally bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	where := "step"
	if finally {
		where = "finally"
	}
	g.steps[s.Name] = append(g.steps[s.Name], fmt.Sprintf("%s %d/%d: %s (%s)", where, index+1, of, step.Text, step.Place()))
}

// ScenarioFinished prints the group.
func (g *GitHub) ScenarioFinished(_ int, s *scenarios.Scenario, r scenarios.Result) {
	g.mu.Lock()
	defer g.mu.Unlock()
	title, rest, _ := strings.Cut(Finished(r), "\n")
	var text strings.Builder
	for _, step := range g.steps[s.Name] {
		text.WriteString("  " + escape.Line(step) + "\n")
	}
	delete(g.steps, s.Name)
	fmt.Fprintf(g.out, "::group::%s\n%s::endgroup::\n", commandText(title), notCommands(text.String()+rest))
}

// Note prints its lines.
func (g *GitHub) Note(slot int, text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	fmt.Fprint(g.out, notCommands(fmt.Sprintf("cluster %d: %s\n", slot+1, escape.Block(text))))
}

// notCommands are lines in which GitHub looks for no commands: an unknown word ends the time in which it does not.
func notCommands(lines string) string {
	if lines == "" {
		return ""
	}
	word := strings.ToLower(rand.Text())
	return fmt.Sprintf("::stop-commands::%s\n%s\n::%s::\n", word, strings.TrimRight(lines, "\n"), word)
}

// commandText is what a command says, as GitHub wants it escaped.
func commandText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

// commandValue is a property of a command, which ends at a comma or a colon too.
func commandValue(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(commandText(text))
}

// mostAnnotations is how many annotations of each level GitHub shows of one step.
const mostAnnotations = 10

// Annotations are workflow commands of GitHub Actions for what needs attention in a report: an error for each scenario
// that failed, is invalid or broken, a warning for one that is undecided or flaky or has warnings, and a notice for a known failure that passed. Those that
// GitHub would not show are counted in a notice. Each names the place in the scenario file, by a path from root, the
// folder of the repository; a scenario that is in simcloud itself has none.
func Annotations(r scenarios.Report, root string) string {
	var b strings.Builder
	shown, left := map[string]int{}, 0
	for _, s := range worstFirst(r.Scenarios) {
		level, title, text := annotationOf(s)
		switch {
		case level == "":
			continue
		case shown[level] == mostAnnotations || level == "notice" && shown[level] == mostAnnotations-1:
			left++
			continue
		}
		shown[level]++
		fmt.Fprintf(&b, "::%s %stitle=%s::%s\n", level, fileOf(s, root), commandValue(escape.Line(title)), commandText(escape.Block(text)))
	}
	if left > 0 {
		fmt.Fprintf(&b, "::notice title=simcloud::%s more to look at: the summary and report.html have all\n", words.Plural(left, "scenario"))
	}
	return b.String()
}

// annotationOf is what GitHub shows beside a scenario file; no level for what needs no attention.
func annotationOf(s scenarios.Result) (level, title, text string) {
	switch {
	case s.Status == scenarios.Broken:
		return "error", s.Name + " is broken: the environment failed", firstLine(s.Error)
	case didFail(s.Status):
		text = headlineOf(s)
		if len(s.Failures) > 0 && len(s.Failures[0].Values) > 0 {
			text += "\nobserved:\n" + clipped(strings.Join(s.Failures[0].Values, "\n"), mostHeadline)
		}
		return "error", s.Name + " " + map[scenarios.Status]string{scenarios.Failed: "failed", scenarios.Invalid: "is invalid"}[s.Status], text
	case s.Status == scenarios.Undecided:
		return "warning", s.Name + " is undecided", firstLine(s.Reason) + "\n" + headlineOf(s)
	case s.Flaky():
		return "warning", s.Name + " is flaky", "it passed when it ran once more: " + headlineOf(scenarios.Result{Failures: s.Flaked})
	case len(s.Warnings) > 0:
		return "warning", s.Name + " passed with " + words.Plural(len(s.Warnings), "warning"), warningLines(s)
	case s.Known != nil && s.Status == scenarios.Passed:
		return "notice", s.Name + " passed", knownText(s)
	}
	return "", "", ""
}

// fileOf are the properties for the place of a result: that of the step that failed, or of the use of that step, in the
// file of the scenario; or else where the scenario begins.
func fileOf(s scenarios.Result, root string) string {
	if strings.HasPrefix(s.File, scenarios.LibraryFolder+"/") || s.File == "" {
		return ""
	}
	at := scenarios.Position{Line: s.Line}
	for _, place := range placesOf(s) {
		if place.File == s.File {
			at = place
			break
		}
	}
	text := fmt.Sprintf("file=%s,line=%d,", commandValue(fromRoot(s.File, root)), max(at.Line, 1))
	if at.Column > 0 {
		text += fmt.Sprintf("col=%d,", at.Column)
	}
	return text
}

// placesOf are where the first failure or warning of a result is, from the innermost place on.
func placesOf(s scenarios.Result) []scenarios.Position {
	for _, f := range append(s.Failures[:len(s.Failures):len(s.Failures)], s.Flaked...) {
		if f.Position != "" {
			return placesIn(f.Position)
		}
	}
	if len(s.Warnings) > 0 {
		return placesIn(s.Warnings[0].Position)
	}
	return nil
}

// fromRoot is the path of a file from a folder, if it is in it, and else the path as it is.
func fromRoot(file, root string) string {
	if root == "" {
		return filepath.ToSlash(file)
	}
	absolute, err := filepath.Abs(file)
	if err != nil {
		return filepath.ToSlash(file)
	}
	path, err := filepath.Rel(root, absolute)
	if err != nil || !filepath.IsLocal(path) {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(path)
}
