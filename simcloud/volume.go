package simcloud

// Volume is a disk that outlives the instances that it is attached to.
type Volume struct {
	Meta
	State   VolumeState `json:"state"`
	SizeGiB int         `json:"sizeGiB"`
	Type    VolumeType  `json:"type"`
	Region  ID          `json:"region"`
	Zone    ID          `json:"zone"`
	// AttachedTo is the instance that has the volume; empty when none has.
	AttachedTo ID `json:"attachedTo,omitempty"`
	// Device is where the instance finds it, such as "/dev/sdb".
	Device string `json:"device,omitempty"`
}

// VolumeType is what a volume is made of. It is not interpreted.
type VolumeType string

// The types of volumes.
const (
	VolumeSSD VolumeType = "ssd"
	VolumeHDD VolumeType = "hdd"
)

// VolumeState is where a volume is in its life. A deleted one is gone: reading it answers NotFound.
type VolumeState string

// The states of a volume.
const (
	VolumeCreating  VolumeState = "creating"
	VolumeAvailable VolumeState = "available"
	VolumeAttaching VolumeState = "attaching"
	VolumeInUse     VolumeState = "in_use"
	VolumeDetaching VolumeState = "detaching"
	VolumeError     VolumeState = "error"
	VolumeDeleting  VolumeState = "deleting"
)

// VolumeSpec describes a volume to create.
type VolumeSpec struct {
	Name    string            `json:"name"`
	Labels  map[string]string `json:"labels,omitempty"`
	SizeGiB int               `json:"sizeGiB"`
	Type    VolumeType        `json:"type,omitempty"` // empty means ssd
	// Zone is where the volume is, and where an instance has to be to attach
	// it. Empty means the first that is available.
	Zone ID `json:"zone,omitempty"`
	// Protected, if true, makes a deletion answer Protected until an update takes it off.
	Protected bool `json:"protected,omitempty"`
}

// VolumeUpdate changes what is not nil.
type VolumeUpdate struct {
	Name *string `json:"name,omitempty"`
	// Labels replaces all labels.
	Labels *map[string]string `json:"labels,omitempty"`
	// Protected puts the protection from deletion on or takes it off.
	Protected *bool `json:"protected,omitempty"`
}

// VolumeAttachment is the instance that a volume is attached to.
type VolumeAttachment struct {
	Instance ID `json:"instance"`
	// Device is where it should be found; empty means the next that is free.
	Device string `json:"device,omitempty"`
}

// VolumeResize is the size that a volume gets. Volumes only grow.
type VolumeResize struct {
	SizeGiB int `json:"sizeGiB"`
}
