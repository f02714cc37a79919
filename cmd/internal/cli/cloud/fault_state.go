package cloud

import (
	"context"
	"io"
	"time"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// The states of a fault rule.
const (
	faultWaiting = "waiting" // its time, or the first call that it does not skip, is to come
	faultActive  = "active"
	faultSpent   = "spent" // it has fired as often as it may, or its time is over
)

// faultRow is a rule and what it does now.
type faultRow struct {
	fault.Rule
	state string
}

// faultRows has the state of each rule, by the cloud's clock.
func faultRows(ctx context.Context, c *client.Client, rules []fault.Rule) ([]faultRow, error) {
	var now time.Time
	rows := make([]faultRow, 0, len(rules))
	for _, rule := range rules {
		if timed := rule.When.After > 0 || rule.When.Until > 0; timed && now.IsZero() {
			clock, err := c.GetClock(ctx)
			if err != nil {
				return nil, err
			}
			now = clock.Now
		}
		rows = append(rows, faultRow{rule, faultState(rule, now)})
	}
	return rows, nil
}

// faultState tells what a rule does at a moment, which counts for rules that have times.
func faultState(r fault.Rule, now time.Time) string {
	at := func(d simcloud.Duration) time.Time { return r.Added.Add(time.Duration(d)) }
	switch when := r.When; {
	case when.Times > 0 && r.Hits >= when.Times, r.Effect.Sequence != nil && r.Hits >= uint64(len(*r.Effect.Sequence)), when.Until > 0 && !now.Before(at(when.Until)):
		return faultSpent
	case r.Calls < when.Skip, when.After > 0 && now.Before(at(when.After)):
		return faultWaiting
	}
	return faultActive
}

// printFaults prints rules of which so many were asked for.
func printFaults(ctx context.Context, c *client.Client, out io.Writer, f output.Format, rules []fault.Rule, asked int) error {
	rows, err := faultRows(ctx, c, rules)
	if err != nil {
		return err
	}
	return faultTable.All(out, f, rows, asked)
}
