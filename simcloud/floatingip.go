package simcloud

// FloatingIP is a public address that can be moved between instances and load balancers.
type FloatingIP struct {
	Meta
	State   FloatingIPState `json:"state"`
	Address string          `json:"address"`
	Pool    string          `json:"pool"`
	// AttachedTo is what the address leads to; zero when it is free.
	AttachedTo Attachment `json:"attachedTo,omitzero"`
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
	// Pool defaults to the cloud's first.
	Pool string `json:"pool,omitempty"`
	// Address asks for a certain address of the pool; AlreadyExists when it is taken.
	Address string `json:"address,omitempty"`
	// AttachedTo attaches the new floating IP in the same step.
	AttachedTo Attachment `json:"attachedTo,omitzero"`
}

// FloatingIPUpdate changes what is not nil.
type FloatingIPUpdate struct {
	Name *string `json:"name,omitempty"`
	// Labels replaces all labels.
	Labels *map[string]string `json:"labels,omitempty"`
}
