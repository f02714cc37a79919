package kind

import (
	"context"
	"io"
	"maps"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Exec runs a program on a node, which may be that of the control plane.
func (b *Backend) Exec(ctx context.Context, node string, stdin io.Reader, argv ...string) ([]byte, error) {
	container, err := b.runningContainer(node)
	if err != nil {
		return nil, err
	}
	return b.Engine.Exec(ctx, container, stdin, argv...)
}

func (b *Backend) runningContainer(name string) (string, error) {
	b.mu.Lock()
	p := b.plane
	b.mu.Unlock()
	if p != nil && name == p.name {
		return name, nil
	}
	n, err := b.runningNode(name)
	if err != nil {
		return "", err
	}
	return n.container, nil
}

func (b *Backend) runningNode(name string) (*node, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.nodes[name]
	if n == nil || n.gone() {
		return nil, simcloud.Errorf(simcloud.NotFound, "node/"+name, "no such node runs")
	}
	return n, nil
}

// Cut takes a node that runs out of the cluster's network.
func (b *Backend) Cut(ctx context.Context, name string) error {
	n, err := b.runningNode(name)
	if err != nil {
		return err
	}
	return n.cutOff(ctx)
}

// Join brings it back to where it was.
func (b *Backend) Join(ctx context.Context, name string) error {
	n, err := b.runningNode(name)
	if err != nil {
		return err
	}
	return n.rejoin(ctx)
}

// NodeNames names the machines that run, frozen ones too.
func (b *Backend) NodeNames(context.Context) ([]string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(b.nodes)) {
		if n := b.nodes[name]; n != nil && !n.gone() {
			names = append(names, name)
		}
	}
	return names, nil
}

// NodesChanged returns a channel that is closed when a node has booted, ended,
// or come back to the network after this call.
func (b *Backend) NodesChanged() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

func (b *Backend) nodeChanged() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changedLocked()
}

func (b *Backend) changedLocked() {
	close(b.changed)
	b.changed = make(chan struct{})
}
