package simcloud

// Network is a private network. Instances, internal load balancers and route tables belong to one.
type Network struct {
	Meta
	// CIDRs are the address ranges, at most one IPv4 and one IPv6.
	CIDRs []string `json:"cidrs"`
	State string   `json:"state"` // always "available"
}

// NetworkAvailable is the only state of a network and of a subnet.
const NetworkAvailable = "available"

// NetworkSpec describes a network to create.
type NetworkSpec struct {
	Name   string            `json:"name"`
	CIDRs  []string          `json:"cidrs"`
	Labels map[string]string `json:"labels,omitempty"`
	// Protected, if true, makes a deletion answer Protected until an update takes it off.
	Protected bool `json:"protected,omitempty"`
}

// NetworkUpdate changes what is not nil.
type NetworkUpdate struct {
	Name *string `json:"name,omitempty"`
	// Labels replaces all labels.
	Labels *map[string]string `json:"labels,omitempty"`
	// Protected puts the protection from deletion on or takes it off.
	Protected *bool `json:"protected,omitempty"`
}

// Subnet is a part of a network, in one zone or in all.
type Subnet struct {
	Meta
	Network ID `json:"network"`
	// CIDR is inside of a range of the network. Subnets of a network do not overlap.
	CIDR  string `json:"cidr"`
	Zone  ID     `json:"zone,omitempty"` // empty for all zones
	State string `json:"state"`          // always "available"
}

// SubnetSpec describes a subnet to create.
type SubnetSpec struct {
	Name    string            `json:"name"`
	Network ID                `json:"network,omitempty"` // empty means the project's first
	CIDR    string            `json:"cidr"`
	Zone    ID                `json:"zone,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
}

// Address is an address of an instance, of either family.
type Address struct {
	Scope   AddressScope `json:"scope"`
	Address string       `json:"address"`
	// PTR is the name that reverse DNS has for a public address; empty means none.
	PTR string `json:"ptr,omitempty"`
}

// AddressSpec describes an address to add to an instance.
type AddressSpec struct {
	Scope AddressScope `json:"scope"`
	// Family is 4 or 6; 0 means 4, or that of Address.
	Family int `json:"family,omitempty"`
	// Address asks for a certain private address; AlreadyExists when it is taken.
	Address string `json:"address,omitempty"`
}

// AddressScope tells who can reach an address.
type AddressScope string

// The scopes of an address.
const (
	ScopePrivate AddressScope = "private" // from the CIDR of a network
	ScopePublic  AddressScope = "public"  // from a pool of the cloud
)
