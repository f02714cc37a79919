package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/reduce"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// shortening is a failure on its way to the shortest scenario that shows it.
type shortening struct {
	*reduce.Shortener
	scenario *scenarios.Scenario // that failed
	result   scenarios.Result
	file     string
	often    *often
}

// reproduce writes for each failure the shortest scenario that shows it, and returns these by the names of the scenarios.
func (c Conformer) reproduce(ctx context.Context, all []*scenarios.Scenario, report scenarios.Report) (map[string]*Reproduction, error) {
	folder := filepath.Join(c.Runner.Dir, ReproduceFolder)
	if err := os.RemoveAll(folder); err != nil { // of an earlier run
		return nil, fmt.Errorf("write what reproduces failures: %w", err)
	}
	var failures []shortening
	for i, r := range report.Scenarios {
		if r.Status != scenarios.Failed && r.Status != scenarios.KnownFailed || len(r.Failures) == 0 {
			continue
		}
		file := filepath.Join(folder, reduce.FileName(all[i])+".yaml")
		short, err := reduce.New(all[i], r, file, run.Parse)
		if err != nil {
			return nil, fmt.Errorf("shorten %s: %w", r.Name, err)
		}
		failures = append(failures, shortening{short, all[i], r, file, &often{}})
	}
	err := c.shorten(ctx, failures)
	err = errors.Join(err, c.confirm(ctx, failures))
	made := map[string]*Reproduction{}
	for _, f := range failures {
		errs := f.write(c.commandOf(f.file))
		err = errors.Join(err, errs)
		made[f.result.Name] = f.summary(c.commandOf(f.file))
	}
	return made, err
}

// commandOf is the command that runs a scenario file as this run does.
func (c Conformer) commandOf(file string) string {
	return report.TestCommand(file, c.Runner.Seed, c.Flags)
}

// shorten runs shorter scenarios, one of each failure at a time, until none is
// left, each was run as often as it may be, or ctx ends.
func (c Conformer) shorten(ctx context.Context, failures []shortening) (err error) {
	if c.Reference == nil {
		return nil
	}
	right := &run.Pool{Start: c.Reference}
	defer func() { err = errors.Join(err, right.CloseInTime(ctx)) }()
	c.expectFailures()
	for range c.Shorten {
		var candidates []*scenarios.Scenario
		of := map[string]shortening{}
		for _, f := range failures {
			if s := f.Next(); s != nil {
				candidates = append(candidates, s)
				of[s.Name] = f
			}
		}
		if len(candidates) == 0 || ctx.Err() != nil {
			return nil
		}
		c.Runner.Reporter.Note(0, words.Plural(len(candidates), "shorter scenario")+" to try that may fail alike")
		if err := c.try(ctx, right, candidates, of); err != nil {
			return err
		}
	}
	return nil
}

// expectFailures is for runs of what is to fail: nothing of them is in the report.
func (c *Conformer) expectFailures() {
	c.Runner.Dir, c.Runner.Reporter = "", quiet{c.Runner.Reporter}
	c.Runner.Known, c.Runner.Retries, c.Runner.FailFast, c.Runner.Pause = nil, 0, false, nil
}

// try runs shorter scenarios, and those that fail as they should once more with the correct CCM.
func (c Conformer) try(ctx context.Context, right *run.Pool, candidates []*scenarios.Scenario, of map[string]shortening) error {
	report, err := c.run(ctx, candidates)
	var alike []*scenarios.Scenario
	for i, r := range report.Scenarios {
		if of[r.Name].Same(r) {
			alike = append(alike, candidates[i])
		} else {
			of[r.Name].Tell(false)
		}
	}
	if err != nil || len(alike) == 0 {
		return err
	}
	reference := c.Runner
	reference.Open, reference.Parallel = right.Open, 1
	report, err = reference.Run(ctx, alike)
	for _, r := range report.Scenarios {
		of[r.Name].Tell(r.Status == scenarios.Passed)
	}
	return err
}

// write writes the scenario with what it shows and how to run it.
func (f shortening) write(command string) error {
	text, err := f.Draft.Text(f.comment(command))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(f.file), 0o755)
	}
	if err == nil {
		err = scenarios.WriteFile(f.file, text)
	}
	if err != nil {
		return fmt.Errorf("write what reproduces the failure of %s: %w", f.result.Name, err)
	}
	return nil
}

// comment says in whole lines what the file is.
func (f shortening) comment(command string) string {
	first := f.result.Failures[0]
	lines := []string{fmt.Sprintf("What is left of %s when it fails in the same way:", f.scenario.Name)}
	for _, text := range []string{first.Headline, cmp.Or(first.Because, f.scenario.Description)} {
		lines = append(lines, words.Wrapped(text)...)
	}
	if often := f.summary(command).Often(); often != "" {
		lines = append(lines, "", "It showed the failure "+often+".")
	}
	return strings.Join(append(lines, "", "    "+command), "\n")
}

func (f shortening) summary(command string) *Reproduction {
	return &Reproduction{
		File: filepath.ToSlash(filepath.Join(ReproduceFolder, filepath.Base(f.file))), Command: command,
		Steps: len(f.Draft.Kept), Of: len(f.scenario.Steps), Reruns: f.Reruns, Runs: f.often.runs, Seen: f.often.seen,
	}
}

// attach puts the reproductions to the failures that they show.
func (c *Verdict) attach(made map[string]*Reproduction) {
	for _, area := range c.Areas {
		for _, clause := range area.Clauses {
			for i := range clause.Scenarios {
				clause.Scenarios[i].Reproduction = made[clause.Scenarios[i].Name]
			}
		}
	}
}

// quiet is a reporter that hears of notes alone.
type quiet struct{ to report.Reporter }

// ClusterStarting says nothing.
func (quiet) ClusterStarting(int) {}

// ClusterStarted says nothing.
func (quiet) ClusterStarted(int) {}

// ScenarioStarted says nothing.
func (quiet) ScenarioStarted(int, *scenarios.Scenario) {}

// StepStarted says nothing.
func (quiet) StepStarted(int, *scenarios.Scenario, scenarios.Step, int, int, bool) {}

// ScenarioFinished says nothing.
func (quiet) ScenarioFinished(int, *scenarios.Scenario, scenarios.Result) {}

// Note passes the note on.
func (q quiet) Note(slot int, text string) { q.to.Note(slot, text) }
