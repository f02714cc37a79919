package simcloud

// FloatingIP is a public address that can be moved between instances and load balancers.
type FloatingIP struct {
	Meta
	State   FloatingIPState `json:"state"`
	Address string          `json:"address"`
	Pool    string          `json:"pool"`
	// AttachedTo is what the address leads to; zero when it is free.
	AttachedTo Attachment `json:"attachedTo,omitzero"`
	// PTR is the name that reverse DNS has for the address; empty means none.
	PTR string `json:"ptr,omitempty"`
	// Options are settings of other clouds' floating IPs. The cloud keeps and returns them, and does not interpret them.
	Options map[string]string `json:"options,omitempty"`
}

// Attachment names the resource that something is attached to.
type Attachment struct {
	Kind Kind `json:"kind,omitempty"` // KindInstance or KindLoadBalancer
	ID   ID   `json:"id,omitempty"`
}

// FloatingIPState is whether a floating IP is attached.
type FloatingIPState string

// The states of a floating IP.
const (
	FloatingIPAvailable FloatingIPState = "available"
	FloatingIPAttached  FloatingIPState = "attached"
)

// FloatingIPSpec describes a floating IP to create.
type FloatingIPSpec struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
	// Pool defaults to the cloud's first of the family.
	Pool string `json:"pool,omitempty"`
	// Family is 4 or 6; 0 means 4, or that of Pool or Address.
	Family int `json:"family,omitempty"`
	// Address asks for a certain address of the pool; AlreadyExists when it is taken.
	Address string `json:"address,omitempty"`
	// AttachedTo attaches the new floating IP in the same step.
	AttachedTo Attachment `json:"attachedTo,omitzero"`
	PTR        string     `json:"ptr,omitempty"`
	// Protected, if true, makes a deletion answer Protected until an update takes it off.
	Protected bool              `json:"protected,omitempty"`
	Options   map[string]string `json:"options,omitempty"`
}

// FloatingIPUpdate changes what is not nil.
type FloatingIPUpdate struct {
	Name *string `json:"name,omitempty"`
	// Labels replaces all labels.
	Labels *map[string]string `json:"labels,omitempty"`
	PTR    *string            `json:"ptr,omitempty"` // an empty one removes the name
	// Protected puts the protection from deletion on or takes it off.
	Protected *bool `json:"protected,omitempty"`
	// Options replaces all options.
	Options *map[string]string `json:"options,omitempty"`
}

// FloatingIPPool is a range that floating IPs come from. All projects share it.
type FloatingIPPool struct {
	Meta
	CIDR string `json:"cidr"`
}

// FloatingIPPoolSpec describes a pool to create. Its name becomes its id. Pools do not overlap.
type FloatingIPPoolSpec struct {
	Name   string            `json:"name"`
	CIDR   string            `json:"cidr"`
	Labels map[string]string `json:"labels,omitempty"`
}
