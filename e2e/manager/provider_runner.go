package manager

import (
	"context"
	"io"

	"k8s.io/client-go/rest"
	cloudprovider "k8s.io/cloud-provider"
)

// ProviderRunner runs a provider in this process, with the controllers of k8s.io/cloud-provider, until ctx is done. Run of package
// e2e/controllers does that. A backend brings the runner, so that a program whose CCMs are processes does not link the controllers.
// An error is an unexpected end of the provider.
type ProviderRunner func(ctx context.Context, provider ProviderConfig) error

// ProviderConfig is a provider that a [ProviderRunner] runs.
type ProviderConfig struct {
	// Kube is its access to the cluster, over the network in memory.
	Kube *rest.Config
	// Flags are the flags of a binary with upstream's app.
	Flags []string
	// Open makes the provider. Its error ends the run.
	Open func(ctx context.Context) (cloudprovider.Interface, error)
	// Log gets the log.
	Log io.Writer
	// Ended is called when the provider has ended, before its goroutines are awaited.
	Ended func()
}
