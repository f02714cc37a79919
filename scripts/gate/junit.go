package main

import (
	"encoding/xml"
	"fmt"
	"os"

	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string       `xml:"name,attr"`
	Classname string       `xml:"classname,attr"`
	Time      string       `xml:"time,attr"`
	Failure   *junitDetail `xml:"failure"`
	// Flaky is how a test failed that passed when it was run once more, as Maven's Surefire writes it.
	Flaky   *junitDetail `xml:"flakyFailure"`
	Skipped *junitDetail `xml:"skipped"`
}

type junitDetail struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// writeJUnit writes all results as JUnit's XML.
func (g *gate) writeJUnit(path string) error {
	var all junitSuites
	for _, r := range g.results {
		passed, failed, skipped := r.count()
		suite := junitSuite{Name: r.ImportPath, Tests: passed + failed + skipped, Failures: failed, Skipped: skipped, Time: fmt.Sprintf("%.3f", r.Elapsed)}
		for _, t := range r.Tests {
			suite.Cases = append(suite.Cases, caseOf(r, t))
		}
		if r.failedWhole() {
			suite.Cases = append(suite.Cases, junitCase{
				Name: "package", Classname: r.ImportPath, Failure: &junitDetail{wholeFailure, escape.XML(r.Output.String())},
			})
		}
		all.Suites = append(all.Suites, suite)
	}
	raw, err := xml.MarshalIndent(all, "", "  ")
	if err == nil {
		err = os.WriteFile(path, append([]byte(xml.Header), append(raw, '\n')...), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	return nil
}

func caseOf(r *packageResult, t *testResult) junitCase {
	c := junitCase{Name: t.Name, Classname: r.ImportPath, Time: fmt.Sprintf("%.3f", t.Elapsed)}
	switch {
	case t.Flaked != "":
		c.Flaky = &junitDetail{"failed, and passed when it was run once more alone", escape.XML(t.Flaked)}
	case t.Action == "skip":
		c.Skipped = &junitDetail{Message: escape.XML(lastLine(t.Output.String()))}
	case t.Action != "pass":
		c.Failure = &junitDetail{"failed", escape.XML(t.Output.String())}
	}
	return c
}
