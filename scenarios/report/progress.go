package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// Reporter hears how a run goes. It is called from all slots.
type Reporter interface {
	ClusterStarting(slot int)
	ClusterStarted(slot int)
	ScenarioStarted(slot int, s *scenarios.Scenario)
	// StepStarted tells that the step with the index is about to begin, of this many.
	StepStarted(slot int, s *scenarios.Scenario, step scenarios.Step, index, of int, finally bool)
	ScenarioFinished(slot int, s *scenarios.Scenario, r scenarios.Result)
	// Note tells what else people should know.
	Note(slot int, text string)
}

// Expecter is a Reporter that wants to know how many scenarios there will be.
type Expecter interface{ Expect(total int) }

// Lines reports in plain lines: what ended, and in full how it failed.
type Lines struct {
	mu  sync.Mutex
	out io.Writer
	// Verbose prints each step too.
	verbose bool
}

// NewLines reports to out. Verbose prints each step too.
func NewLines(out io.Writer, verbose bool) *Lines { return &Lines{out: out, verbose: verbose} }

func (l *Lines) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprint(l.out, escape.Block(fmt.Sprintf(format, args...)))
}

// ClusterStarting says that a cluster starts.
func (l *Lines) ClusterStarting(slot int) { l.printf("cluster %d: starting\n", slot+1) }

// ClusterStarted says that the cluster runs.
func (l *Lines) ClusterStarted(slot int) { l.printf("cluster %d: ready\n", slot+1) }

// ScenarioStarted names the scenario.
func (l *Lines) ScenarioStarted(slot int, s *scenarios.Scenario) {
	l.printf("RUN   %s (cluster %d)\n", s.Name, slot+1)
}

// StepStarted names the step when asked to.
func (l *Lines) StepStarted(_ int, s *scenarios.Scenario, step scenarios.Step, index, of int, finally bool) {
	if !l.verbose {
		return
	}
	where := "step"
	if finally {
		where = "finally"
	}
	l.printf("      %s: %s %d/%d: %s\n", s.Name, where, index+1, of, step.Text)
}

// ScenarioFinished says how it ended.
func (l *Lines) ScenarioFinished(_ int, _ *scenarios.Scenario, r scenarios.Result) {
	l.printf("%s", Finished(r))
}

// Note prints a line.
func (l *Lines) Note(slot int, text string) { l.printf("cluster %d: %s\n", slot+1, text) }

// Finished writes how a scenario ended, with everything about its failures, for a terminal.
func Finished(r scenarios.Result) string {
	var b strings.Builder
	titles := map[scenarios.Status]string{scenarios.Passed: "PASS", scenarios.Failed: "FAIL", scenarios.KnownFailed: "KNOWN", scenarios.Undecided: "UNDECIDED", scenarios.Invalid: "INVALID", scenarios.Broken: "BROKEN", scenarios.Skipped: "SKIP", scenarios.Interrupted: "INTERRUPTED", scenarios.NotRun: "NOT RUN"}
	fmt.Fprintf(&b, "%-5s %s (%.1fs)\n", titles[r.Status], r.Name, r.Seconds)
	if r.Error != "" {
		fmt.Fprintf(&b, "  the environment failed: %s\n", r.Error)
	}
	if r.Reason != "" {
		fmt.Fprintf(&b, "  %s\n", r.Reason)
	}
	if text := knownText(r); text != "" {
		fmt.Fprintf(&b, "  %s\n", text)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "  %s\n", w)
	}
	if r.Flaky() {
		b.WriteString("  flaky: it failed before it was run once more alone:\n")
	}
	for _, f := range append(slices.Clone(r.Flaked), r.Failures...) {
		for line := range strings.Lines(f.String()) {
			b.WriteString("  " + line)
		}
	}
	return escape.Block(b.String())
}

// Summary writes the end of a run: what passed, and where the time went.
func Summary(r scenarios.Report) string {
	var b strings.Builder
	b.WriteString("\n")
	width := 0
	for _, s := range r.Scenarios {
		width = max(width, len(s.Name))
	}
	for _, s := range r.Scenarios {
		fmt.Fprintf(&b, "  %-13s %-*s %6.1fs   %s\n", s.Status.Words(), width, s.Name, s.Seconds, phaseText(s.Phases, 1))
	}
	for i, c := range causesOf(r) {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s\n", c)
	}
	fmt.Fprintf(&b, "\n%d passed, %d failed", r.Count(scenarios.Passed), r.Count(scenarios.Failed))
	if n := r.Count(scenarios.Broken); n > 0 {
		fmt.Fprintf(&b, ", %d broken by the environment", n)
	}
	for _, status := range []scenarios.Status{scenarios.Invalid, scenarios.Undecided, scenarios.KnownFailed, scenarios.Skipped, scenarios.Interrupted, scenarios.NotRun} {
		if n := r.Count(status); n > 0 {
			fmt.Fprintf(&b, ", %d %s", n, countedWords(status, n))
		}
	}
	if names := r.FlakyNames(); len(names) > 0 {
		fmt.Fprintf(&b, ", %d flaky (%s)", len(names), strings.Join(names, ", "))
	}
	if names := r.PassedThoughKnown(); len(names) > 0 {
		fmt.Fprintf(&b, ", %d %s (%s)", len(names), scenarios.PassedThoughKnown, strings.Join(names, ", "))
	}
	if names := warnedNames(r); len(names) > 0 {
		fmt.Fprintf(&b, ", %d with warnings (%s)", len(names), strings.Join(names, ", "))
	}
	total := time.Duration(r.Seconds * float64(time.Second)).Round(100 * time.Millisecond)
	fmt.Fprintf(&b, " in %s%s on %s, seed %d, machine factor %.1f, CCM %s\n", total, paceOf(r), words.Plural(r.Parallel, "cluster"), r.Seed, max(r.Factor, 1), r.Subject)
	fmt.Fprintf(&b, "time per cluster: %s\n", phaseText(r.Phases, float64(r.Parallel)))
	if len(r.SkipOracles) > 0 {
		fmt.Fprintf(&b, "oracles that the profile leaves out: %s\n", strings.Join(r.SkipOracles, ", "))
	}
	b.WriteString(UnsimulatedText(Unsimulated(r)))
	return escape.Block(b.String())
}

// UnsimulatedText says that a CCM asked for what simcloud does not simulate; empty when it did not.
func UnsimulatedText(calls []string) string {
	if len(calls) == 0 {
		return ""
	}
	return "the CCM asked for what simcloud does not simulate, so what follows from these calls is not its fault:\n  " + strings.Join(calls, "\n  ") + "\n"
}

// pace says how many scenarios ran in a minute; nothing of a run that was too short to tell.
func paceOf(r scenarios.Report) string {
	ran := r.Count(scenarios.Passed) + r.Count(scenarios.Failed) + r.Count(scenarios.KnownFailed) + r.Count(scenarios.Undecided)
	if ran < 2 || r.Seconds < 1 {
		return ""
	}
	return fmt.Sprintf(" (%.1f scenarios a minute)", float64(ran)*60/r.Seconds)
}

// phaseText lists the phases that took time, divided by n.
func phaseText(phases map[scenarios.Phase]float64, n float64) string {
	var parts []string
	for _, p := range scenarios.Phases() {
		if seconds := phases[p]; seconds/n >= 0.05 {
			parts = append(parts, fmt.Sprintf("%s %.1fs", p, seconds/n))
		}
	}
	return strings.Join(parts, ", ")
}
