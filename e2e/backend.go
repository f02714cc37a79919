// Package e2e runs clusters on a simulated cloud: the cloud, a Kubernetes
// control plane, one machine per instance, and the cloud controller manager under test.
package e2e

import (
	"context"
	"io"
	"net/netip"

	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/mirror"
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

// What follows are abilities that a Backend, or a Node of it, may have besides.

// Networker is a Backend whose machines are in a network of its own. It is
// asked before the cloud opens, so that the cloud gives its instances addresses
// that their machines can have.
type Networker interface {
	Network(ctx context.Context) (Network, error)
}

// Network is where the machines of a Backend are.
type Network struct {
	// CIDRs are the ranges of the cloud's default network: at most one of each family.
	CIDRs []string
	// FloatingCIDRs are the ranges of the pools of floating IPs: at most one of
	// each family. A family without one keeps the cloud's own.
	FloatingCIDRs []string
	// Host is the address at which machines and their pods reach this host. The
	// cloud listens there.
	Host string
}

// DiskKeeper is a Backend whose machines have disks, which stay when a machine
// stops or is killed: a node that is started again under the same name and for the
// same instance finds its own.
type DiskKeeper interface {
	// Discard throws a disk away; that there is none is no error. The machine
	// must not run.
	Discard(ctx context.Context, name string) error
}

// ImageLoader is a Backend whose nodes run container images.
type ImageLoader interface {
	// LoadImage brings the images of a docker-archive to every node, and to
	// those that boot later. The archive must stay where it is.
	LoadImage(ctx context.Context, archive string) error
}

// PacketBackend is a Backend that says whether pods have real traffic. One
// that does not say so has none.
type PacketBackend interface {
	Packets() bool
}

// CloudFollower is a Backend that makes more of the cloud real than machines,
// such as routes.
type CloudFollower interface {
	// FollowCloud begins to; it goes on until Stop. The control plane runs.
	FollowCloud(ctx context.Context, cloud mirror.Cloud) error
}

// NodeRunner is a Backend that can run programs on its nodes.
type NodeRunner interface {
	// Exec runs a program on a node, by the node's name, and returns its
	// standard output. The error has what it wrote to standard error. Stdin may be nil.
	Exec(ctx context.Context, node string, stdin io.Reader, argv ...string) ([]byte, error)
	// NodeNames names the nodes that programs can be run on now, in order,
	// without that of the control plane.
	NodeNames(ctx context.Context) ([]string, error)
}

// Mortal is a Backend that notices when its control plane is not whole any more.
type Mortal interface {
	// Alive ends when a part of the control plane has ended by itself; its
	// cause says which, and how. Nothing that happens after that says anything of a CCM.
	Alive() context.Context
}

// Calibrated is a Backend that measures its machine when it starts.
type Calibrated interface {
	// Factor says how many times slower than two cores that carry one other cluster the machine is, from 1.
	// All bounds on time of a cluster, and of who waits for it, are multiplied by it.
	Factor() float64
}

// Partitioner is a Node that can be cut off from the network while it runs on.
type Partitioner interface {
	// Cut takes the node off the network. Cutting twice is cutting once.
	Cut(ctx context.Context) error
	// Join brings it back, with the addresses that it had.
	Join(ctx context.Context) error
}

// ControlPlaneNoder is a Backend whose control plane can be a Node of its own cluster.
type ControlPlaneNoder interface {
	// ControlPlaneNode returns the name that its Node has; empty when it is to have none.
	ControlPlaneNode() string
	// JoinControlPlane makes it a Node, with the addresses and the labels of the
	// spec, when the control plane runs. It returns when the Node is registered.
	JoinControlPlane(ctx context.Context, spec NodeSpec) error
}

// LabelControlPlane marks, when it is "true", the instance and the Node of a control
// plane that is a Node of its own cluster. Neither is part of what a test looks at.
const LabelControlPlane = "sim.simcloud.dev/control-plane"
