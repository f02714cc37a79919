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
}

// ZoneState is the health of a region or zone.
type ZoneState string

// The states of a region or zone.
const (
	ZoneAvailable ZoneState = "available"
	ZoneDegraded  ZoneState = "degraded"
	ZoneDown      ZoneState = "down"
)

// ZoneSpec describes a zone to create. Its name becomes its id.
type ZoneSpec struct {
	Name   string            `json:"name"`
	Region ID                `json:"region"`
	Labels map[string]string `json:"labels,omitempty"`
}

// InstanceType is a size of instance.
type InstanceType struct {
	Meta
	VCPUs     int `json:"vcpus"`
	MemoryMiB int `json:"memoryMiB"`
}

// InstanceTypeSpec describes an instance type to create. Its name becomes its id.
type InstanceTypeSpec struct {
	Name      string            `json:"name"`
	VCPUs     int               `json:"vcpus"`
	MemoryMiB int               `json:"memoryMiB"`
	Labels    map[string]string `json:"labels,omitempty"`
}
