package scenarios

import (
	"context"
	"time"

	"go.yaml.in/yaml/v3"
)

var sleepVerb = verb{
	name:   "sleep",
	doc:    "lets time pass; an expectation is nearly always better",
	schema: durationSchema,
	parse: func(d *decoder) parsed {
		a := &sleepAction{}
		return parsed{
			action: a,
			decode: func(n *yaml.Node) { d.duration("sleep", &a.d)(n) },
			text:   func() string { return a.d.String() },
		}
	},
}

type sleepAction struct{ d time.Duration }

func (a *sleepAction) run(ctx context.Context, _ *stage) error {
	select {
	case <-time.After(a.d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// limit is the time that the step takes at least.
func (a *sleepAction) limit() time.Duration { return a.d }
