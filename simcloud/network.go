package simcloud

// Network is a private network. Instances, internal load balancers and route tables belong to one.
type Network struct {
	Meta
	// CIDRs are the address ranges, at most one IPv4 and one IPv6.
	CIDRs []string `json:"cidrs"`
	State string   `json:"state"` // always "available"
}

// NetworkAvailable is the only state of a network.
const NetworkAvailable = "available"

// NetworkSpec describes a network to create.
type NetworkSpec struct {
	Name   string            `json:"name"`
	CIDRs  []string          `json:"cidrs"`
	Labels map[string]string `json:"labels,omitempty"`
}

// Address is an address of an instance.
type Address struct {
	Scope   AddressScope `json:"scope"`
	Address string       `json:"address"`
}

// AddressScope tells who can reach an address.
type AddressScope string

// The scopes of an address.
const (
	ScopePrivate AddressScope = "private" // from the CIDR of a network
	ScopePublic  AddressScope = "public"  // from a pool of the cloud
)
