package kind

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// node is a machine that runs: a container.
type node struct {
	backend   *Backend
	spec      machine.Spec
	container string

	end  context.CancelFunc // of what is done for it
	done chan struct{}

	loading sync.Mutex // of images

	mu  sync.Mutex // guards cut
	cut bool
}

// newNode looks after a container that runs.
func (b *Backend) newNode(p *plane, spec machine.Spec) *node {
	n := &node{backend: b, spec: spec, container: b.container(spec.Name), done: make(chan struct{})}
	var ctx context.Context
	ctx, n.end = context.WithCancel(b.life)
	var tasks sync.WaitGroup
	tasks.Go(func() { b.followPodCIDRs(ctx, p, spec.Name, n.writeCNI) })
	tasks.Go(func() {
		defer n.end()
		b.awaitEnd(ctx, n.container)
	})
	go func() { // until done is closed, for which Stop waits
		tasks.Wait()
		b.nodeChanged()
		close(n.done)
	}()
	return n
}

// awaitEnd returns when a container has ended or is removed, or ctx is done.
// That the engine does not answer is not the container's end.
func (b *Backend) awaitEnd(ctx context.Context, container string) {
	for ctx.Err() == nil {
		if _, err := b.Engine.Wait(ctx, container); err == nil || errors.Is(err, simcloud.NotFound) {
			return
		}
		if c, err := b.Engine.Inspect(ctx, container); errors.Is(err, simcloud.NotFound) || err == nil && c.PID == 0 {
			return
		}
		select {
		case <-time.After(readyPeriod):
		case <-ctx.Done():
		}
	}
}

// Done is closed when the container does not run any more.
func (n *node) Done() <-chan struct{} { return n.done }

func (n *node) gone() bool {
	select {
	case <-n.done:
		return true
	default:
		return false
	}
}

// Stop shuts the machine down in order and returns when it is off.
func (n *node) Stop(ctx context.Context) error {
	_, err := n.backend.Engine.Exec(ctx, n.container, nil, "systemctl", "stop", "kubelet")
	if n.gone() {
		return nil
	}
	return errors.Join(err, n.Kill())
}

// lifeTimeout bounds what an engine does with a container.
const lifeTimeout = time.Minute

// Kill ends all that runs in the container at once and returns when it is off.
func (n *node) Kill() error {
	ctx, cancel := context.WithTimeout(context.Background(), lifeTimeout)
	defer cancel()
	if err := n.backend.Engine.Kill(ctx, n.container); err != nil && !n.gone() {
		return err
	}
	select {
	case <-n.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the container %s does not end: %w", n.container, ctx.Err())
	}
}

// Freeze pauses the container, Thaw lets it go on.
func (n *node) Freeze() error { return n.do(n.backend.Engine.Pause) }

// Thaw lets a frozen machine go on.
func (n *node) Thaw() error {
	if err := n.do(n.backend.Engine.Unpause); err != nil {
		return err
	}
	n.backend.nodeChanged() // its routes could not be made meanwhile
	return nil
}

func (n *node) do(act func(context.Context, string) error) error {
	ctx, cancel := context.WithTimeout(n.backend.life, lifeTimeout)
	defer cancel()
	return act(ctx, n.container)
}

// cutOff takes the machine out of the cluster's network.
func (n *node) cutOff(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cut {
		return nil
	}
	if err := n.backend.Engine.Disconnect(ctx, n.backend.network.name, n.container); err != nil {
		return err
	}
	n.cut = true
	return nil
}

// rejoin brings it back to where it was.
func (n *node) rejoin(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.cut {
		return nil
	}
	if err := n.backend.Engine.Connect(ctx, n.backend.network.name, n.container, n.spec.Addresses...); err != nil {
		return err
	}
	n.cut = false
	n.backend.nodeChanged()
	return nil
}

func isIPv6(cidr string) bool { return strings.Contains(cidr, ":") }
