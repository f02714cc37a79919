package core

import (
	"context"
	"maps"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// DeleteInstance terminates an instance.
func (m mutations) DeleteInstance(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteInstance", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (simcloud.Operation, error) {
		instance, err := getForDeletion(t, store.Instances, id)
		if err != nil {
			return simcloud.Operation{}, err
		}
		op, err := t.start(simcloud.KindInstance, id, true)
		if err != nil {
			return op, err
		}
		effects, err := t.terminate(instance, op)
		if err != nil {
			return op, err
		}
		return op, t.record(&op, effects...)
	})
}

// RecreateInstance replaces an instance by a new one, in the place that its
// zone had for the old one.
func (m mutations) RecreateInstance(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	req := request{verb: "RecreateInstance", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (instanceResult, error) {
		old, err := getForUpdate(t, store.Instances, id)
		if err != nil {
			return instanceResult{}, err
		}
		if _, err := t.zoneNamed(simcloud.KindInstance, old.Zone); err != nil {
			return instanceResult{}, err
		}
		network, err := store.Networks.Get(t.tx, old.Network)
		if err != nil {
			return instanceResult{}, err
		}
		instance := old
		instance.Labels, instance.Volumes, instance.Version, instance.StatusText = maps.Clone(old.Labels), nil, 0, ""
		if instance.ID, err = store.Instances.NewID(t.tx); err != nil {
			return instanceResult{}, err
		}
		return t.succeed(old, instance, network)
	})
}

// succeed puts a new instance in the place of an old one. The new addresses are
// handed out before the old ones are freed, so that they differ.
func (t *txn) succeed(old, instance simcloud.Instance, network simcloud.Network) (instanceResult, error) {
	var err error
	if instance.Addresses, err = t.addressesFor(instance, network, "", familiesOfPublic(old)); err != nil {
		return instanceResult{}, err
	}
	if old.Hostname == t.hostname(old) { // the cloud's own, not one that was asked for
		instance.Hostname = t.hostname(instance)
	}
	if err := t.joinAll(&instance, attachments(old)); err != nil {
		return instanceResult{}, err
	}
	op, err := t.start(simcloud.KindInstance, instance.ID, true)
	if err != nil {
		return instanceResult{}, err
	}
	effects, err := t.terminate(old, op)
	if err != nil {
		return instanceResult{}, err
	}
	effects = append(effects, enter(&instance, op, simcloud.InstancePending, simcloud.InstanceRunning)...)
	if err := store.Instances.Insert(t.tx, t.now, &instance); err != nil {
		return instanceResult{}, err
	}
	return instanceResult{Resource: instance, Operation: op}, t.record(&op, effects...)
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
func (t *txn) terminate(instance simcloud.Instance, op simcloud.Operation) ([]store.Effect, error) {
	if !running(op) {
		return nil, t.bury(instance)
	}
	effects := enter(&instance, op, simcloud.InstanceTerminating, "")
	if err := t.loosenVolumes(instance); err != nil {
		return nil, err
	}
	return effects, t.saveInstance(&instance)
}

// bury removes an instance. Targets and routes that clients have pointed at it
// stay until they are deleted, and lead nowhere.
func (t *txn) bury(instance simcloud.Instance) error {
	ref := store.Ref{Kind: simcloud.KindInstance, ID: instance.ID}
	for _, step := range []func(store.Ref) error{t.detachAll, t.freeVolumes, t.failTargets, t.blackhole} {
		if err := step(ref); err != nil {
			return err
		}
	}
	for _, address := range instance.Addresses {
		if err := t.releaseAddress(instance, address); err != nil {
			return err
		}
	}
	return store.Instances.Delete(t.tx, t.now, instance.ID)
}
