package sim

import (
	"context"
	"iter"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
)

// startDataPlane lets the load balancers listen, before the cloud answers: who
// reads that one is active can reach it.
func (c *Cloud) startDataPlane(ctx context.Context, cfg Config) error {
	if !cfg.DataPlane {
		return nil
	}
	c.packets = prometheus.NewRegistry()
	plane, err := dataplane.Start(ctx, dataplane.Config{
		Cloud: wholeCloud{c.core}, Balancer: dataplane.BalancerConfig{TargetNetworks: cfg.TargetNetworks}, Registerer: c.packets, Log: cfg.Log,
	})
	if err != nil {
		return err
	}
	c.plane = plane
	c.core.ShowDataPlane(plane.Status)
	return nil
}

func (c *Cloud) stopDataPlane() {
	if c.plane != nil {
		c.plane.Close()
	}
}

// wholeCloud is a cloud with the events of all its projects.
type wholeCloud struct{ *core.Cloud }

// WatchEvents yields the events of all projects: the data plane serves all of them.
func (w wholeCloud) WatchEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error] {
	return w.WatchAllEvents(simcloud.WithCaller(ctx, simcloud.Caller{Role: simcloud.RoleAdmin}), after)
}
