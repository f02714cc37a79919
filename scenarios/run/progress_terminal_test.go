package run

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// screen is what a terminal shows after what was written to it.
func screen(written string) []string {
	var lines []string
	for line := range strings.Lines(written) {
		for strings.HasPrefix(line, "\x1b[1A\x1b[2K") {
			line = strings.TrimPrefix(line, "\x1b[1A\x1b[2K")
			lines = lines[:len(lines)-1]
		}
		if line != "" {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

// TestTerminal: what runs is in lines that change, with how far the run is; what ended stays above them.
func TestTerminal(t *testing.T) {
	one, two := parsedScenario(t, "one", ""), parsedScenario(t, "two", "")
	synctest.Test(t, func(t *testing.T) { showsTwo(t, one, two) }) // the lines tell how long each has taken
}

func showsTwo(t *testing.T, one, two *scenarios.Scenario) {
	t.Helper()
	var out bytes.Buffer
	terminal := report.NewTerminal(&out, 1, func() int { return 60 })
	terminal.Expect(3)
	terminal.ScenarioStarted(0, one)
	terminal.ScenarioFinished(0, one, scenarios.Result{Name: "one", Status: scenarios.Failed, Failures: []scenarios.Failure{{Position: "one.yaml:1:1", Headline: "the expectation is false"}}})
	terminal.ScenarioStarted(0, two)
	time.Sleep(90 * time.Second)
	terminal.StepStarted(0, two, two.Steps[0], 0, 5, false)
	terminal.Close()
	before, _, _ := strings.Cut(out.String(), "[1]")
	if strings.Contains(before, "PASS") {
		t.Errorf("before anything ran: %q", before)
	}
	shown := out.String()[:strings.LastIndex(out.String(), "\x1b[1A\x1b[2K\x1b[1A")]
	last := screen(shown)
	if len(last) < 4 || !strings.HasPrefix(last[0], "FAIL  one") || !strings.Contains(last[1], "the expectation is false") {
		t.Fatalf("the screen shows %q", last)
	}
	if got := last[len(last)-2]; !strings.HasPrefix(got, "[1]   90s two: 1/5 expect now: nodes.size()") || len([]rune(got)) > 59 {
		t.Errorf("the line of the cluster is %q", got)
	}
	if got := last[len(last)-1]; !strings.HasPrefix(got, "1 of 3 scenarios, 1 failed, ") {
		t.Errorf("the last line is %q", got)
	}
	if rest := screen(out.String()); len(rest) != 2 {
		t.Errorf("after Close the screen shows %q", rest)
	}
}

// TestTerminalIsToldHowMany: the runner says how many scenarios there will be.
func TestTerminalIsToldHowMany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		terminal := report.NewTerminal(&out, 1, func() int { return 80 })
		r := Runner{Reporter: terminal, Repeat: 2, Open: func(context.Context, int) (Cluster, error) { return steptest.NewCluster(t), nil }}
		if _, err := r.Run(t.Context(), []*scenarios.Scenario{parsedScenario(t, "one", "")}); err != nil {
			t.Fatal(err)
		}
		terminal.Close()
		if !strings.Contains(out.String(), "1 of 2 scenarios, 0 failed") {
			t.Errorf("the terminal shows %q", out.String())
		}
	})
}
