// Package e2e runs clusters on a simulated cloud: the cloud, a Kubernetes
// control plane, one machine per instance, and the cloud controller manager under test.
package e2e

import (
	"context"
	"fmt"
	"io"
	"time"

	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/sweep"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/mirror"
	"github.com/simcloud-dev/simcloud/simcloud/wire"
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
	StartNode(ctx context.Context, spec machine.Spec) (machine.Node, error)
	// Stop stops the nodes and then the control plane, and returns when they are gone.
	// A Backend that was not started, or is stopped already, has nothing to do.
	Stop(ctx context.Context) error
	// Capabilities says what the Backend can do besides. It is the same before and after Start.
	Capabilities() Capabilities
	// Logs collects the logs of everything that ran into dir.
	Logs(ctx context.Context, dir string) error
}

// LabelControlPlane marks, when it is "true", the instance and the Node of a control
// plane that is a Node of its own cluster. Neither is part of what a test looks at.
const LabelControlPlane = "sim.simcloud.dev/control-plane"

// Capabilities are what a Backend can do beyond starting and stopping. A nil
// function is something that it cannot do; Cluster then does without, or answers Unimplemented.
type Capabilities struct {
	// SharedCluster is set for a cluster that others use too.
	SharedCluster *SharedCluster

	// Network returns the network of the machines, if they have one of their own.
	// It is called before the cloud opens, so that the cloud gives its instances
	// addresses that their machines can have. Without it machines have none.
	Network func(ctx context.Context) (Network, error)

	// Wire is a network in memory, for a cluster that is in this process and runs
	// in a testing/synctest bubble: the cloud is on it, and a CCM in this process
	// reaches it there. Nothing uses a socket then.
	Wire *wire.Network
	// RunProvider runs a provider on Wire with its controllers. A backend with Wire has it.
	RunProvider manager.ProviderRunner

	// Packets is whether pods have real traffic.
	Packets bool
	// FollowCloud begins to make more of the cloud real than machines, such as
	// routes; it goes on until Stop. The control plane runs.
	FollowCloud func(ctx context.Context, cloud mirror.Cloud) error

	// LoadImage brings the images of a docker-archive to every node, and to
	// those that boot later. The archive must stay where it is. Without it nodes run no images.
	LoadImage func(ctx context.Context, archive string) error
	// Exec runs a program on a node, by the node's name, and returns its
	// standard output. The error has what it wrote to standard error. Stdin may be nil.
	Exec func(ctx context.Context, node string, stdin io.Reader, argv ...string) ([]byte, error)

	// Discard deletes the disk of a machine that does not run; that there is none
	// is no error. With it machines have disks, which stay when a machine stops or
	// is killed: a node that is started again under the same name and for the same
	// instance finds its own.
	Discard func(ctx context.Context, node string) error
	// Cut takes a node that runs off the network, while it runs on. Cutting twice
	// is cutting once. Join brings it back, with the addresses that it had. Both
	// are set or none; without them a node that is to be cut off is frozen.
	Cut, Join func(ctx context.Context, node string) error

	// ControlPlaneNode is the name of the control plane's own Node; empty when it
	// is to have none. JoinControlPlane makes it a Node, with the addresses and the
	// labels of the spec, when the control plane runs. It returns when the Node is registered.
	ControlPlaneNode string
	JoinControlPlane func(ctx context.Context, spec machine.Spec) error
	// RestartAPIServer kills the API server and returns when a new one serves
	// at the same address, with the same data.
	RestartAPIServer func(ctx context.Context) error

	// Lag lets the API server show the CCM alone what is old; CatchUp ends that. Both are set or none.
	Lag     func(lag control.Lag) error
	CatchUp func()

	// Asked lists what the CCM has asked of the API server since a time, each once: "list nodes", or
	// "list nodes (403)" when the API server refused it. Without it there is no record.
	Asked func(since time.Time) ([]string, error)

	// Done returns a channel that is closed when a part of the control plane has
	// ended by itself; Err then says which, and how, and is nil before. Nothing that
	// happens after that says anything of a CCM. Both are set or none.
	Done func() <-chan struct{}
	Err  func() error
	// Factor says how many times slower than two cores that carry one other cluster
	// the machine was when the control plane started, from 1. All bounds on time of a
	// cluster, and of the callers that wait for it, are multiplied by it.
	Factor func() float64
}

// SharedCluster describes a cluster that others use too. All its machines are
// hollow nodes, and nothing of the cluster is removed but what carries the mark.
type SharedCluster struct {
	// Mark is the label of all that is made through the access that Start
	// returned. It is another one each time.
	Mark sweep.Mark
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

// can is what the backend can do; nothing without a backend.
func (cfg Config) can() Capabilities {
	if cfg.Backend == nil {
		return Capabilities{}
	}
	return cfg.Backend.Capabilities()
}

// Asked lists what the CCM has asked of the API server since a time, each once, such as "list nodes". It answers
// Unimplemented when the backend keeps no record.
func (c *Cluster) Asked(since time.Time) ([]string, error) {
	if c.can.Asked == nil {
		return nil, simcloud.Errorf(simcloud.Unimplemented, "backend/"+c.Backend.Name(), "its API server does not record requests")
	}
	return c.can.Asked(since)
}

// Factor says how many times slower the machine was, when the control plane
// started, than two cores that carry one other cluster, from 1; 1 where the backend does not measure it.
func (c *Cluster) Factor() float64 {
	if c.can.Factor == nil {
		return 1
	}
	return c.can.Factor()
}

// Packets reports whether pods have real traffic.
func (c *Cluster) Packets() bool { return c.can.Packets }

// Simulated reports whether the cluster runs in simulated time, as a part of this process.
func (c *Cluster) Simulated() bool { return c.can.Wire != nil }

// Selector is the label selector of what was made for this cluster, when others
// use the same control plane; else it is empty.
func (c *Cluster) Selector() string {
	if c.can.SharedCluster == nil {
		return ""
	}
	return c.can.SharedCluster.Mark.Selector()
}

// Done is closed when the control plane is lost though no one has stopped it; Err
// then says what happened. The cluster can be stopped then, and nothing else. With a
// backend that does not notice such a thing it is never closed.
func (c *Cluster) Done() <-chan struct{} {
	if c.can.Done == nil {
		return nil
	}
	return c.can.Done()
}

// Err says how the control plane was lost; nil while it was not.
func (c *Cluster) Err() error {
	if c.can.Err == nil {
		return nil
	}
	return c.can.Err()
}

// RestartAPIServer kills the API server and returns when it serves again, at
// the same address and with its data. Connections and watches break; tokens and
// certificates stay good. It answers Unimplemented when the backend cannot.
func (c *Cluster) RestartAPIServer(ctx context.Context) error {
	if c.can.RestartAPIServer == nil {
		return simcloud.Errorf(simcloud.Unimplemented, "backend/"+c.Backend.Name(), "it cannot restart its API server")
	}
	if err := c.can.RestartAPIServer(ctx); err != nil {
		return fmt.Errorf("restart the API server: %w", err)
	}
	return nil
}
