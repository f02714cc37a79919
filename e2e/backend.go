// Package e2e runs clusters on a simulated cloud: the cloud, a Kubernetes
// control plane, one machine per instance, and the cloud controller manager under test.
package e2e

import (
	"context"

	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/e2e/machine"
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
