package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// finish writes the report and the ledger, prints the end, and returns the exit code.
func (g *gate) finish(stderr io.Writer) int {
	var passed, failed, skipped int
	for _, r := range g.results {
		p, f, s := r.count()
		passed, failed, skipped = passed+p, failed+f, skipped+s
	}
	err := g.writeJUnit(filepath.Join(g.report, "junit.xml"))
	before, ledgerErr := g.keepLedger()
	if err = errors.Join(err, ledgerErr); err != nil {
		fmt.Fprintln(stderr, "gate:", err)
	}
	g.say("%s", "end")
	var end strings.Builder
	if g.broken != nil {
		fmt.Fprintf(&end, "the tests could not be run: %v\n", g.broken)
	}
	for _, r := range g.results {
		if r.failedWhole() {
			fmt.Fprintf(&end, "failed: %s: %s\n", r.ImportPath, wholeFailure)
		}
		for _, t := range r.failures() {
			fmt.Fprintf(&end, "failed: %s %s\n", r.ImportPath, t.Name)
		}
	}
	for _, name := range g.flaky {
		fmt.Fprintf(&end, "flaky: %s (%d times in %s)\n", name, before[name]+1, g.ledger)
	}
	fmt.Fprintf(&end, "%d flaky, %d run once more, in %s\n", len(g.flaky), g.retries, time.Since(g.began).Round(time.Second))
	fmt.Fprintf(&end, "tests: %d passed, %d failed, %d skipped\n", passed, failed, skipped)
	if summary := os.WriteFile(filepath.Join(g.report, "summary.txt"), []byte(end.String()), 0o644); summary != nil {
		fmt.Fprintln(stderr, "gate:", summary)
		err = errors.Join(err, summary)
	}
	fmt.Fprint(g.out, end.String())
	switch {
	case g.broken != nil:
		return 2
	case failed > 0:
		return 1
	case err != nil:
		return 2
	}
	return 0
}

// entry is a line of the ledger: a test on clusters that was flaky, or a test or a package that failed at night.
type entry struct {
	Time   time.Time `json:"time"`
	Commit string    `json:"commit"`
	Test   string    `json:"test"`   // the package, a space and the test's name; the package alone when it failed as a whole
	Result string    `json:"result"` // flaky or failed
}

// defaultLedger is a file of this machine, which outlives the clone that is tested.
func defaultLedger() string {
	state := os.Getenv("XDG_STATE_HOME")
	if state == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			home = os.TempDir()
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "simcloud", "gate-ledger.jsonl")
}

// keepLedger appends what was flaky, and at night what failed. It returns how
// often each test was there before.
func (g *gate) keepLedger() (before map[string]int, err error) {
	if err := os.MkdirAll(filepath.Dir(g.ledger), 0o755); err != nil {
		return nil, fmt.Errorf("write the ledger: %w", err)
	}
	file, err := os.OpenFile(g.ledger, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("write the ledger: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	before = map[string]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) == nil { // a line that a full disk has cut counts for nothing
			before[e.Test]++
		}
	}
	for _, e := range g.entries() {
		line, err := json.Marshal(e)
		if err != nil {
			return before, err
		}
		if _, err := file.Write(append(line, '\n')); err != nil {
			return before, fmt.Errorf("write the ledger: %w", err)
		}
	}
	return before, nil
}

func (g *gate) entries() (all []entry) {
	now, commit := time.Now().UTC(), g.commit
	for _, name := range g.flaky {
		all = append(all, entry{now, commit, name, "flaky"})
	}
	if !g.nightly || g.broken != nil { // what failed then may have been interrupted
		return all
	}
	for _, r := range g.results {
		if r.failedWhole() {
			all = append(all, entry{now, commit, r.ImportPath, "failed"})
		}
		for _, t := range r.failures() {
			all = append(all, entry{now, commit, r.ImportPath + " " + t.Name, "failed"})
		}
	}
	return all
}
