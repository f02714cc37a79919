package simcloud

// Instance is a virtual machine.
type Instance struct {
	Meta
	State InstanceState `json:"state"`
	// StatusText is what the provider says of the state, for people.
	StatusText string    `json:"statusText,omitempty"`
	Type       ID        `json:"type"`
	Region     ID        `json:"region"`
	Zone       ID        `json:"zone"`
	Network    ID        `json:"network"`
	Hostname   string    `json:"hostname"`
	Addresses  []Address `json:"addresses"`
	UserData   string    `json:"userData,omitempty"`
}

// InstanceState is where an instance is in its life. A terminated instance is
// gone: reading it answers NotFound.
type InstanceState string

// The states of an instance.
const (
	InstancePending     InstanceState = "pending"
	InstanceRunning     InstanceState = "running"
	InstanceStopping    InstanceState = "stopping"
	InstanceStopped     InstanceState = "stopped"
	InstanceRebooting   InstanceState = "rebooting"
	InstanceRebuilding  InstanceState = "rebuilding"
	InstanceMigrating   InstanceState = "migrating"
	InstanceSuspended   InstanceState = "suspended"
	InstanceError       InstanceState = "error"
	InstanceTerminating InstanceState = "terminating"
)

// InstanceSpec describes an instance to create. Names need not be unique.
type InstanceSpec struct {
	Name string `json:"name"`
	// Hostname is the name inside the machine, and so of its Node; empty means Name.
	Hostname string `json:"hostname,omitempty"`
	// Type, Zone and Network default to the cloud's first of each. Zones are taken in turn.
	Type     ID                `json:"type,omitempty"`
	Zone     ID                `json:"zone,omitempty"`
	Network  ID                `json:"network,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	UserData string            `json:"userData,omitempty"`
	// NoPublicAddress leaves the instance with its private address alone.
	NoPublicAddress bool `json:"noPublicAddress,omitempty"`
}

// InstanceUpdate changes what is not nil.
type InstanceUpdate struct {
	Name *string `json:"name,omitempty"`
	// Labels replaces all labels.
	Labels *map[string]string `json:"labels,omitempty"`
}
