package core

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// An outcome is how the operation of a call shall end, by a fault rule, instead of
// as it should. It applies to operations that lead a resource through states;
// what takes no time in any progression has happened when the call answers.

// fits says why an operation on a kind cannot end as is wanted.
func (t *txn) fits(kind simcloud.Kind) error {
	state, states := t.outcome.State, statesOf(kind)
	switch {
	case state == "" && t.outcome.Code == "",
		state == "" && (states != nil || kind == simcloud.KindRouteTable),
		slices.Contains(states, state):
		return nil
	case t.whole != nil: // it is for other calls of the Atomic
		t.outcome = simcloud.Outcome{}
		return nil
	case state == "":
		return simcloud.Errorf(simcloud.Internal, string(kind), "an operation on a %s cannot fail later than its call", kind)
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

// noteFormer remembers what leads back to before the call, if its operation is to fail so.
func (t *txn) noteFormer(kind simcloud.Kind, id simcloud.ID) (err error) {
	if t.outcome.Code == "" || t.outcome.State != "" {
		return nil
	}
	former := store.Effect{Ref: store.Ref{Kind: kind, ID: id}}
	switch kind {
	case simcloud.KindInstance:
		var instance simcloud.Instance
		instance, err = store.Instances.Get(t.tx, id)
		former.State = string(instance.State)
	case simcloud.KindVolume:
		var volume simcloud.Volume
		volume, err = store.Volumes.Get(t.tx, id)
		former.State = string(volume.State)
	case simcloud.KindLoadBalancer:
		var lb simcloud.LoadBalancer
		lb, err = store.LoadBalancers.Get(t.tx, id)
		former.State, former.LoadBalancer = string(lb.State), &lb
	case simcloud.KindRouteTable:
		var table simcloud.RouteTable
		table, err = store.RouteTables.Get(t.tx, id)
		former.State, former.RouteTable = routeTableReady, &table
	default: // whose operations take no time
		return nil
	}
	if simcloud.CodeOf(err) == simcloud.NotFound { // the call creates it
		return nil
	}
	t.former = &former
	return err
}

// override puts the effects of an operation into a record, or those of the
// outcome in their place. What happens to other resources stays as it is.
func (t *txn) override(record *store.DueRecord, op simcloud.Operation, effects []store.Effect) {
	record.Effects = effects
	if t.outcome.State == "" && t.outcome.Code == "" {
		return
	}
	ref := refOf(op)
	meant, last := "", store.Effect{Ref: ref, State: t.outcome.State}
	record.Effects = nil
	for _, effect := range effects {
		if effect.Ref != ref {
			record.Effects = append(record.Effects, effect)
			continue
		}
		meant = effect.State
	}
	record.Code = t.outcome.Code
	if last.State == "" {
		last.State = meant
		if t.former != nil {
			last = *t.former
		}
	}
	switch text := simcloud.Ref(ref.Kind, ref.ID); {
	case record.Code != "":
		record.Failure = fmt.Sprintf("%s failed: %s is %s", op.Verb, text, last.State)
	case last.State == errorState:
		record.Code = simcloud.Internal
		record.Failure = fmt.Sprintf("%s is in error instead of %s", text, cmp.Or(meant, "gone"))
	}
	record.Effects = append(record.Effects, last)
}

// takeBack brings what changes of a load balancer can change back to what it was.
func (t *txn) takeBack(lb *simcloud.LoadBalancer, was simcloud.LoadBalancer) error {
	lb.Name, lb.Labels, lb.Protected = was.Name, was.Labels, was.Protected
	lb.Algorithm, lb.Affinity, lb.Targets = was.Algorithm, was.Affinity, was.Targets
	lb.PublicDisabled, lb.Class, lb.MaxTargets, lb.MaxListeners = was.PublicDisabled, was.Class, was.MaxTargets, was.MaxListeners
	lb.Options = was.Options
	lb.SecurityGroups = t.groupsLeft(was.SecurityGroups)
	if err := t.takeBackListeners(lb, was.Listeners); err != nil {
		return err
	}
	t.dropDocuments(lb.Listeners)
	for i, target := range lb.Targets {
		instance, err := t.machineOf(target.Instance, target.Address)
		if err != nil {
			return err
		}
		lb.Targets[i].Health = healthOf(instance, target.Reported)
	}
	return t.dropUnreachable(lb)
}
