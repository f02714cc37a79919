package scenariotest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/scenarios/scenariotest"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// openCloud opens our provider as often as it is started. The token is tried
// first: a provider that cannot work must report it at its start.
func openCloud(ctx context.Context, access manager.Access) (cloudprovider.Interface, error) {
	cfg, err := config.Load(access.CloudConfig)
	if err != nil {
		return nil, err
	}
	api, err := client.New(client.Config{Endpoint: cfg.Endpoint, TokenFile: cfg.TokenFile, UserAgent: "simcloud-ccm/test"})
	if err != nil {
		return nil, err
	}
	if _, err := api.ListRegions(ctx, simcloud.ListOptions{}); errors.Is(err, simcloud.Unauthenticated) {
		return nil, fmt.Errorf("the cloud refuses the token: %w", err)
	}
	return ccm.New(api, cfg, time.Now), nil
}

// TestCloudProvider holds our provider, as a part of this test, against
// scenarios of the controllers but that of Services, with starts and stops, and a
// token that is refused. Upstream's service controller (v0.37.1) has a data race: serviceCache.allServices
// reads the state that processServiceCreateOrUpdate writes. [TestSelf] has Services, in another process.
func TestCloudProvider(t *testing.T) {
	planetest.Cluster(t)
	dir, names := t.TempDir(), "n01-initialised,p02-wrong-token"
	if planetest.InNightly() {
		names += ",l01-vm-deleted,l03-vm-stopped,r01-route"
	}
	scenariotest.Run(t, scenariotest.Config{
		Report:    dir,
		Subject:   scenariotest.CloudProvider("simcloud", openCloud),
		Scenarios: scenariotest.Library(t, "name in ("+names+")"),
	})
	log, err := os.ReadFile(filepath.Join(dir, "logs", "n01-initialised", "ccm.log"))
	if err != nil || !strings.Contains(string(log), "node_controller.go") {
		t.Errorf("%v: what the app logs is not in the CCM's log, which has %d bytes", err, len(log))
	}
}
