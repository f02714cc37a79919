package core

import (
	"cmp"
	"context"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

var instanceStates = []simcloud.InstanceState{
	simcloud.InstancePending, simcloud.InstanceRunning, simcloud.InstanceStopping, simcloud.InstanceStopped,
	simcloud.InstanceRebooting, simcloud.InstanceRebuilding, simcloud.InstanceMigrating, simcloud.InstanceSuspended,
	simcloud.InstanceError, simcloud.InstanceTerminating,
}

type instanceResult = simcloud.Result[simcloud.Instance]

// ListInstances lists instances.
func (c *Cloud) ListInstances(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error) {
	return list(ctx, c, store.Instances, opts, ofProject, instanceStates)
}

// GetInstance returns one instance.
func (c *Cloud) GetInstance(ctx context.Context, id simcloud.ID) (simcloud.Instance, error) {
	return get(ctx, c, store.Instances, id)
}

// CreateInstance makes an instance, with one private and one public address of
// each family of its network, and the addresses of the networks to attach.
func (m mutations) CreateInstance(ctx context.Context, spec simcloud.InstanceSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	req := request{verb: "CreateInstance", spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (instanceResult, error) {
		instance, network, err := t.newInstance(spec)
		if err != nil {
			return instanceResult{}, err
		}
		return t.launch(instance, network, spec)
	})
}

// UpdateInstance changes the name, the labels and what else no operation is needed for.
func (m mutations) UpdateInstance(
	ctx context.Context, id simcloud.ID, update simcloud.InstanceUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Instance], error) {
	req := request{verb: "UpdateInstance", ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (instanceResult, error) {
		before, err := t.instanceForChange(id)
		if err != nil {
			return instanceResult{}, err
		}
		after := before
		if err := rename(t, store.Instances, &after.Meta, update.Name, update.Labels); err != nil {
			return instanceResult{}, err
		}
		protect(&after.Meta, update.Protected)
		if update.SecurityGroups != nil {
			if after.SecurityGroups, err = t.groupsFor(simcloud.KindInstance, before.Network, *update.SecurityGroups); err != nil {
				return instanceResult{}, err
			}
		}
		if update.Options != nil {
			after.Options = copyLabels(*update.Options)
		}
		after.Addresses = slices.Clone(before.Addresses)
		if err := setPTRs(simcloud.KindInstance, update.PTRs, addressPTR(&after)); err != nil {
			return instanceResult{}, err
		}
		return replace(t, store.Instances, before, after)
	})
}

// instanceForChange is getForUpdate, which an instance that is busy passes where the cloud takes such changes.
func (t *txn) instanceForChange(id simcloud.ID) (simcloud.Instance, error) {
	i, err := getForUpdate(t, store.Instances, id)
	if simcloud.CodeOf(err) != simcloud.Locked || !t.changesWhileBusy(simcloud.KindInstance) {
		return i, err
	}
	return i, t.expects(simcloud.Ref(simcloud.KindInstance, id), &i.Meta)
}

// launch keeps a new instance and starts it.
func (t *txn) launch(instance simcloud.Instance, network simcloud.Network, spec simcloud.InstanceSpec) (instanceResult, error) {
	var err error
	if instance.Addresses, err = t.addressesFor(instance, network, spec.PrivateAddress, publicFamiliesFor(spec, network)); err != nil {
		return instanceResult{}, err
	}
	instance.Hostname = cmp.Or(spec.Hostname, t.hostname(instance))
	if err := t.joinAll(&instance, spec.Networks); err != nil {
		return instanceResult{}, err
	}
	op, err := t.start(simcloud.KindInstance, instance.ID, true)
	if err != nil {
		return instanceResult{}, err
	}
	effects := enter(&instance, op, simcloud.InstancePending, simcloud.InstanceRunning)
	if err := store.Instances.Insert(t.tx, t.now, &instance); err != nil {
		return instanceResult{}, err
	}
	return instanceResult{Resource: instance, Operation: op}, t.record(&op, effects...)
}

// newInstance finds what a spec asks for.
func (t *txn) newInstance(spec simcloud.InstanceSpec) (simcloud.Instance, simcloud.Network, error) {
	instance := simcloud.Instance{UserData: spec.UserData, SSHKeys: slices.Clone(spec.SSHKeys), Options: copyLabels(spec.Options)}
	network, subnet, err := t.placeFor(spec)
	if err != nil {
		return instance, network, err
	}
	instance.Network, instance.Subnet = network.ID, subnet.ID
	if instance.Type, err = t.typeFor(spec.Type); err != nil {
		return instance, network, err
	}
	zone, err := t.zoneFor(cmp.Or(spec.Zone, subnet.Zone), instance.Type)
	if err != nil {
		return instance, network, err
	}
	if err := t.knownKeys(spec.SSHKeys); err != nil {
		return instance, network, err
	}
	if instance.SecurityGroups, err = t.groupsOfNew(network.ID, spec.SecurityGroups); err != nil {
		return instance, network, err
	}
	instance.Zone, instance.Region = zone.ID, zone.Region
	observe(&instance, zone)
	instance.Meta, err = newMeta(t, store.Instances, spec.Name, spec.Labels)
	instance.Protected = spec.Protected
	return instance, network, err
}
