package report

import (
	htmltemplate "html/template"
	"net/url"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// pageScenario is what the page shows of a scenario.
type pageScenario struct {
	scenarios.Result
	Index        int
	Open         bool // from the beginning
	Words        string
	LabelTexts   []string
	Headline     string
	Failures     []pageFailure
	PhaseText    string
	Command      string
	LogFolder    string // as a reference has it
	Ran          bool
	HasCCM       bool // it has a log
	SourceLines  []sourceLine
	TimelineJSON htmltemplate.JS
}

// pageFailure is what the page shows of a failure.
type pageFailure struct {
	scenarios.Failure
	// HasSpan is whether it is known when it happened, From and To are when.
	HasSpan  bool
	From, To float64
	Sections []pageSection
}

// pageSection is a part of a failure that can be folded away.
type pageSection struct {
	Title, Text string
	Open        bool
}

// mostOpen is how many failures are unfolded from the beginning.
const mostOpen = 3

// withoutCCM is the subject of a run with --ccm none.
const withoutCCM = "none"

func newPageScenario(r scenarios.Report, s scenarios.Result, index int) (pageScenario, error) {
	p := pageScenario{
		Result: s, Index: index, Words: s.Status.Words(), LabelTexts: labelTexts(s.Labels), Headline: headlineOf(s),
		PhaseText: phaseText(s.Phases, 1), Command: againCommand(r, s), LogFolder: "logs/" + url.PathEscape(s.Name), Ran: len(s.Steps) > 0 || len(s.Timeline) > 0,
		HasCCM: r.Subject != withoutCCM,
		Open:   index < mostOpen && !IsHarmless(s.Status), SourceLines: sourceLines(s),
	}
	for _, f := range s.Failures {
		p.Failures = append(p.Failures, newPageFailure(s, f))
	}
	var err error
	p.TimelineJSON, err = timelineJSON(s.Timeline)
	return p, err
}

func newPageFailure(s scenarios.Result, f scenarios.Failure) pageFailure {
	p := pageFailure{Failure: f}
	p.From, p.To, p.HasSpan = spanOf(s, f)
	for _, section := range f.Blocks() {
		lines := strings.TrimRight(strings.Join(section.Lines, "\n"), "\n")
		if lines != "" {
			p.Sections = append(p.Sections, pageSection{section.Title, lines, !section.Long})
		}
	}
	return p
}

// spanOf finds when a failure happened: the time of its step, or when the oracle saw it.
func spanOf(s scenarios.Result, f scenarios.Failure) (from, to float64, ok bool) {
	if f.Oracle != "" {
		for _, m := range s.Timeline {
			if m.Lane == scenarios.LaneOracles && m.Title == scenarios.OracleTitle(f) {
				return m.At, m.At, true
			}
		}
		return 0, 0, false
	}
	for _, step := range s.Steps {
		if !step.Passed && step.Position == f.Position && step.Finally == f.Finally {
			return step.At, step.At + step.Seconds, true
		}
	}
	return 0, 0, false
}
