package e2e

import (
	"context"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/manager"
)

// ccmPlace says where the CCM is to run.
func (cfg Config) ccmPlace() manager.Place {
	can := cfg.can()
	place := manager.Place{Mode: cfg.CCMMode, Node: can.ControlPlaneNode, Exec: can.Exec, Simulated: can.Wire != nil}
	if cfg.Backend != nil {
		place.Backend = cfg.Backend.Name()
	}
	return place
}

// ccmDeps are what the CCM gets of the cluster.
func (c *Cluster) ccmDeps() manager.Deps {
	return manager.Deps{
		Cloud: manager.Cloud{Admin: c.Cloud, URL: c.CloudURL, Local: c.cloud().LocalURL(), Sim: c.cloud},
		Kube:  manager.Kube{Name: c.Name, PodCIDR: ClusterCIDR, Config: c.RESTConfig, Client: c.Kube},
		Wire:  c.can.Wire, RunProvider: c.can.RunProvider,
		Dir:     c.Dir,
		Timings: c.timings.ccm(),
		Log:     c.log,
	}
}

// Standby is the second replica of the CCM: see [manager.CCM.Standby].
func (c *Cluster) Standby() *manager.CCM { return c.CCM.Standby() }

// Forbid takes rights from the CCM: see [manager.CCM.Forbid].
func (c *Cluster) Forbid(ctx context.Context, verbs, resources []string) error {
	return c.CCM.Forbid(ctx, verbs, resources)
}

// Allow gives the CCM its rights back: see [manager.CCM.Allow].
func (c *Cluster) Allow(ctx context.Context) error { return c.CCM.Allow(ctx) }

// CanDelay reports whether requests of the CCM can be delayed: see [manager.CCM.CanDelay].
func (c *Cluster) CanDelay() bool { return c.CCM.CanDelay() }

// Delay holds back requests of the CCM: see [manager.CCM.Delay].
func (c *Cluster) Delay(ctx context.Context, verbs, resources []string, by time.Duration) error {
	return c.CCM.Delay(ctx, verbs, resources, by)
}

// Undelay lets all requests through at once.
func (c *Cluster) Undelay(ctx context.Context) error { return c.CCM.Undelay(ctx) }
