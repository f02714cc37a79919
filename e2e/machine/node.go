// Package machine runs the machines of a simulated cloud: one for each instance
// that is up, booted by a backend or as a hollow node, which does in this process what a
// kubelet does to the API. Machines follow what the cloud wants of its instances.
package machine

import (
	"context"
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Spec describes a machine to boot.
type Spec struct {
	// Name is the machine's hostname and so the name of its Node.
	Name string
	// Labels are set by the kubelet when it registers.
	Labels map[string]string
	// Instance is the VM; empty for a machine without one.
	Instance simcloud.ID
	// Addresses are the VM's private addresses, those of IPv4 first. Without
	// any the backend chooses.
	Addresses []netip.Addr
	// NodeIPs are what the kubelet was told with --node-ip: the addresses it
	// begins with, and the annotation alpha.kubernetes.io/provided-node-ip. Backends whose kubelets
	// run on hosts of their own tell them in any case.
	NodeIPs []string
	// Zone is that of the VM; empty for a machine without one.
	Zone string
}

// Node is a running machine.
type Node interface {
	// Stop shuts the kubelet down in order and returns when it is gone. The Node object stays.
	Stop(ctx context.Context) error
	// Kill ends the kubelet at once, as a power cut would, and returns when it is gone.
	Kill() error
	// Freeze suspends the kubelet: it holds its place and says nothing. Thaw lets it go on.
	Freeze() error
	Thaw() error
	// Done is closed when the kubelet is gone, for whatever reason.
	Done() <-chan struct{}
}
