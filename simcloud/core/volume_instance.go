package core

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// firstDevice and lastDevice are the letters of the disks that an instance
// can have besides its first one, as Linux names them.
const firstDevice, lastDevice = 'b', 'z'

// rootDevice is the disk that every instance has.
const rootDevice = "/dev/sda"

// deviceFor returns where an instance finds one more volume: where the request
// says, or else the first place that is free.
func (t *txn) deviceFor(instance simcloud.Instance, wanted string) (string, error) {
	ref := simcloud.Ref(simcloud.KindInstance, instance.ID)
	taken := map[string]simcloud.ID{}
	for _, id := range instance.Volumes {
		volume, err := store.Volumes.Get(t.tx, id)
		if err != nil {
			return "", err
		}
		taken[volume.Device] = id
	}
	if len(taken) > lastDevice-firstDevice {
		return "", simcloud.Errorf(simcloud.Capacity, ref, "it has %d volumes and takes no more", len(taken))
	}
	if wanted == rootDevice {
		return "", simcloud.Errorf(simcloud.AlreadyExists, ref, "%s is its own disk, the first one", wanted)
	}
	if other, ok := taken[wanted]; ok {
		return "", simcloud.Errorf(simcloud.AlreadyExists, ref, "its device %s is %s", wanted, simcloud.Ref(simcloud.KindVolume, other))
	}
	if wanted != "" {
		return wanted, nil
	}
	for letter := firstDevice; ; letter++ {
		device := "/dev/sd" + string(letter)
		if _, ok := taken[device]; !ok {
			return device, nil
		}
	}
}

// loosenVolumes begins to detach the volumes of an instance that is about to go.
func (t *txn) loosenVolumes(instance simcloud.Instance) error {
	return t.editVolumes(instance, func(volume *simcloud.Volume) bool {
		if volume.State != simcloud.VolumeInUse {
			return false
		}
		volume.State, volume.Operation = simcloud.VolumeDetaching, instance.Operation
		return true
	})
}

// keepVolumes takes back what loosenVolumes has begun, for an instance that
// did not go with the operation after all.
func (t *txn) keepVolumes(instance simcloud.Instance, ended simcloud.ID) error {
	return t.editVolumes(instance, func(volume *simcloud.Volume) bool {
		if ended == "" || volume.Operation != ended {
			return false
		}
		volume.State, volume.Operation = simcloud.VolumeInUse, ""
		return true
	})
}

// freeVolumes detaches the volumes of an instance that goes. They stay.
func (t *txn) freeVolumes(ref store.Ref) error {
	volumes, err := store.Volumes.Referring(t.tx, ref)
	if err != nil {
		return err
	}
	for _, volume := range volumes {
		volume.AttachedTo, volume.Device, volume.Operation = "", "", ""
		if volume.State != simcloud.VolumeError {
			volume.State = simcloud.VolumeAvailable
		}
		if err := store.Volumes.Update(t.tx, t.now, &volume); err != nil {
			return err
		}
	}
	return nil
}

// editVolumes changes the volumes of an instance as far as edit says that it has.
func (t *txn) editVolumes(instance simcloud.Instance, edit func(*simcloud.Volume) bool) error {
	for _, id := range instance.Volumes {
		volume, err := store.Volumes.Get(t.tx, id)
		if err != nil {
			return err
		}
		if !edit(&volume) {
			continue
		}
		if err := store.Volumes.Update(t.tx, t.now, &volume); err != nil {
			return err
		}
	}
	return nil
}
