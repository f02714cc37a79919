package step

import (
	"context"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var sleepVerb = syntax.Verb{
	Name:     "sleep",
	Doc:      "lets time pass; an expectation is nearly always better",
	Effect:   syntax.ReadOnly,
	Examples: []string{"2s"},
	New:      func() syntax.Action { return &sleepAction{} },
}

type sleepAction struct {
	For time.Duration `yaml:",value"`
}

func (a *sleepAction) Text() string { return a.For.String() }

func (a *sleepAction) run(ctx context.Context, _ *Stage) error {
	select {
	case <-time.After(a.For):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// limit is the time that the step takes at least.
func (a *sleepAction) limit() time.Duration { return a.For }
