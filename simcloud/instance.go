package simcloud

import "slices"

// Instance is a virtual machine.
type Instance struct {
	Meta
	State InstanceState `json:"state"`
	// StatusText is what the provider says of the state, for humans.
	StatusText string `json:"statusText,omitempty"`
	Type       ID     `json:"type"`
	Region     ID     `json:"region"`
	Zone       ID     `json:"zone"`
	Network    ID     `json:"network"`
	// Subnet is the one that its first private addresses are from; empty: the whole network.
	Subnet   ID     `json:"subnet,omitempty"`
	Hostname string `json:"hostname"`
	// Addresses are those of its own network, public ones, and those of the networks to which it was
	// attached, in the order in which it got them.
	Addresses []Address `json:"addresses"`
	SSHKeys   []ID      `json:"sshKeys,omitempty"`
	// SecurityGroups are those whose rules hold for the instance; without any it takes everything.
	SecurityGroups []ID `json:"securityGroups,omitempty"`
	// Volumes are those that are attached or being so, in that order.
	Volumes  []ID   `json:"volumes,omitempty"`
	UserData string `json:"userData,omitempty"`
	// Unreachable is whether the machine does not answer though its state says
	// that it runs: its zone is down.
	Unreachable bool `json:"unreachable,omitempty"`
	// Options are settings of other clouds' instances. The cloud keeps and returns them, and does not interpret them.
	Options map[string]string `json:"options,omitempty"`
}

// AttachedTo reports whether the instance is in a network: its own or one to which it was attached.
func (i Instance) AttachedTo(network ID) bool { return slices.Contains(i.Networks(), network) }

// Networks returns the networks of the instance: its own, and then those to
// which it was attached, each once.
func (i Instance) Networks() []ID {
	all := []ID{i.Network}
	for _, a := range i.Addresses {
		if a.Network != "" && !slices.Contains(all, a.Network) {
			all = append(all, a.Network)
		}
	}
	return all
}

// The labels of an instance that say what its machine is, where a harness runs one.
const (
	// LabelNode says what runs on the machine: a kubelet without such a label, or one of the following.
	LabelNode = "sim.simcloud.dev/node"
	// NodeNone is a bare machine, with no Kubernetes on it.
	NodeNone = "none"
	// NodeLight is a hollow node: there is no machine, and no packet arrives.
	NodeLight = "light"
)

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
	// Hostname is the name inside the machine, and so of its Node; empty means Name, or what Config.Hostnames says.
	Hostname string `json:"hostname,omitempty"`
	// Type, Zone and Network default to the cloud's first of each. Zones are taken in turn.
	Type     ID                `json:"type,omitempty"`
	Zone     ID                `json:"zone,omitempty"`
	Network  ID                `json:"network,omitempty"`
	Subnet   ID                `json:"subnet,omitempty"`
	SSHKeys  []ID              `json:"sshKeys,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	UserData string            `json:"userData,omitempty"`
	// SecurityGroups are groups of the instance's network, or of any, at most MaxSecurityGroups.
	SecurityGroups []ID `json:"securityGroups,omitempty"`
	// Networks are those to which it is attached from the beginning, beside Network. See AttachInstanceNetwork.
	Networks []NetworkAttachment `json:"networks,omitempty"`
	// PrivateAddress asks for a certain private address of the network, or of a subnet of it, which is then Subnet. Empty
	// means the next that is free. AlreadyExists: it is taken; Invalid: it is outside or reserved, as the first two of a range are.
	PrivateAddress string `json:"privateAddress,omitempty"`
	// NoPublicAddress leaves the instance with its private addresses alone.
	NoPublicAddress bool `json:"noPublicAddress,omitempty"`
	// PublicFamilies are the families, 4 and 6, of which the instance has a public address, whatever the ranges of its
	// network are. Empty means those of the network.
	PublicFamilies []int `json:"publicFamilies,omitempty"`
	// Protected, if true, makes a deletion answer Protected until an update takes it off.
	Protected bool              `json:"protected,omitempty"`
	Options   map[string]string `json:"options,omitempty"`
}

// InstanceUpdate changes what is not nil.
type InstanceUpdate struct {
	Name *string `json:"name,omitempty"`
	// Labels replaces all labels.
	Labels *map[string]string `json:"labels,omitempty"`
	// PTRs are names in reverse DNS, by public addresses of the instance. An empty
	// name removes the one that is there; addresses that are not here keep theirs.
	PTRs *map[string]string `json:"ptrs,omitempty"`
	// Protected puts the protection from deletion on or takes it off.
	Protected *bool `json:"protected,omitempty"`
	// SecurityGroups replaces all groups.
	SecurityGroups *[]ID `json:"securityGroups,omitempty"`
	// Options replaces all options.
	Options *map[string]string `json:"options,omitempty"`
}

// InstanceRebuild is what a rebuilt instance begins with; what is nil stays as it was.
type InstanceRebuild struct {
	UserData *string `json:"userData,omitempty"`
	// SSHKeys replaces all keys.
	SSHKeys *[]ID `json:"sshKeys,omitempty"`
}

// InstanceResize is the type that an instance gets.
type InstanceResize struct {
	Type ID `json:"type"`
}

// InstanceMigration is the zone that an instance moves to.
type InstanceMigration struct {
	Zone ID `json:"zone"`
}
