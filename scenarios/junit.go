package scenarios

import (
	"encoding/xml"
	"fmt"
	"strings"
	"unicode"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	Classname string        `xml:"classname,attr"`
	File      string        `xml:"file,attr"`
	Time      string        `xml:"time,attr"`
	Failures  []junitDetail `xml:"failure"`
	Error     *junitDetail  `xml:"error"`
	Skipped   *struct{}     `xml:"skipped"`
}

type junitDetail struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes the report as JUnit's XML, for CI servers.
func JUnit(r Report) ([]byte, error) {
	failures, broken, notRun := r.Count(Failed), r.Count(Broken), r.Count(NotRun)+r.Count(Interrupted)
	suite := junitSuite{
		Name: "simcloud", Tests: len(r.Scenarios), Failures: failures, Errors: broken, Skipped: notRun,
		Time: seconds(r.Seconds), Timestamp: r.Started.UTC().Format("2006-01-02T15:04:05"),
		Properties: []junitProperty{{"seed", fmt.Sprint(r.Seed)}, {"ccm", r.Subject}, {"clusters", fmt.Sprint(r.Parallel)}},
	}
	for _, s := range r.Scenarios {
		suite.Cases = append(suite.Cases, junitCaseOf(s))
	}
	raw, err := xml.MarshalIndent(junitSuites{
		Name: suite.Name, Tests: suite.Tests, Failures: failures, Errors: broken, Skipped: notRun, Time: suite.Time, Suites: []junitSuite{suite},
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write JUnit: %w", err)
	}
	return append([]byte(xml.Header), append(raw, '\n')...), nil
}

func junitCaseOf(s Result) junitCase {
	c := junitCase{Name: s.Name, Classname: "simcloud.scenarios", File: s.File, Time: seconds(s.Seconds)}
	for _, f := range s.Failures {
		message := f.Headline
		if f.Because != "" {
			message += ": " + f.Because
		}
		c.Failures = append(c.Failures, junitDetail{printable(message), printable(f.String())})
	}
	switch s.Status {
	case Broken:
		c.Error = &junitDetail{printable(s.Error), printable(s.Error)}
	case NotRun, Interrupted:
		c.Skipped = &struct{}{}
	case Passed, Failed: // say all already
	}
	return c
}

// printable leaves out what XML cannot hold, such as the colours of a log.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) {
			return r
		}
		return -1
	}, text)
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }
