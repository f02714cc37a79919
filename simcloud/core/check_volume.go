package core

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// volumes checks that volumes and instances agree on who has what.
func (i *inspection) volumes() {
	devices := map[simcloud.ID]map[string]simcloud.ID{}
	for _, volume := range i.state.Volumes {
		i.refers(simcloud.KindVolume, volume.Meta, simcloud.KindZone, volume.Zone)
		attached := volume.AttachedTo != ""
		if attached && volume.State == simcloud.VolumeAvailable || !attached && volume.State == simcloud.VolumeInUse {
			i.fail("%s is %s and attached to %q", volume.ID, volume.State, volume.AttachedTo)
		}
		if attached != (volume.Device != "") {
			i.fail("%s is attached to %q as %q", volume.ID, volume.AttachedTo, volume.Device)
		}
		if !attached {
			continue
		}
		i.refers(simcloud.KindVolume, volume.Meta, simcloud.KindInstance, volume.AttachedTo)
		i.heldBy(volume, i.instance[volume.AttachedTo])
		if devices[volume.AttachedTo] == nil {
			devices[volume.AttachedTo] = map[string]simcloud.ID{}
		}
		if other := devices[volume.AttachedTo][volume.Device]; other != "" {
			i.fail("%s and %s are both %s of %s", other, volume.ID, volume.Device, volume.AttachedTo)
		}
		devices[volume.AttachedTo][volume.Device] = volume.ID
	}
	i.heldVolumes()
}

func (i *inspection) heldBy(volume simcloud.Volume, instance simcloud.Instance) {
	if !slices.Contains(instance.Volumes, volume.ID) {
		i.fail("%s is attached to %s, which does not have it", volume.ID, volume.AttachedTo)
	}
	if volume.Zone != instance.Zone {
		i.fail("%s is in %s and attached to %s in %s", volume.ID, volume.Zone, volume.AttachedTo, instance.Zone)
	}
}

// heldVolumes checks that the volumes that instances have know it.
func (i *inspection) heldVolumes() {
	attached := map[simcloud.ID]simcloud.ID{}
	for _, volume := range i.state.Volumes {
		attached[volume.ID] = volume.AttachedTo
	}
	for _, instance := range i.state.Instances {
		for _, id := range instance.Volumes {
			if attached[id] != instance.ID {
				i.fail("%s has %s, which is attached to %q", instance.ID, id, attached[id])
			}
		}
	}
}
