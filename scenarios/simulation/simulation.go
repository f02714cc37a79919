// Package simulation runs scenarios in simulated time, each on a cluster of its own that is a part of this process: see
// [github.com/simcloud-dev/simcloud/e2e/simulated].
package simulation

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"runtime/debug"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/controllers"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/simulated"
	"github.com/simcloud-dev/simcloud/e2e/simulated/bubble"
	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// Config says what runs.
type Config struct {
	// Subject is a provider: see [manager.CCMSpec.Provider].
	Subject manager.CCMSpec
	Profile profile.Profile
	// Seed is what ids, addresses and UIDs follow from.
	Seed uint64
	// Dir is the folder in which each cluster has one of its own; empty is that of the system. What a cluster has written is removed with it.
	Dir string
}

// lacks names the capabilities that no CCM has in simulated time. Metrics are among them: the CCM would serve those of this process.
func lacks() []string { return []string{"metrics"} }

// Able returns the declared capabilities that a CCM has in simulated time. A nil set declares all capabilities.
func Able(declared scenarios.CapabilitySet) scenarios.CapabilitySet {
	if declared == nil {
		declared = scenarios.AllCapabilities()
	}
	able := maps.Clone(declared)
	for _, name := range lacks() {
		delete(able, name)
	}
	return able
}

// garbage is how much the heap grows, in percent, before it is collected: simulated time makes garbage as fast as the cores can, of which
// little is alive.
const garbage = 400

// Prepare makes the libraries of Kubernetes ready for simulated time. It must be called once, outside of all bubbles. It lets the
// garbage collector run less often, unless the environment variable GOGC is set.
func Prepare() error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	if err := controllers.Prepare(); err != nil {
		return fmt.Errorf("prepare for simulated time: %w", err)
	}
	kubeapi.Prepare()
	// Its connections are real, and one that was made in a bubble is of no use outside.
	http.DefaultTransport.(*http.Transport).DisableKeepAlives = true
	return nil
}

// Isolate is for [run.Runner]: a function is called in simulated time. The test, unless it is nil, fails when there is a data race.
func Isolate(t *testing.T) func(ctx context.Context, f func(ctx context.Context) error) error {
	return func(ctx context.Context, f func(ctx context.Context) error) error { return bubble.Run(ctx, t, f) }
}

// Start starts a cluster, in a bubble.
func Start(ctx context.Context, cfg Config) (run.Cluster, error) {
	dir, err := os.MkdirTemp(cfg.Dir, "simulated-")
	if err != nil {
		return nil, err
	}
	cluster, err := e2e.Start(ctx, e2e.Config{
		Dir: dir, Backend: simulated.New(simulated.Config{Seed: cfg.Seed}), Subject: cfg.Subject,
		Cloud: sim.Config{Ephemeral: true, Seed: cfg.Seed}, Rules: cfg.Profile.Cloud, NodeIPs: cfg.Profile.NodeIPs, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, removing(dir, err)
	}
	judged := cfg.Profile
	judged.Capabilities = Able(judged.Capabilities)
	return temporary{run.OnCluster(cluster, judged), dir}, nil
}

// temporary is a cluster whose folder is removed at its end.
type temporary struct {
	run.Cluster
	dir string
}

// Stop stops the cluster and removes its folder.
func (t temporary) Stop(ctx context.Context) error { return removing(t.dir, t.Cluster.Stop(ctx)) }

func removing(dir string, err error) error {
	if left := os.RemoveAll(dir); err == nil {
		err = left
	}
	return err
}
