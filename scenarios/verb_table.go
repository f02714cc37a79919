package scenarios

import (
	"context"
)

// action is what a step does when its turn comes.
type action interface {
	run(ctx context.Context, st *stage) error
}

// verbs returns the table of what a step can do, besides to use the steps of another file.
func verbs() []verb {
	return []verb{
		cloudVerb, faultVerb, clearFaultsVerb, applyVerb, deleteVerb, patchVerb, scaleVerb, ccmVerb, machineVerb,
		kubeVerb, simulatorVerb, clockVerb, captureVerb, expectVerb, sleepVerb,
		httpVerb, udpVerb, execVerb, trafficVerb,
	}
}

// runAction runs what a step does.
func runAction(ctx context.Context, st *stage, step Step) error {
	ended := st.acting(step)
	defer ended()
	return step.action.(action).run(ctx, st)
}
