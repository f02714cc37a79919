package core

import (
	"cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func (s *seeding) volumes() seedPart {
	p := &kindPart[simcloud.Volume, *simcloud.Volume, simcloud.TopologyVolume]{s: s, bucket: store.Volumes}
	p.wanted, p.listed = entries(s.want.Volumes, "volumes", func(v simcloud.TopologyVolume) string { return v.Name })
	p.fits = func(have simcloud.Volume, want simcloud.TopologyVolume) bool {
		return (have.Operation != "" || sound(have) == nil) && leads(s, store.Zones, have.Zone, want.Zone) &&
			have.Type == cmp.Or(want.Type, simcloud.VolumeSSD) && have.SizeGiB <= want.SizeGiB
	}
	p.delete = s.deleteVolume
	p.create = s.createVolume
	p.update = s.updateVolume
	return p
}

func (s *seeding) deleteVolume(have simcloud.Volume) error {
	have, err := store.Volumes.Get(s.tx, have.ID) // users that are gone have released it
	if err != nil {
		return err
	}
	if have.AttachedTo != "" {
		if _, err := s.do.DetachVolume(s.ctx, have.ID); err != nil {
			return err
		}
	}
	_, err = s.do.DeleteVolume(s.ctx, have.ID)
	return err
}

// createVolume makes a volume; without a zone where the instance is that it is for.
func (s *seeding) createVolume(want simcloud.TopologyVolume) error {
	instance, err := s.attachedInstance(want)
	if err != nil {
		return err
	}
	spec := want.VolumeSpec
	spec.Zone = cmp.Or(spec.Zone, instance.Zone)
	made, err := s.do.CreateVolume(s.ctx, spec)
	if err != nil || instance.ID == "" {
		return err
	}
	_, err = s.do.AttachVolume(s.ctx, made.Resource.ID, simcloud.VolumeAttachment{Instance: instance.ID})
	return err
}

// attachedInstance returns the instance that a volume is for; the zero value for none.
func (s *seeding) attachedInstance(want simcloud.TopologyVolume) (simcloud.Instance, error) {
	id, err := named(s, store.Instances, "attachedTo", want.AttachedTo)
	if err != nil || id == "" {
		return simcloud.Instance{}, err
	}
	return store.Instances.Get(s.tx, id)
}

func (s *seeding) updateVolume(have simcloud.Volume, want simcloud.TopologyVolume) error {
	instance, err := s.attachedInstance(want)
	if err != nil {
		return err
	}
	if instance.ID != "" && instance.Zone != have.Zone && want.Zone == "" {
		return s.moveVolume(have, want)
	}
	update := simcloud.VolumeUpdate{Labels: newLabels(have.Labels, want.Labels), Protected: newProtection(have.Protected, want.Protected)}
	if update != (simcloud.VolumeUpdate{}) {
		if _, err := s.do.UpdateVolume(s.ctx, have.ID, update); err != nil {
			return err
		}
	}
	if have.AttachedTo != instance.ID && have.AttachedTo != "" {
		if _, err := s.do.DetachVolume(s.ctx, have.ID); err != nil {
			return err
		}
	}
	if have.SizeGiB != want.SizeGiB {
		if _, err := s.do.ResizeVolume(s.ctx, have.ID, simcloud.VolumeResize{SizeGiB: want.SizeGiB}); err != nil {
			return err
		}
	}
	if have.AttachedTo != instance.ID && instance.ID != "" {
		_, err = s.do.AttachVolume(s.ctx, have.ID, simcloud.VolumeAttachment{Instance: instance.ID})
	}
	return err
}

// moveVolume replaces a volume whose instance came to be in another zone.
func (s *seeding) moveVolume(have simcloud.Volume, want simcloud.TopologyVolume) error {
	if err := s.deleteVolume(have); err != nil {
		return err
	}
	ref := simcloud.Ref(simcloud.KindVolume, simcloud.ID(want.Name))
	s.report.Deleted = append(s.report.Deleted, ref)
	s.report.Created = append(s.report.Created, ref)
	s.report.Unchanged--
	return s.createVolume(want)
}
