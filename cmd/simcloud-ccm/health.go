package main

import (
	"context"
	"net/http"

	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	genericcontrollermanager "k8s.io/controller-manager/app"
	"k8s.io/controller-manager/controller"
	"k8s.io/controller-manager/pkg/healthz"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/ccm"
)

// cloudCheck is the name of the check of /healthz that fails while the cloud
// does not answer. A liveness probe leaves it out, by /healthz?exclude=cloud:
// a new process would not bring the cloud back.
const cloudCheck = "cloud"

// watchCloud constructs what the framework takes for a controller: it
// does nothing but give /healthz the check, under the controller's own name.
// Being the first to know that this process leads, it remembers the lease too.
func (p *process) watchCloud(_ app.ControllerInitContext, c *config.CompletedConfig, _ cloudprovider.Interface) app.InitFunc {
	return func(ctx context.Context, _ genericcontrollermanager.ControllerContext) (controller.Interface, bool, error) {
		if c.ComponentConfig.Generic.LeaderElection.LeaderElect {
			p.remember(leading(ctx, c))
		}
		return cloudHealth{p.cloud.Load()}, true, nil
	}
}

func (p *process) remember(held *lease, err error) {
	if err != nil {
		klog.ErrorS(err, "This process leads and does not know its lease; it will not give it up at its end")
		return
	}
	p.lease.Store(held)
}

type cloudHealth struct{ cloud *ccm.Cloud }

// Name is that of the check.
func (cloudHealth) Name() string { return cloudCheck }

// HealthChecker returns the check.
func (h cloudHealth) HealthChecker() healthz.UnnamedHealthChecker { return h }

// Check fails once the cloud has not answered for a while.
func (h cloudHealth) Check(*http.Request) error { return h.cloud.Reachable() }
