package dataplane

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/mirror"
)

// Cloud is whose load balancers a data plane makes real.
type Cloud interface {
	mirror.Cloud
	ReportTargetHealth(ctx context.Context, lb, instance simcloud.ID, health simcloud.TargetHealth) error
	ReportGroupTargetHealth(ctx context.Context, group, instance simcloud.ID, port int, health simcloud.TargetHealth) error
}

// Config is what a data plane is made of.
type Config struct {
	Cloud    Cloud
	Balancer BalancerConfig
	// Registerer gets the metrics, unless nil.
	Registerer prometheus.Registerer
	// Log gets what happens; nil discards it.
	Log *slog.Logger
}

// DataPlane forwards for the load balancers of a cloud as they come, change
// and go, and reports the health of their targets to it.
type DataPlane struct {
	cloud    Cloud
	balancer *Balancer
	mirror   *mirror.Mirror
	log      *slog.Logger

	mu      sync.Mutex  // guards that the balancer forwards as applied says
	applied mirror.View // of the cloud

	changed chan struct{} // what the cloud says of targets has changed
	end     context.CancelFunc
	running sync.WaitGroup
}

// Start returns when the load balancers that the cloud has listen, or cannot;
// Status says why. The caller closes the data plane.
func Start(ctx context.Context, cfg Config) (*DataPlane, error) {
	log := cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	cfg.Balancer.Log = cmp.Or(cfg.Balancer.Log, log)
	copied, err := mirror.Open(ctx, cfg.Cloud, log)
	if err != nil {
		return nil, fmt.Errorf("read the cloud's load balancers: %w", err)
	}
	d := &DataPlane{
		cloud: cfg.Cloud, balancer: NewBalancer(cfg.Balancer), mirror: copied, log: log, changed: make(chan struct{}, 1),
	}
	if cfg.Registerer != nil {
		if err := cfg.Registerer.Register(d.balancer); err != nil {
			d.balancer.Close()
			return nil, fmt.Errorf("register the data plane's metrics: %w", err)
		}
	}
	d.forward()
	d.follow(context.WithoutCancel(ctx))
	return d, nil
}

// follow begins to follow the cloud.
func (d *DataPlane) follow(ctx context.Context) {
	ctx, d.end = context.WithCancel(ctx)
	d.running.Go(func() { d.mirror.Run(ctx) })
	d.running.Go(func() { d.apply(ctx) })
	d.running.Go(func() { d.report(ctx) })
}

// apply forwards as the cloud says, until ctx is done.
func (d *DataPlane) apply(ctx context.Context) {
	for {
		select {
		case <-d.mirror.Changed():
		case <-ctx.Done():
			return
		}
		d.forward()
		select {
		case d.changed <- struct{}{}:
		default:
		}
	}
}

// forward lets the balancer forward as the cloud says by now.
func (d *DataPlane) forward() {
	view := d.mirror.View()
	all := desired(view)
	d.mu.Lock()
	defer d.mu.Unlock()
	// Once the cloud was reset another load balancer may have the id: the former one goes first.
	replaced := func(lb LoadBalancer) bool {
		before, there := d.applied.LoadBalancers[lb.ID]
		return there && !before.Created.Equal(view.LoadBalancers[lb.ID].Created)
	}
	if slices.ContainsFunc(all, replaced) {
		d.balancer.Apply(slices.DeleteFunc(slices.Clone(all), replaced))
	}
	d.balancer.Apply(all)
	d.applied = view
}

// news is what the cloud does not have right of the health of targets. It goes
// by the view that the balancer has: what that says of a target whose instance
// has started since is no news of the instance as it is now.
func (d *DataPlane) news() []Health {
	d.mu.Lock()
	defer d.mu.Unlock()
	return news(d.applied, d.balancer.Health())
}

// Close ends all connections and returns when nothing listens or runs any more.
func (d *DataPlane) Close() {
	d.end()
	d.running.Wait()
	d.balancer.Close()
}
