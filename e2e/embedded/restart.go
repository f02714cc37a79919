package embedded

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/e2e/process"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// RestartAPIServer kills the API server and returns when a new one serves on
// the same port. etcd runs on, so that nothing is lost. When it fails, there is
// no API server any more. Stop ends the wait.
func (b *Backend) RestartAPIServer(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != running {
		return simcloud.Errorf(simcloud.Conflict, "backend/embedded", "the control plane is not running")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(b.life, func() { cancel(errStopped) })()
	err := b.plane.restartAPIServer(ctx)
	switch {
	case err == nil:
		b.guard(b.plane.apiserver)
	case b.life.Err() == nil:
		b.lose(fmt.Errorf("the API server did not come back: %w", err))
	}
	return err
}

func (p *plane) restartAPIServer(ctx context.Context) error {
	if err := p.apiserver.Kill(); err != nil {
		return fmt.Errorf("kill the API server: %w", err)
	}
	for {
		proc, err := p.startAPIServer(ctx)
		if process.LostPort(err) && ctx.Err() == nil { // another process probes for free ports, and releases it at once
			continue
		}
		if err == nil {
			p.apiserver = proc
		}
		return err
	}
}
