package simulated

import (
	"context"

	"github.com/simcloud-dev/simcloud/e2e/controllers"
	"github.com/simcloud-dev/simcloud/e2e/manager"
)

// runProvider runs a provider as simcloud-ccm runs its own: with the controller of volumes' labels. It releases the lease at the end.
func runProvider(ctx context.Context, provider manager.ProviderConfig) error {
	return controllers.Run(ctx, controllers.Config{
		Kube: provider.Kube, Flags: provider.Flags, Open: provider.Open, Log: provider.Log, Ended: provider.Ended,
		Controllers: []controllers.Controller{controllers.PVLabels()}, ReleaseLease: true,
	})
}
