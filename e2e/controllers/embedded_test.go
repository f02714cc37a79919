package controllers_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/e2e/controllers"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/scenarios/scenariotest"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// TestScenarios: the controllers pass scenarios against a real API server, as simcloud-ccm does. Those with Services are
// for tests without the race detector: see scenariotest.TestCloudProvider.
func TestScenarios(t *testing.T) {
	planetest.Cluster(t)
	names := "n01-initialised"
	if planetest.InNightly() {
		names += ",l01-vm-deleted,l03-vm-stopped,r01-route,r02-dual-stack,p02-wrong-token,p03-token-renewed,n12-api-server-restarted"
		if !planetest.RaceDetector {
			names += ",s01-tcp,s03-delete,s14-node-change-repairs,lb-provisioning"
		}
	}
	scenariotest.Run(t, scenariotest.Config{
		Subject:   manager.InProcess("simcloud", runOnCluster, false),
		Scenarios: scenariotest.Library(t, "name in ("+names+")"),
	})
}

// runOnCluster runs our provider with the access that a CCM of a backend has.
func runOnCluster(ctx context.Context, access manager.Access) error {
	kube, err := clientcmd.BuildConfigFromFlags("", access.Kubeconfig)
	if err != nil {
		return err
	}
	cfg, err := config.Load(access.CloudConfig)
	if err != nil {
		return err
	}
	api, err := client.New(client.Config{Endpoint: cfg.Endpoint, TokenFile: cfg.TokenFile, UserAgent: "simcloud-ccm/test"})
	if err != nil {
		return err
	}
	if _, err := api.ListRegions(ctx, simcloud.ListOptions{}); errors.Is(err, simcloud.Unauthenticated) {
		return fmt.Errorf("the cloud refuses the token: %w", err)
	}
	return controllers.Run(ctx, controllers.Config{
		Kube: kube, Open: opened(ccm.New(api, cfg, time.Now)), Flags: access.Flags, Log: access.Log, ReleaseLease: true,
		Controllers: []controllers.Controller{controllers.PVLabels(), {Name: "cloud"}},
	})
}
