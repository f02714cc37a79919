package core

import (
	"context"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// transition is what a verb does to an instance's state.
type transition struct {
	from   []simcloud.InstanceState // where it is allowed
	during simcloud.InstanceState
	to     simcloud.InstanceState
	// again is whether it happens also when the state is there already.
	again bool
	// resumes is whether a suspended instance stays so until the end: it goes
	// on where it was.
	resumes bool
}

var (
	starting = transition{
		from: []simcloud.InstanceState{
			simcloud.InstanceStopped, simcloud.InstanceSuspended, simcloud.InstanceError, simcloud.InstanceRunning,
		},
		during: simcloud.InstancePending, to: simcloud.InstanceRunning, resumes: true,
	}
	stopping = transition{
		from: []simcloud.InstanceState{
			simcloud.InstanceRunning, simcloud.InstanceSuspended, simcloud.InstanceError, simcloud.InstanceStopped,
		},
		during: simcloud.InstanceStopping, to: simcloud.InstanceStopped,
	}
	rebooting = transition{
		from:   []simcloud.InstanceState{simcloud.InstanceRunning},
		during: simcloud.InstanceRebooting, to: simcloud.InstanceRunning, again: true,
	}
	suspending = transition{
		from:   []simcloud.InstanceState{simcloud.InstanceRunning, simcloud.InstanceSuspended},
		during: simcloud.InstanceRunning, to: simcloud.InstanceSuspended,
	}
)

// StartInstance starts a stopped instance, and lets a suspended one go on.
func (m mutations) StartInstance(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return m.shift(ctx, "StartInstance", id, starting, opts)
}

// StopInstance stops an instance; it keeps its addresses.
func (m mutations) StopInstance(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return m.shift(ctx, "StopInstance", id, stopping, opts)
}

// RebootInstance stops and starts a running instance.
func (m mutations) RebootInstance(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return m.shift(ctx, "RebootInstance", id, rebooting, opts)
}

// SuspendInstance halts a running instance; it keeps its addresses.
func (m mutations) SuspendInstance(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	return m.shift(ctx, "SuspendInstance", id, suspending, opts)
}

func (m mutations) shift(ctx context.Context, verb string, id simcloud.ID, by transition, opts []simcloud.CallOption) (instanceResult, error) {
	req := request{verb: verb, ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (instanceResult, error) {
		instance, err := getForUpdate(t, store.Instances, id)
		if err != nil {
			return instanceResult{}, err
		}
		change, err := by.decide(instance)
		if err != nil {
			return instanceResult{}, err
		}
		if !change {
			return t.unchangedInstance(instance)
		}
		return t.transit(instance, by)
	})
}

// decide reports whether the instance changes; Conflict when its state does not allow it.
func (t transition) decide(instance simcloud.Instance) (change bool, err error) {
	if slices.Contains(t.from, instance.State) {
		return t.again || instance.State != t.to, nil
	}
	return false, simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindInstance, instance.ID),
		"the instance is %s, from which it cannot become %s", instance.State, t.to)
}

// transit takes a changed instance through a transition. Capacity: it would
// have to be started in a zone that is down.
func (t *txn) transit(instance simcloud.Instance, by transition) (instanceResult, error) {
	if by.to == simcloud.InstanceRunning {
		zone, err := store.Zones.Get(t.tx, instance.Zone)
		if err == nil {
			err = t.isUp(zone)
		}
		if err != nil {
			return instanceResult{}, err
		}
	}
	during := by.during
	if by.resumes && instance.State == simcloud.InstanceSuspended {
		during = simcloud.InstanceSuspended
	}
	return t.pass(instance, during, by.to)
}

// pass keeps a changed instance, which goes through one state into another.
func (t *txn) pass(instance simcloud.Instance, during, to simcloud.InstanceState) (instanceResult, error) {
	op, err := t.start(simcloud.KindInstance, instance.ID, true)
	if err != nil {
		return instanceResult{}, err
	}
	effects := enter(&instance, op, during, to)
	if err := t.saveInstance(&instance); err != nil {
		return instanceResult{}, err
	}
	return instanceResult{Resource: instance, Operation: op}, t.record(&op, effects...)
}

func (t *txn) unchangedInstance(instance simcloud.Instance) (instanceResult, error) {
	op, err := t.unchanged(simcloud.KindInstance, instance.ID)
	return instanceResult{Resource: instance, Operation: op}, err
}

// enter puts an instance into the state that the operation leads to, or while
// it runs into the one before, and returns what is left to do.
func enter(instance *simcloud.Instance, op simcloud.Operation, during, to simcloud.InstanceState) []store.Effect {
	if !running(op) {
		instance.State = to
		return nil
	}
	instance.State, instance.Operation = during, op.ID
	return []store.Effect{{Ref: store.Ref{Kind: simcloud.KindInstance, ID: instance.ID}, State: string(to)}}
}

// saveInstance keeps a changed instance and what follows from its state.
func (t *txn) saveInstance(instance *simcloud.Instance) error {
	zone, err := store.Zones.Get(t.tx, instance.Zone)
	if err != nil {
		return err
	}
	observe(instance, zone)
	if err := store.Instances.Update(t.tx, t.now, instance); err != nil {
		return err
	}
	return t.refreshTargets(*instance)
}

// applyInstance ends an operation on an instance; "" means that it is gone.
func (t *txn) applyInstance(id simcloud.ID, state simcloud.InstanceState) error {
	instance, err := store.Instances.Get(t.tx, id)
	if err != nil {
		return err
	}
	if state == "" {
		return t.bury(instance)
	}
	ended := instance.Operation
	instance.State, instance.Operation = state, ""
	if err := t.keepVolumes(instance, ended); err != nil {
		return err
	}
	return t.saveInstance(&instance)
}
