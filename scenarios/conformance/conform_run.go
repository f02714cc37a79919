package conformance

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// Conformer runs the scenarios of clauses and judges a CCM by them.
type Conformer struct {
	// Runner runs the scenarios. With a Dir, what reproduces failures goes there.
	Runner run.Runner
	// Capabilities are what the CCM declares.
	Capabilities scenarios.CapabilitySet
	// Areas are the areas to look at; none are all.
	Areas []string
	// Select chooses among the scenarios that apply; nil takes all. A clause of which it leaves a
	// scenario out is not run, unless another has failed.
	Select func([]*scenarios.Scenario) []*scenarios.Scenario
	// Brief leaves a clause at its first scenario that fails.
	Brief bool
	// Patience, when it is not 0, is how long at most a step waits for what is to come.
	Patience time.Duration
	// Shorten is how often a failing scenario is run again with fewer steps.
	Shorten int
	// Confirm is how often what reproduces a failure runs in the end, to tell how often it shows the failure.
	Confirm int
	// Reference starts clusters with a CCM that keeps the clauses. A shorter scenario
	// counts when it passes there: one without the step that matters fails
	// with any CCM. Without it nothing is left out but what came after the failure.
	Reference func(ctx context.Context, slot int) (run.Cluster, error)
	// Flags are those of the command line without which a scenario would not run in the same way.
	Flags []string
}

// ReproduceFolder is the folder of a report with what reproduces its failures.
const ReproduceFolder = "reproduce"

// Run runs those of all the scenarios that check a clause and apply. The
// verdict is good in any case; the error is as that of [run.Runner.Run]. All
// clusters are gone when it returns.
func (c Conformer) Run(ctx context.Context, all []*scenarios.Scenario) (Verdict, scenarios.Report, error) {
	began := time.Now()
	closeClusters := c.keepClusters()
	chosen, leftOut := c.choose(all)
	report, err := c.runAll(ctx, chosen)
	var made map[string]*Reproduction
	if c.Runner.Dir != "" {
		var short error
		made, short = c.reproduce(ctx, chosen, report)
		err = errors.Join(err, short)
	}
	err = errors.Join(err, closeClusters(ctx))
	verdict := judge(report, all, c.Capabilities, c.Areas, leftOut)
	verdict.Seconds = time.Since(began).Seconds()
	verdict.attach(made)
	return verdict, report, err
}

// keepClusters lets clusters be used again until the function that it returns is called. One of an isolated scenario ends with it.
func (c *Conformer) keepClusters() func(context.Context) error {
	if c.Runner.Isolate != nil {
		return func(context.Context) error { return nil }
	}
	clusters := &run.Pool{Start: c.Runner.Open}
	c.Runner.Open = clusters.Open
	return clusters.CloseInTime
}

// choose returns the scenarios that are run, and the names of those that apply and were not selected.
func (c Conformer) choose(all []*scenarios.Scenario) (chosen []*scenarios.Scenario, leftOut []string) {
	applicable := c.Applicable(all)
	if c.Select == nil {
		return applicable, nil
	}
	chosen = c.Select(applicable)
	for _, s := range applicable {
		if !slices.Contains(chosen, s) {
			leftOut = append(leftOut, s.Name)
		}
	}
	return chosen, leftOut
}

// Applicable returns the scenarios of clauses of the areas that apply, in the order of the clauses.
func (c Conformer) Applicable(all []*scenarios.Scenario) []*scenarios.Scenario {
	var chosen []*scenarios.Scenario
	for _, area := range clauses() {
		if len(c.Areas) > 0 && !slices.Contains(c.Areas, area.Name) {
			continue
		}
		for _, status := range clauseStatuses(area, all) {
			for _, s := range status.scenarios {
				if len(c.Capabilities.Lacking(s)) == 0 {
					chosen = append(chosen, s)
				}
			}
		}
	}
	return chosen
}

// runAll runs the scenarios: at once, or, when it is to be brief, one of each clause after the other.
func (c Conformer) runAll(ctx context.Context, chosen []*scenarios.Scenario) (scenarios.Report, error) {
	if !c.Brief {
		return c.run(ctx, chosen)
	}
	failed := map[string]bool{}
	var whole scenarios.Report
	for left := chosen; len(left) > 0; {
		var now, later []*scenarios.Scenario
		now, left = oneOfEach(left, failed)
		report, err := c.run(ctx, now)
		whole = whole.Join(report)
		if err != nil {
			return orderedBy(whole, chosen), err
		}
		for i, r := range report.Scenarios {
			failed[now[i].Labels[labelClause]] = failed[now[i].Labels[labelClause]] || r.Status == scenarios.Failed
		}
		for _, s := range left {
			if !failed[s.Labels[labelClause]] {
				later = append(later, s)
			}
		}
		left = later
	}
	return orderedBy(whole, chosen), nil
}

// oneOfEach takes one scenario of each clause that has not failed, and leaves the others.
func oneOfEach(all []*scenarios.Scenario, failed map[string]bool) (now, later []*scenarios.Scenario) {
	taken := map[string]bool{}
	for _, s := range all {
		clause := s.Labels[labelClause]
		switch {
		case taken[clause]:
			later = append(later, s)
		case !failed[clause]:
			now = append(now, s)
			taken[clause] = true
		}
	}
	return now, later
}

func (c Conformer) run(ctx context.Context, all []*scenarios.Scenario) (scenarios.Report, error) {
	if c.Patience > 0 {
		hurried := make([]*scenarios.Scenario, len(all))
		for i, s := range all {
			hurried[i] = step.Hurried(s, c.Patience)
		}
		all = hurried
	}
	runner := c.Runner
	return runner.Run(ctx, all)
}

// ordered puts the results in the order of the scenarios, with those that were left out.
func orderedBy(r scenarios.Report, all []*scenarios.Scenario) scenarios.Report {
	results := map[string]scenarios.Result{}
	for _, result := range r.Scenarios {
		results[result.Name] = result
	}
	r.Scenarios = nil
	for _, s := range all {
		result, ran := results[s.Name]
		if !ran {
			result = scenarios.Result{
				Name: s.Name, Labels: s.Labels, File: s.Position.File, Description: s.Description,
				Status: scenarios.NotRun, Reason: "another scenario has shown already that its clause is not kept",
			}
		}
		r.Scenarios = append(r.Scenarios, result)
	}
	return r
}
