package core

import (
	"context"
	"maps"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// DeleteInstance terminates an instance.
func (c *Cloud) DeleteInstance(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	call := call{verb: "DeleteInstance", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, c, call, func(w *work) (simcloud.Operation, error) {
		instance, err := take(w, store.Instances, id)
		if err != nil {
			return simcloud.Operation{}, err
		}
		op, err := w.start(simcloud.KindInstance, id, true)
		if err != nil {
			return op, err
		}
		effects, err := w.terminate(instance, op)
		if err != nil {
			return op, err
		}
		return op, w.record(&op, effects...)
	})
}

// RecreateInstance replaces an instance by a new one, in the place that its
// zone had for the old one.
func (c *Cloud) RecreateInstance(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	call := call{verb: "RecreateInstance", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return mutate(ctx, c, call, func(w *work) (instanceResult, error) {
		old, err := take(w, store.Instances, id)
		if err != nil {
			return instanceResult{}, err
		}
		if _, err := w.zoneNamed(simcloud.KindInstance, old.Zone); err != nil {
			return instanceResult{}, err
		}
		network, err := store.Networks.Get(w.tx, old.Network)
		if err != nil {
			return instanceResult{}, err
		}
		instance := old
		instance.Labels, instance.Volumes, instance.Version, instance.StatusText = maps.Clone(old.Labels), nil, 0, ""
		if instance.ID, err = store.Instances.NewID(w.tx); err != nil {
			return instanceResult{}, err
		}
		return w.succeed(old, instance, network)
	})
}

// succeed puts a new instance in the place of an old one. The new addresses are
// handed out before the old ones are freed, so that they differ.
func (w *work) succeed(old, instance simcloud.Instance, network simcloud.Network) (instanceResult, error) {
	var err error
	if instance.Addresses, err = w.addressesFor(instance, network, !hasPublicAddress(old)); err != nil {
		return instanceResult{}, err
	}
	op, err := w.start(simcloud.KindInstance, instance.ID, true)
	if err != nil {
		return instanceResult{}, err
	}
	effects, err := w.terminate(old, op)
	if err != nil {
		return instanceResult{}, err
	}
	effects = append(effects, enter(&instance, op, simcloud.InstancePending, simcloud.InstanceRunning)...)
	if err := store.Instances.Insert(w.tx, w.now, &instance); err != nil {
		return instanceResult{}, err
	}
	return instanceResult{Resource: instance, Operation: op}, w.record(&op, effects...)
}

func hasPublicAddress(instance simcloud.Instance) bool {
	for _, address := range instance.Addresses {
		if address.Scope == simcloud.ScopePublic {
			return true
		}
	}
	return false
}

// terminate begins the end of an instance, and when the operation is done already completes it.
func (w *work) terminate(instance simcloud.Instance, op simcloud.Operation) ([]store.Effect, error) {
	if !running(op) {
		return nil, w.bury(instance)
	}
	effects := enter(&instance, op, simcloud.InstanceTerminating, "")
	if err := w.loosenVolumes(instance); err != nil {
		return nil, err
	}
	return effects, w.saveInstance(&instance)
}

// bury removes an instance. What somebody has pointed at it, targets and
// routes, stays until he takes it away, and leads nowhere.
func (w *work) bury(instance simcloud.Instance) error {
	ref := store.Ref{Kind: simcloud.KindInstance, ID: instance.ID}
	for _, step := range []func(store.Ref) error{w.detachAll, w.freeVolumes, w.failTargets, w.blackhole} {
		if err := step(ref); err != nil {
			return err
		}
	}
	for _, address := range instance.Addresses {
		if err := w.releaseAddress(instance, address); err != nil {
			return err
		}
	}
	return store.Instances.Delete(w.tx, w.now, instance.ID)
}
