// Package control has the data that whoever controls a cluster exchanges with the harness: the
// settings of a CCM, a moment at which to kill it, a machine to boot, and how a CCM ended. It
// imports nothing of the harness, so that steps of scenarios are tested without one.
package control

import (
	"time"
)

// Settings are what a CCM gets beyond what the harness gives to all.
type Settings struct {
	// Config are keys of the cloud config of simcloud-ccm, which replace the
	// harness's own of the same name.
	Config map[string]any
	// Flags come after all others. They may have placeholders.
	Flags []string
	// Binary is the program that runs in place of the CCM's own, such as its next version: a path, or a name that is looked
	// for in PATH. It gets the same arguments. Nil and empty are the CCM's own.
	Binary *string
	// Proxied lets its requests to the cluster go through the harness, so that
	// they can be delayed.
	Proxied bool
}

// KillPoint is a moment at which the CCM is killed: around one of its calls.
type KillPoint struct {
	// Operation is a glob, such as "Create*".
	Operation string
	// Call is which of the calls, counted from the arming on; 0 is the first.
	Call int
	// After is whether the cloud does the operation first. The CCM gets no answer either way.
	After bool
}

// Exit is an unexpected end of a CCM, or a panic that it survived.
// Each start has at most one: what follows a panic follows from it.
type Exit struct {
	Time time.Time `json:"time"`
	// Panic is whether the log shows a panic.
	Panic  bool   `json:"panic"`
	Reason string `json:"reason"`
	// Log are the last lines of its log.
	Log []string `json:"log"`
}

// Secret is something that the CCM was given and must not disclose.
type Secret struct {
	What  string // "token of the cloud"
	Value string
}

// Machine describes a machine that no instance asks for. All but its name and
// labels are for hollow nodes alone: a real kubelet has no such shapes here.
type Machine struct {
	// Name is the machine's hostname and so the name of its Node.
	Name   string
	Labels map[string]string
	// Light is whether it is a hollow node and not a real kubelet.
	Light bool
	// NodeIPs are what its kubelet was told with --node-ip.
	NodeIPs []string
	// ProviderID is what the Node registers with.
	ProviderID string
	// Initialized lets it register without the taint that a CCM removes.
	Initialized bool
}
