package step

import (
	"context"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var sleepVerb = syntax.Verb{
	Name:   "sleep",
	Doc:    "lets time pass; an expectation is nearly always better",
	Schema: syntax.DurationSchema,
	Parse: func(d *syntax.Decoder) syntax.Parsed {
		a := &sleepAction{}
		return syntax.Parsed{
			Action: a,
			Decode: func(n *yaml.Node) { d.Duration("sleep", &a.d)(n) },
			Text:   func() string { return a.d.String() },
		}
	},
}

type sleepAction struct{ d time.Duration }

func (a *sleepAction) run(ctx context.Context, _ *Stage) error {
	select {
	case <-time.After(a.d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// limit is the time that the step takes at least.
func (a *sleepAction) limit() time.Duration { return a.d }
