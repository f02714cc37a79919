package manager

import (
	"context"
	"io"

	"k8s.io/client-go/rest"
	cloudprovider "k8s.io/cloud-provider"
)

// Host runs a provider in this process with the controllers of k8s.io/cloud-provider, until ctx is done: as Run of package
// e2e/controllers does. It is a dependency, so that a program that runs CCMs only as processes does not link the controllers.
type Host func(ctx context.Context, provider Hosted) error

// Hosted is a provider that a [Host] runs.
type Hosted struct {
	// Kube is its access to the cluster, over the network in memory.
	Kube *rest.Config
	// Flags are those of a binary with upstream's app.
	Flags []string
	// Open makes the provider. Its error ends the run.
	Open func(ctx context.Context) (cloudprovider.Interface, error)
	// Log gets the log.
	Log io.Writer
	// Ended is called when the provider has ended, before its goroutines are awaited.
	Ended func()
}
