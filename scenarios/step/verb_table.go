package step

import (
	"context"
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// action is what a step does when its turn comes.
type action interface {
	syntax.Action
	run(ctx context.Context, st *Stage) error
}

// Verbs returns the table of what a step can do, besides to use the steps of another file.
func Verbs() []syntax.Verb {
	return []syntax.Verb{
		cloudVerb, faultVerb, clearFaultsVerb, applyVerb, deleteVerb, patchVerb, scaleVerb, ccmVerb, machineVerb,
		kubeVerb, simulatorVerb, clockVerb, captureVerb, expectVerb, sleepVerb,
		httpVerb, udpVerb, execVerb, trafficVerb,
	}
}

// Run runs what a step does, and notes what may have changed the world.
func Run(ctx context.Context, st *Stage, step scenarios.Step) error {
	ended := st.Acting(step)
	defer ended()
	return st.applied(step.Action.(action).run(ctx, st))
}

// Act is a step that may have changed the world, and when it ran.
type Act struct {
	Verb     string
	From, To time.Time
}

// Acting notes that a step begins; the function that it returns, that the step has ended.
func (st *Stage) Acting(step scenarios.Step) (ended func()) {
	if effectOf(step.Verb) == syntax.ReadOnly {
		return func() {}
	}
	st.Acts = append(st.Acts, Act{Verb: step.Verb, From: time.Now()})
	return func() { st.Acts[len(st.Acts)-1].To = time.Now() }
}

func effectOf(verb string) syntax.Effect {
	verbs := Verbs()
	return verbs[slices.IndexFunc(verbs, func(v syntax.Verb) bool { return v.Name == verb })].Effect
}
