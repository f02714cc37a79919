package core

import (
	"fmt"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// An outcome is how the operation of a call shall end, by a fault rule, instead of
// as it should. It applies to operations that lead a resource through states;
// what takes no time in any progression has happened when the call answers.

// fits says why an operation on a kind cannot end in the state that is wanted.
func (t *txn) fits(kind simcloud.Kind) error {
	state := t.outcome.State
	if state == "" || slices.Contains(statesOf(kind), state) {
		return nil
	}
	if t.whole != nil { // it is for other calls of the Atomic
		t.outcome = simcloud.Outcome{}
		return nil
	}
	return simcloud.Errorf(simcloud.Internal, string(kind), "an operation on a %s cannot end in the state %q", kind, state)
}

// statesOf returns the states that operations on a kind can lead to.
func statesOf(kind simcloud.Kind) []string {
	switch kind {
	case simcloud.KindInstance:
		return texts(instanceStates)
	case simcloud.KindLoadBalancer:
		return texts(loadBalancerStates)
	case simcloud.KindVolume:
		return texts(volumeStates)
	default:
		return nil
	}
}

func texts[S ~string](states []S) []string {
	all := make([]string, len(states))
	for i, state := range states {
		all[i] = string(state)
	}
	return all
}

// errorState is what all kinds whose operations can fail call it.
const errorState = string(simcloud.InstanceError)

// overridden turns the effects of an operation into those of the outcome. What
// happens to other resources stays as it is. It also says why the operation fails, if it does.
func (t *txn) overridden(op simcloud.Operation, effects []store.Effect) (changed []store.Effect, failure string) {
	state := t.outcome.State
	if state == "" {
		return effects, ""
	}
	ref := refOf(op)
	meant := "what it should be"
	for _, effect := range effects {
		if effect.Ref != ref {
			changed = append(changed, effect)
			continue
		}
		if meant = effect.State; meant == "" {
			meant = "gone"
		}
	}
	if state == errorState {
		failure = fmt.Sprintf("%s is in error instead of %s", simcloud.Ref(ref.Kind, ref.ID), meant)
	}
	return append(changed, store.Effect{Ref: ref, State: state}), failure
}
