package simcloud

import "regexp"

// maxVolumeGiB is the largest volume: 64 TiB.
const maxVolumeGiB = 64 << 10

// Validate checks the spec.
func (s VolumeSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	f.size(s.SizeGiB)
	if s.Type != "" {
		oneOf(&f, "type", s.Type, VolumeSSD, VolumeHDD)
	}
	f.labels("labels", s.Labels)
	return InvalidFields(string(KindVolume), f)
}

func (f *fieldErrors) size(gib int) {
	if gib < 1 || gib > maxVolumeGiB {
		f.add("sizeGiB", "%d must be between 1 and %d", gib, maxVolumeGiB)
	}
}

// Validate checks the update.
func (u VolumeUpdate) Validate() error {
	return validateUpdate(KindVolume, u.Name, u.Labels)
}

// deviceRE is what the names of disks look like.
var deviceRE = regexp.MustCompile(`^/dev/[a-z0-9]{1,59}$`)

// Validate checks where a volume is to be attached.
func (a VolumeAttachment) Validate() error {
	var f fieldErrors
	if a.Instance == "" {
		f.add("instance", "must not be empty: give the id of an instance")
	}
	if a.Device != "" && !deviceRE.MatchString(a.Device) {
		f.add("device", "%q is not a device such as /dev/sdb", a.Device)
	}
	return InvalidFields(string(KindVolume), f)
}

// Validate checks the size.
func (r VolumeResize) Validate() error {
	var f fieldErrors
	f.size(r.SizeGiB)
	return InvalidFields(string(KindVolume), f)
}
