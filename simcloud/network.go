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

// SubnetUpdate changes what is not nil.
type SubnetUpdate struct {
	Name *string `json:"name,omitempty"`
	// Labels replaces all labels.
	Labels *map[string]string `json:"labels,omitempty"`
}

// NetworkAttachment is a network that a load balancer or an instance is attached
// to, and has addresses of: one of each family of the network.
type NetworkAttachment struct {
	Network ID `json:"network"`
	// Address asks for a certain address of the network or of a subnet of it.
	// Empty means the next that is free.
	Address string `json:"address,omitempty"`
	// Subnet is the subnet whose range the address of its family is from. Empty
	// means the subnet that has Address, or else the range of the network outside of its subnets.
	Subnet ID `json:"subnet,omitempty"`
}

// Address is an address of an instance, of either family.
type Address struct {
	Scope   AddressScope `json:"scope"`
	Address string       `json:"address"`
	// Network is the network that a private address is of, where that is one to which
	// the instance was attached. Empty: it is of the instance's own.
	Network ID `json:"network,omitempty"`
	// Subnet is the subnet of Network whose range the address is from, if any.
	Subnet ID `json:"subnet,omitempty"`
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
	// Network is the network that a private address is of, to which the instance must be attached. Empty: its own.
	Network ID `json:"network,omitempty"`
}

// AddressScope tells who can reach an address.
type AddressScope string

// The scopes of an address.
const (
	ScopePrivate AddressScope = "private" // from the CIDR of a network
	ScopePublic  AddressScope = "public"  // from a pool of the cloud
)
