package simcloud

// Region is a place on the map that holds zones.
type Region struct {
	Meta
	State ZoneState `json:"state"`
}

// RegionSpec describes a region to create. Its name becomes its id.
type RegionSpec struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
}

// Zone is a part of a region that fails on its own.
type Zone struct {
	Meta
	Region ID        `json:"region"`
	State  ZoneState `json:"state"`
	// Capacity is how many instances of a type the zone takes; a type that it
	// does not name has no limit. One instance more answers Capacity.
	Capacity map[ID]int `json:"capacity,omitempty"`
}

// ZoneState is the health of a region or zone.
type ZoneState string

// The states of a region or zone. A region is down when all its zones are, and
// degraded when any of them is not available.
const (
	ZoneAvailable ZoneState = "available"
	// ZoneDegraded: what is in the zone goes on; nothing new is put there
	// unless it is asked for by name.
	ZoneDegraded ZoneState = "degraded"
	// ZoneDown: the zone's instances do not answer (Instance.Unreachable),
	// load balancers drain them, and nothing can be started in it.
	ZoneDown ZoneState = "down"
)

// ZoneSpec describes a zone to create. Its name becomes its id.
type ZoneSpec struct {
	Name     string            `json:"name"`
	Region   ID                `json:"region"`
	Capacity map[ID]int        `json:"capacity,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
}

// ZoneUpdate changes what is not nil.
type ZoneUpdate struct {
	// Capacity replaces the capacities of all types.
	Capacity *map[ID]int `json:"capacity,omitempty"`
	// Labels replaces all labels.
	Labels *map[string]string `json:"labels,omitempty"`
}

// ZoneStateSpec is the state that a zone is put into.
type ZoneStateSpec struct {
	State ZoneState `json:"state"`
}

// InstanceType is a size of instance.
type InstanceType struct {
	Meta
	VCPUs     int `json:"vcpus"`
	MemoryMiB int `json:"memoryMiB"`
}

// The largest instance type. Quotas count no instance as more.
const (
	MaxVCPUs     = 65_536
	MaxMemoryMiB = 256 << 20 // 256 TiB
)

// InstanceTypeSpec describes an instance type to create. Its name becomes its id.
type InstanceTypeSpec struct {
	Name string `json:"name"`
	// VCPUs is 1 to 65,536.
	VCPUs int `json:"vcpus"`
	// MemoryMiB is 1 to 268,435,456, which is 256 TiB.
	MemoryMiB int               `json:"memoryMiB"`
	Labels    map[string]string `json:"labels,omitempty"`
}
