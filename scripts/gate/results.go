package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// event is a line of go test -json and of test2json.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

// testResult is how a test, or a subtest, ended.
type testResult struct {
	Name    string // such as "TestAPI/CreateInstance"
	Action  string // pass, fail or skip; empty when the process ended in the middle of it
	Elapsed float64
	Output  strings.Builder
	// Flaked is what the test printed when it failed before the run that this is of.
	Flaked string
}

// root names the test that this is, or is a part of.
func (t *testResult) root() string {
	root, _, _ := strings.Cut(t.Name, "/")
	return root
}

// packageResult is how the tests of a package ended.
type packageResult struct {
	ImportPath string
	Action     string
	Elapsed    float64
	Tests      []*testResult
	Output     strings.Builder // of no test

	byName map[string]*testResult
	ended  bool // an event was its end
}

func (p *packageResult) test(name string) *testResult {
	if t := p.byName[name]; t != nil {
		return t
	}
	if p.byName == nil {
		p.byName = map[string]*testResult{}
	}
	t := &testResult{Name: name}
	p.byName[name], p.Tests = t, append(p.Tests, t)
	return t
}

// take adds an event. It reports whether the package has ended with it.
func (p *packageResult) take(e event) (ended bool) {
	if e.Test == "" {
		switch e.Action {
		case "output", "build-output":
			p.Output.WriteString(e.Output)
		case "pass", "fail", "skip":
			p.Action, p.Elapsed, p.ended = e.Action, e.Elapsed, true
			return true
		}
		return false
	}
	t := p.test(e.Test)
	switch e.Action {
	case "output":
		t.Output.WriteString(e.Output)
	case "pass", "fail", "skip":
		t.Action, t.Elapsed = e.Action, e.Elapsed
	}
	return false
}

// count counts tests and subtests by how they ended. What did not end has failed.
func (p *packageResult) count() (passed, failed, skipped int) {
	for _, t := range p.Tests {
		switch t.Action {
		case "pass":
			passed++
		case "skip":
			skipped++
		default:
			failed++
		}
	}
	if p.Action != "pass" && p.Action != "skip" && failed == 0 {
		failed = 1 // it did not build, or ended by itself
	}
	return passed, failed, skipped
}

// failed reports whether the package or a test of it failed.
func (p *packageResult) failed() bool {
	_, failed, _ := p.count()
	return failed > 0
}

// failures are the tests that failed and have no subtest that did: the causes.
func (p *packageResult) failures() (causes []*testResult) {
	for _, t := range p.Tests {
		if t.Action == "pass" || t.Action == "skip" {
			continue
		}
		if !slices.ContainsFunc(p.Tests, func(sub *testResult) bool {
			return strings.HasPrefix(sub.Name, t.Name+"/") && sub.Action != "pass" && sub.Action != "skip"
		}) {
			causes = append(causes, t)
		}
	}
	return causes
}

// finished reports whether the test binary printed its verdict: one that panics, times out or exits in a test does not.
func (p *packageResult) finished() bool {
	for line := range strings.Lines(p.Output.String()) {
		if line = strings.TrimSpace(line); line == "PASS" || line == "FAIL" {
			return true
		}
	}
	return false
}

// raceTexts are what the race detector and package testing print of a data race.
var raceTexts = []string{"WARNING: DATA RACE", "race detected during execution of test"}

// raced reports whether any output of the package shows a data race. A race is printed with whichever test printed last,
// so that the output of tests that passed counts too.
func (p *packageResult) raced() bool {
	shows := func(output string) bool {
		return slices.ContainsFunc(raceTexts, func(text string) bool { return strings.Contains(output, text) })
	}
	return shows(p.Output.String()) || slices.ContainsFunc(p.Tests, func(t *testResult) bool { return shows(t.Output.String()) })
}

// defect is why no failed test of the package may pass as flaky. It is empty when they may.
func (p *packageResult) defect() string {
	switch {
	case p.raced():
		return "its output shows a data race"
	case !p.finished():
		return "its test binary panicked, timed out or exited in a test"
	}
	return ""
}

// wholeFailure is what the reports say of a package that failed while no test of it did.
const wholeFailure = "the package does not build, or its tests ended early"

// failedWhole reports whether the package failed and no test of it did.
func (p *packageResult) failedWhole() bool { return p.failed() && len(p.failures()) == 0 }

// read reads events into results by package. It calls told after each event.
func read(r io.Reader, told func(p *packageResult, e event, ended bool)) ([]*packageResult, error) {
	byPath := map[string]*packageResult{}
	var all []*packageResult
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return all, fmt.Errorf("read what the tests say: %w: %.200s", err, lines.Text())
		}
		name := e.Package
		if name == "" { // what the compiler says comes before the package that it is about
			name, _, _ = strings.Cut(e.ImportPath, " ")
		}
		p := byPath[name]
		if p == nil {
			p = &packageResult{ImportPath: name}
			byPath[name], all = p, append(all, p)
		}
		told(p, e, p.take(e))
	}
	return all, lines.Err()
}
