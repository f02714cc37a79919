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
// each family of its network.
func (c *Cloud) CreateInstance(ctx context.Context, spec simcloud.InstanceSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Instance], error) {
	call := call{verb: "CreateInstance", spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, c, call, func(w *work) (instanceResult, error) {
		instance, network, err := w.newInstance(spec)
		if err != nil {
			return instanceResult{}, err
		}
		return w.launch(instance, network, spec.NoPublicAddress)
	})
}

// UpdateInstance changes the name and the labels.
func (c *Cloud) UpdateInstance(
	ctx context.Context, id simcloud.ID, update simcloud.InstanceUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Instance], error) {
	call := call{verb: "UpdateInstance", ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return mutate(ctx, c, call, func(w *work) (instanceResult, error) {
		before, err := take(w, store.Instances, id)
		if err != nil {
			return instanceResult{}, err
		}
		after := before
		rename(&after.Meta, update.Name, update.Labels)
		return replace(w, store.Instances, before, after)
	})
}

// launch keeps a new instance and starts it.
func (w *work) launch(instance simcloud.Instance, network simcloud.Network, private bool) (instanceResult, error) {
	var err error
	if instance.Addresses, err = w.addressesFor(instance, network, private); err != nil {
		return instanceResult{}, err
	}
	op, err := w.start(simcloud.KindInstance, instance.ID, true)
	if err != nil {
		return instanceResult{}, err
	}
	effects := enter(&instance, op, simcloud.InstancePending, simcloud.InstanceRunning)
	if err := store.Instances.Insert(w.tx, w.now, &instance); err != nil {
		return instanceResult{}, err
	}
	return instanceResult{Resource: instance, Operation: op}, w.record(&op, effects...)
}

// newInstance finds what a spec asks for.
func (w *work) newInstance(spec simcloud.InstanceSpec) (simcloud.Instance, simcloud.Network, error) {
	instance := simcloud.Instance{Hostname: spec.Hostname, UserData: spec.UserData, SSHKeys: slices.Clone(spec.SSHKeys)}
	if instance.Hostname == "" {
		instance.Hostname = spec.Name
	}
	network, subnet, err := w.placeFor(spec)
	if err != nil {
		return instance, network, err
	}
	instance.Network, instance.Subnet = network.ID, subnet.ID
	if instance.Type, err = w.typeFor(spec.Type); err != nil {
		return instance, network, err
	}
	zone, err := w.zoneFor(cmp.Or(spec.Zone, subnet.Zone), instance.Type)
	if err != nil {
		return instance, network, err
	}
	if err := w.knownKeys(spec.SSHKeys); err != nil {
		return instance, network, err
	}
	instance.Zone, instance.Region = zone.ID, zone.Region
	observe(&instance, zone)
	instance.Meta, err = create(w, store.Instances, spec.Name, spec.Labels)
	return instance, network, err
}
