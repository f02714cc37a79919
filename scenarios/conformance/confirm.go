package conformance

import (
	"context"
	"errors"
	"fmt"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// often counts in how many runs a scenario showed its failure.
type often struct{ runs, seen int }

// more reports whether the failure was seen in a larger part of the runs than another one.
func (o often) more(than often) bool { return o.seen*than.runs > than.seen*o.runs }

// confirm counts how often what is left of each failure shows it. A short scenario ends with the step that failed, which a
// race may pass, so that a later one fails: the whole scenario takes its place when it shows the failure more often.
func (c Conformer) confirm(ctx context.Context, failures []shortening) error {
	c.expectFailures()
	err := c.count(ctx, failures, shortening.Same)
	var short, whole []shortening
	for _, f := range failures {
		if f.often.seen == f.often.runs {
			continue
		}
		if w, longer := f.whole(); longer {
			short, whole = append(short, f), append(whole, w)
		}
	}
	err = errors.Join(err, c.count(ctx, whole, func(_ shortening, r scenarios.Result) bool { return r.Status == scenarios.Failed }))
	for i, w := range whole {
		if w.often.more(*short[i].often) {
			*short[i].Shortener, *short[i].often = *w.Shortener, *w.often
		}
	}
	return err
}

// whole is the same failure with the whole scenario. It reports false when nothing of it is left out.
func (f shortening) whole() (shortening, bool) {
	shortener := *f.Shortener
	f.Shortener, f.often = &shortener, &often{}
	return f, shortener.Lengthen()
}

// count runs what is left of each failure, all of them at a time, until each was run as often as it is to be, or ctx ends.
func (c Conformer) count(ctx context.Context, failures []shortening, shows func(shortening, scenarios.Result) bool) error {
	var left []*scenarios.Scenario
	for _, f := range failures {
		s, err := f.Scenario()
		if err != nil {
			return fmt.Errorf("run what is left of %s: %w", f.result.Name, err)
		}
		left = append(left, s)
	}
	for i := range c.Confirm {
		if len(left) == 0 || ctx.Err() != nil {
			return nil
		}
		c.Runner.Reporter.Note(0, fmt.Sprintf("%s to run once more, %d of %d, to count how often they fail", words.Plural(len(left), "failure"), i+1, c.Confirm))
		report, err := c.run(ctx, left)
		for j, r := range report.Scenarios {
			failures[j].often.add(r, shows(failures[j], r))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add counts a run that came to its end.
func (o *often) add(r scenarios.Result, shows bool) {
	if r.Status != scenarios.Passed && r.Status != scenarios.Failed {
		return
	}
	o.runs++
	if shows {
		o.seen++
	}
}
