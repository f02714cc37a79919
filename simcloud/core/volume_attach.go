package core

import (
	"context"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// AttachVolume attaches a volume to an instance. While that takes its time,
// both are locked.
func (m mutations) AttachVolume(
	ctx context.Context, id simcloud.ID, to simcloud.VolumeAttachment, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Volume], error) {
	req := request{verb: "AttachVolume", ids: []simcloud.ID{id}, spec: to, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (volumeResult, error) {
		volume, err := getForUpdate(t, store.Volumes, id)
		if err != nil {
			return volumeResult{}, err
		}
		instance, err := t.volumeTarget(to.Instance)
		if err != nil {
			return volumeResult{}, err
		}
		fulfilled, err := canHold(instance, volume, to.Device)
		if err != nil {
			return volumeResult{}, err
		}
		if fulfilled {
			op, err := t.unchanged(simcloud.KindVolume, id)
			return volumeResult{Resource: volume, Operation: op}, err
		}
		if volume.Device, err = t.deviceFor(instance, to.Device); err != nil {
			return volumeResult{}, err
		}
		volume.AttachedTo = instance.ID
		instance.Volumes = append(slices.Clone(instance.Volumes), id)
		return t.passVolume(volume, instance, simcloud.VolumeAttaching, simcloud.VolumeInUse)
	})
}

// volumeTarget returns the instance that a volume is to be attached to, which no operation runs on.
func (t *txn) volumeTarget(id simcloud.ID) (simcloud.Instance, error) {
	instance, err := find(t.tx, store.Instances, t.caller.Project, id)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		err = invalid(string(simcloud.KindVolume), "instance", "instance %q not found", id)
	}
	if err != nil {
		return instance, err
	}
	return instance, t.idle(simcloud.Ref(simcloud.KindInstance, id), &instance.Meta)
}

// canHold says why an instance cannot get a volume, or whether it has it already.
func canHold(instance simcloud.Instance, volume simcloud.Volume, device string) (fulfilled bool, err error) {
	ref := simcloud.Ref(simcloud.KindVolume, volume.ID)
	switch {
	case volume.AttachedTo != "" && volume.AttachedTo != instance.ID:
		return false, holds(volume)
	case sound(volume) != nil:
		return false, sound(volume)
	case volume.AttachedTo != "" && device != "" && device != volume.Device:
		return false, simcloud.Errorf(simcloud.Conflict, ref, "it is attached as %s, not as %s", volume.Device, device)
	case volume.Zone != instance.Zone:
		return false, simcloud.Errorf(simcloud.Conflict, ref, "it is in %s, %s in %s: the instance must be in the volume's zone",
			volume.Zone, simcloud.Ref(simcloud.KindInstance, instance.ID), instance.Zone)
	default:
		return volume.AttachedTo != "", nil
	}
}

// DetachVolume takes a volume from its instance.
func (m mutations) DetachVolume(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Volume], error) {
	req := request{verb: "DetachVolume", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (volumeResult, error) {
		volume, err := getForUpdate(t, store.Volumes, id)
		if err != nil {
			return volumeResult{}, err
		}
		if volume.AttachedTo == "" {
			op, err := t.unchanged(simcloud.KindVolume, id)
			return volumeResult{Resource: volume, Operation: op}, err
		}
		instance, err := t.volumeTarget(volume.AttachedTo)
		if err != nil {
			return volumeResult{}, err
		}
		return t.passVolume(volume, instance, simcloud.VolumeDetaching, simcloud.VolumeAvailable)
	})
}

// passVolume takes a volume through one state into another, and its instance with it.
func (t *txn) passVolume(volume simcloud.Volume, instance simcloud.Instance, during, to simcloud.VolumeState) (volumeResult, error) {
	op, err := t.start(simcloud.KindVolume, volume.ID, true)
	if err != nil {
		return volumeResult{}, err
	}
	effects := enterVolume(&volume, op, during, to)
	if running(op) {
		instance.Operation = op.ID
	} else if to == simcloud.VolumeAvailable {
		letGo(&volume, &instance)
	}
	if err := store.Volumes.Update(t.tx, t.now, &volume); err != nil {
		return volumeResult{}, err
	}
	if err := store.Instances.Update(t.tx, t.now, &instance); err != nil {
		return volumeResult{}, err
	}
	return volumeResult{Resource: volume, Operation: op}, t.record(&op, effects...)
}

// letGo takes a volume from the instance that had it.
func letGo(volume *simcloud.Volume, instance *simcloud.Instance) {
	volume.AttachedTo, volume.Device = "", ""
	instance.Volumes = slices.DeleteFunc(slices.Clone(instance.Volumes), func(id simcloud.ID) bool { return id == volume.ID })
}

// applyVolume ends an operation on a volume, and on the instance that it
// locked as well; "" means that the volume is gone. One whose attachment failed
// is not attached, one whose detachment failed still is.
func (t *txn) applyVolume(id simcloud.ID, state simcloud.VolumeState) error {
	volume, err := store.Volumes.Get(t.tx, id)
	if err != nil {
		return err
	}
	if state == "" {
		return store.Volumes.Delete(t.tx, t.now, id)
	}
	stays := state == simcloud.VolumeInUse || state != simcloud.VolumeAvailable && volume.State != simcloud.VolumeAttaching
	volume.State, volume.Operation = state, ""
	if volume.AttachedTo != "" {
		return t.endAttachment(volume, stays)
	}
	if state == simcloud.VolumeInUse {
		volume.State = simcloud.VolumeAvailable
	}
	return store.Volumes.Update(t.tx, t.now, &volume)
}

// endAttachment keeps a volume and the instance that an operation was to
// attach it to or to detach it from.
func (t *txn) endAttachment(volume simcloud.Volume, stays bool) error {
	instance, err := store.Instances.Get(t.tx, volume.AttachedTo)
	if err != nil {
		return err
	}
	instance.Operation = ""
	if !stays {
		letGo(&volume, &instance)
	}
	if err := store.Volumes.Update(t.tx, t.now, &volume); err != nil {
		return err
	}
	return store.Instances.Update(t.tx, t.now, &instance)
}
