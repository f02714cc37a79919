package scenariotest_test

import (
	"context"
	"testing"

	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/component-base/metrics"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios/scenariotest"
)

// TestSimulate holds our provider against scenarios of all controllers in simulated time: starts, stops, a kill, a failover, a
// token that is refused, and what is forbidden in the cluster.
func TestSimulate(t *testing.T) {
	t.Parallel()
	scenariotest.Simulate(t, scenariotest.Config{
		Subject: scenariotest.CloudProvider("simcloud", func(ctx context.Context, access manager.Access) (cloudprovider.Interface, error) {
			return ccm.OpenWith(ctx, access.CloudConfig, ccm.Options{
				Transport: access.Transport, Register: func(metrics.Registerable) error { return nil },
			})
		}),
		Scenarios: scenariotest.Library(t, "name in (n01-initialised,l01-vm-deleted,p02-wrong-token,p04-failover,r01-route,n12-update-refused,node-taint-removal)"),
	})
}
