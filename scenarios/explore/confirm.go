package explore

import (
	"context"
	"fmt"
	"slices"

	"github.com/simcloud-dev/simcloud/scenarios/run"
)

// Confirmation is what became of a violation on the runner that confirms.
type Confirmation string

// The confirmations.
const (
	NotTried      Confirmation = "not tried"
	Confirmed     Confirmation = "confirmed"
	SimulatedOnly Confirmation = "happens in simulated time only"
)

// confirmations is how often a violation may fail to show there before it is not believed.
const confirmations = 3

// believe runs the file of a violation on the runner that confirms, until it breaks the rule, and writes the outcome
// into the violation and its file. It returns an error when the environment failed: then nothing is known.
func (x *exploration) believe(ctx context.Context, v *Violation, rule string) error {
	if x.Confirm == nil {
		return nil
	}
	all, err := run.Parse(v.Name+".yaml", v.Text)
	if err != nil {
		return fmt.Errorf("confirm history %d: %w", v.History, err)
	}
	if all[0].LagsAPI {
		x.progress("history %d: no real API server can be made to show what is old", v.History)
		return nil
	}
	x.progress("confirming it: its file runs outside of simulated time")
	outcome := SimulatedOnly
	for range confirmations {
		r, err := runOn(ctx, x.Confirm, 0, all[0])
		if err != nil {
			return fmt.Errorf("confirm history %d: %w", v.History, err)
		}
		if slices.ContainsFunc(violations(r), func(found violation) bool { return found.rule == rule }) {
			outcome = Confirmed
			break
		}
	}
	v.Confirmation = outcome
	v.title.comment = append(v.title.comment, outcome.comment())
	v.Text = v.shortest.write(v.title).text
	x.progress("history %d: %s", v.History, outcome)
	return nil
}

// comment says in the file what became of it.
func (c Confirmation) comment() string {
	if c == Confirmed {
		return "It was confirmed outside of simulated time."
	}
	return fmt.Sprintf("It %s: %d runs outside of it did not show it.", c, confirmations)
}
