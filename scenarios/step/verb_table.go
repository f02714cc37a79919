package step

import (
	"context"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// action is what a step does when its turn comes.
type action interface {
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

// Run runs what a step does.
func Run(ctx context.Context, st *Stage, step scenarios.Step) error {
	ended := st.Acting(step)
	defer ended()
	return step.Action.(action).run(ctx, st)
}
