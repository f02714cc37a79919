package kind

import (
	"context"
	"fmt"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// RestartAPIServer kills the API server and returns when the next one serves,
// which the control plane's kubelet starts. etcd runs on, so that nothing is lost.
func (b *Backend) RestartAPIServer(ctx context.Context) error {
	b.mu.Lock()
	p, state := b.plane, b.state
	b.mu.Unlock()
	if state != running {
		return simcloud.Errorf(simcloud.Conflict, "backend/kind", "the control plane is not running")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	const kill = `pid=$(pgrep -x -o kube-apiserver) && kill -KILL $pid && while kill -0 $pid 2>/dev/null; do sleep 0.05; done`
	if _, err := b.Engine.Exec(ctx, p.name, nil, "sh", "-c", kill); err != nil {
		return fmt.Errorf("kill the API server: %w", err)
	}
	return p.awaitReady(ctx)
}

// readyPeriod is how often it is asked whether the API server serves.
const readyPeriod = 100 * time.Millisecond

func (p *plane) awaitReady(ctx context.Context) error {
	tick := time.NewTicker(readyPeriod)
	defer tick.Stop()
	for {
		_, err := p.kube.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the API server does not serve: %w", err)
		}
	}
}
