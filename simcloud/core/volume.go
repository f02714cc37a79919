package core

import (
	"cmp"
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

var volumeStates = []simcloud.VolumeState{
	simcloud.VolumeCreating, simcloud.VolumeAvailable, simcloud.VolumeAttaching, simcloud.VolumeInUse,
	simcloud.VolumeDetaching, simcloud.VolumeError, simcloud.VolumeDeleting,
}

type volumeResult = simcloud.Result[simcloud.Volume]

// ListVolumes lists volumes.
func (c *Cloud) ListVolumes(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Volume], error) {
	return list(ctx, c, store.Volumes, opts, ofProject, volumeStates)
}

// GetVolume returns one volume.
func (c *Cloud) GetVolume(ctx context.Context, id simcloud.ID) (simcloud.Volume, error) {
	return get(ctx, c, store.Volumes, id)
}

// CreateVolume makes a volume. Capacity: its zone is down, or none is available.
func (m mutations) CreateVolume(ctx context.Context, spec simcloud.VolumeSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Volume], error) {
	req := request{verb: "CreateVolume", spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (volumeResult, error) {
		zone, err := t.volumeZone(spec.Zone)
		if err != nil {
			return volumeResult{}, err
		}
		volume := simcloud.Volume{
			SizeGiB: spec.SizeGiB, Type: cmp.Or(spec.Type, simcloud.VolumeSSD), Zone: zone.ID, Region: zone.Region,
		}
		if volume.Meta, err = newMeta(t, store.Volumes, spec.Name, spec.Labels); err != nil {
			return volumeResult{}, err
		}
		volume.Protected = spec.Protected
		op, err := t.start(simcloud.KindVolume, volume.ID, true)
		if err != nil {
			return volumeResult{}, err
		}
		effects := enterVolume(&volume, op, simcloud.VolumeCreating, simcloud.VolumeAvailable)
		if err := store.Volumes.Insert(t.tx, t.now, &volume); err != nil {
			return volumeResult{}, err
		}
		return volumeResult{Resource: volume, Operation: op}, t.record(&op, effects...)
	})
}

// volumeZone returns the zone that a spec names, or else the first that is available.
func (t *txn) volumeZone(id simcloud.ID) (simcloud.Zone, error) {
	if id != "" {
		return t.zoneNamed(simcloud.KindVolume, id)
	}
	zone, ok, err := store.Zones.First(t.tx, store.Query{State: string(simcloud.ZoneAvailable)})
	if err == nil && !ok {
		err = simcloud.Errorf(simcloud.Capacity, string(simcloud.KindVolume), "no zone is available")
	}
	return zone, err
}

// UpdateVolume changes the name and the labels.
func (m mutations) UpdateVolume(
	ctx context.Context, id simcloud.ID, update simcloud.VolumeUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Volume], error) {
	req := request{verb: "UpdateVolume", ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (volumeResult, error) {
		before, err := getForUpdate(t, store.Volumes, id)
		if err != nil {
			return volumeResult{}, err
		}
		after := before
		if err := rename(t, store.Volumes, &after.Meta, update.Name, update.Labels); err != nil {
			return volumeResult{}, err
		}
		protect(&after.Meta, update.Protected)
		return replace(t, store.Volumes, before, after)
	})
}

// ResizeVolume lets a volume grow. A volume that is not sound answers Conflict.
func (m mutations) ResizeVolume(
	ctx context.Context, id simcloud.ID, resize simcloud.VolumeResize, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Volume], error) {
	req := request{verb: "ResizeVolume", ids: []simcloud.ID{id}, spec: resize, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (volumeResult, error) {
		before, err := getForUpdate(t, store.Volumes, id)
		if err != nil {
			return volumeResult{}, err
		}
		if err := sound(before); err != nil {
			return volumeResult{}, err
		}
		if resize.SizeGiB < before.SizeGiB {
			return volumeResult{}, invalid(simcloud.Ref(simcloud.KindVolume, id), "sizeGiB",
				"%d is less than the %d that it has: volumes only grow", resize.SizeGiB, before.SizeGiB)
		}
		after := before
		after.SizeGiB = resize.SizeGiB
		return replace(t, store.Volumes, before, after)
	})
}

// sound answers Conflict for a volume in error, or stuck on its way: it can be
// detached or deleted, no more.
func sound(volume simcloud.Volume) error {
	if volume.State == simcloud.VolumeAvailable || volume.State == simcloud.VolumeInUse {
		return nil
	}
	return simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindVolume, volume.ID), "it is %s: detach or delete it", volume.State)
}

// DeleteVolume removes a volume that is not attached.
func (m mutations) DeleteVolume(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteVolume", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (simcloud.Operation, error) {
		volume, err := getForDeletion(t, store.Volumes, id)
		if err != nil {
			return simcloud.Operation{}, err
		}
		if volume.AttachedTo != "" {
			return simcloud.Operation{}, holds(volume)
		}
		op, err := t.start(simcloud.KindVolume, id, true)
		if err != nil {
			return op, err
		}
		effects := enterVolume(&volume, op, simcloud.VolumeDeleting, "")
		if running(op) {
			err = store.Volumes.Update(t.tx, t.now, &volume)
		} else {
			err = store.Volumes.Delete(t.tx, t.now, id)
		}
		if err != nil {
			return op, err
		}
		return op, t.record(&op, effects...)
	})
}

func holds(volume simcloud.Volume) error {
	return simcloud.Errorf(simcloud.InUse, simcloud.Ref(simcloud.KindVolume, volume.ID),
		"it is attached to %s: detach it first", simcloud.Ref(simcloud.KindInstance, volume.AttachedTo))
}

// enterVolume is enter for volumes.
func enterVolume(volume *simcloud.Volume, op simcloud.Operation, during, to simcloud.VolumeState) []store.Effect {
	if !running(op) {
		volume.State = to
		return nil
	}
	volume.State, volume.Operation = during, op.ID
	return []store.Effect{{Ref: store.Ref{Kind: simcloud.KindVolume, ID: volume.ID}, State: string(to)}}
}
