// Package e2e runs clusters on a simulated cloud: the cloud, a Kubernetes
// control plane, one machine per instance, and the cloud controller manager under test.
package e2e

import (
	"context"
	"net/netip"

	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Backend runs a Kubernetes control plane and its kubelets. Backends differ in
// how they start and stop these; everything else is in Cluster.
type Backend interface {
	// Name names the kind of backend, such as "embedded".
	Name() string
	// Start returns when the control plane serves, with an admin's access to it.
	Start(ctx context.Context) (*rest.Config, error)
	// StartNode boots a kubelet. It returns when the kubelet runs; the Node
	// object appears by itself.
	StartNode(ctx context.Context, spec NodeSpec) (Node, error)
	// Stop stops the nodes and then the control plane, and returns when they are gone.
	// A Backend that was not started, or is stopped already, has nothing to do.
	Stop(ctx context.Context) error
	// Capabilities says what the Backend can do besides. It is the same before and after Start.
	Capabilities() Capabilities
	// Logs collects the logs of everything that ran into dir.
	Logs(ctx context.Context, dir string) error
}

// NodeSpec describes a machine to boot.
type NodeSpec struct {
	// Name is the machine's hostname and so the name of its Node.
	Name string
	// Labels are set by the kubelet when it registers.
	Labels map[string]string
	// Instance is the VM; empty for a machine without one.
	Instance simcloud.ID
	// Addresses are the VM's private addresses, those of IPv4 first. Without
	// any the backend chooses.
	Addresses []netip.Addr
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

// LabelControlPlane marks, when it is "true", the instance and the Node of a control
// plane that is a Node of its own cluster. Neither is part of what a test looks at.
const LabelControlPlane = "sim.simcloud.dev/control-plane"
