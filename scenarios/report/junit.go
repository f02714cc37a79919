package report

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	junitCounts

	Suites []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	junitCounts

	Timestamp  string          `xml:"timestamp,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

// junitCounts is what is said of all suites, and of each.
type junitCounts struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name      string       `xml:"name,attr"`
	Classname string       `xml:"classname,attr"`
	File      string       `xml:"file,attr"`
	Time      string       `xml:"time,attr"`
	Failure   *junitDetail `xml:"failure"`
	// Flaky has how a case failed that passed when it was run once more, as Maven's Surefire writes it.
	Flaky     []junitDetail `xml:"flakyFailure"`
	Error     *junitDetail  `xml:"error"`
	Skipped   *junitSkipped `xml:"skipped"`
	SystemOut string        `xml:"system-out,omitempty"`
}

type junitSkipped struct {
	Message string `xml:"message,attr,omitempty"`
}

type junitDetail struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes the report as JUnit's XML, for CI servers.
func JUnit(r scenarios.Report) ([]byte, error) {
	suite := junitSuite{
		junitCounts: junitCounts{
			Name: "simcloud", Tests: len(r.Scenarios), Failures: r.Count(scenarios.Failed), Errors: r.Count(scenarios.Broken) + r.Count(scenarios.Invalid),
			Skipped: r.Count(scenarios.NotRun) + r.Count(scenarios.Interrupted) + r.Count(scenarios.Skipped) + r.Count(scenarios.KnownFailed) + r.Count(scenarios.Undecided), Time: seconds(r.Seconds),
		},
		Timestamp: r.Started.UTC().Format("2006-01-02T15:04:05"),
		Properties: []junitProperty{
			{"seed", fmt.Sprint(r.Seed)}, {"ccm", escape.XML(r.Subject)}, {"clusters", fmt.Sprint(r.Parallel)}, {"factor", fmt.Sprintf("%.1f", max(r.Factor, 1))},
			{"flaky", fmt.Sprint(len(r.FlakyNames()))},
			{"undecided", fmt.Sprint(r.Count(scenarios.Undecided))}, {"known failures", fmt.Sprint(r.Count(scenarios.KnownFailed))}, {scenarios.PassedThoughKnown, fmt.Sprint(len(r.PassedThoughKnown()))},
		},
	}
	for _, s := range r.Scenarios {
		suite.Cases = append(suite.Cases, junitCaseOf(r, s))
	}
	raw, err := xml.MarshalIndent(junitSuites{junitCounts: suite.junitCounts, Suites: []junitSuite{suite}}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write JUnit: %w", err)
	}
	return append([]byte(xml.Header), append(raw, '\n')...), nil
}

func junitCaseOf(r scenarios.Report, s scenarios.Result) junitCase {
	c := junitCase{Name: escape.XML(s.Name), Classname: escape.XML(junitClass(s)), File: escape.XML(s.File), Time: seconds(s.Seconds)}
	if !IsHarmless(s.Status) || s.Known != nil || len(s.Warnings) > 0 {
		c.SystemOut = escape.XML(junitOutput(r, s))
	}
	switch s.Status {
	case scenarios.Failed:
		c.Failure = junitFailure(s)
	case scenarios.Invalid:
		c.Error = junitFailure(s)
		c.Error.Type = "invalid"
	case scenarios.KnownFailed: // a failure would fail the job, and JUnit has no word for one that is expected
		c.Skipped = &junitSkipped{escape.XML(knownText(s))}
	case scenarios.Broken:
		c.Error = &junitDetail{escape.XML(firstLine(s.Error)), "environment", escape.XML(s.Error)}
	case scenarios.Undecided: // as one that was skipped it is neither a failure nor a test that passed
		c.Skipped = &junitSkipped{escape.XML("undecided: " + firstLine(s.Reason))}
	case scenarios.Skipped:
		c.Skipped = &junitSkipped{escape.XML(s.Reason)}
	case scenarios.NotRun:
		c.Skipped = &junitSkipped{"the run was ended before its turn"}
	case scenarios.Interrupted:
		c.Skipped = &junitSkipped{"the run was ended in the middle of it"}
	case scenarios.Passed:
		c.Flaky = junitFlakes(s)
	}
	return c
}

// junitFlakes are the failures of a scenario that passed when it was run once more.
func junitFlakes(s scenarios.Result) (flakes []junitDetail) {
	for _, f := range s.Flaked {
		flakes = append(flakes, junitDetail{Message: escape.XML(firstLine(f.Headline)), Type: "flaky", Text: escape.XML(f.String())})
	}
	return flakes
}

// junitFailure is one element for all failures of a scenario: a case has one
// end in JUnit's schemas, and some servers show the first one alone, or refuse several.
func junitFailure(s scenarios.Result) *junitDetail {
	detail := junitDetail{Message: escape.XML(headlineOf(s)), Type: "step"}
	for i, f := range s.Failures {
		if i == 0 && f.Oracle != "" {
			detail.Type = "oracle " + f.Oracle
		}
		detail.Text += escape.XML(f.String())
	}
	if more := len(s.Failures) - 1; more > 0 {
		detail.Message += fmt.Sprintf(" (and %s)", words.Plural(more, "more failure"))
	}
	return &detail
}

// junitClass groups scenarios as CI servers show test cases: by what they are about.
func junitClass(s scenarios.Result) string {
	class := "simcloud"
	for _, label := range []string{"tier", "area"} {
		if value := s.Labels[label]; value != "" {
			class += "." + value
		}
	}
	if class == "simcloud" {
		return "simcloud.scenarios"
	}
	return class
}

// junitOutput says what the scenario did, and how to do it again.
func junitOutput(r scenarios.Report, s scenarios.Result) string {
	var b strings.Builder
	if s.Known != nil {
		b.WriteString(knownText(s) + "\n")
	}
	if s.Known != nil || s.Status == scenarios.Undecided {
		for _, f := range s.Failures {
			b.WriteString(f.String())
		}
	}
	for _, w := range s.Warnings {
		b.WriteString(w.String() + "\n")
	}
	for _, step := range s.Steps {
		end, finally := "passed", ""
		if !step.Passed {
			end = "FAILED"
		}
		if step.Finally {
			finally = "finally "
		}
		fmt.Fprintf(&b, "%8.2fs %s in %.2fs: %s%s (%s)\n", step.At, end, step.Seconds, finally, step.Step, step.Position)
	}
	return b.String() + "again: " + againCommand(r, s) + "\n"
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }
