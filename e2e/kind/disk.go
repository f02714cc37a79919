package kind

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"

	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// disk is the container of a machine, which stays when the machine is off.
type disk struct {
	addresses []netip.Addr
	images    int // how many archives were loaded
}

// keptContainer returns the container that the machine's instance left. One of
// another instance goes; one whose making was broken off is not there.
func (b *Backend) keptContainer(ctx context.Context, spec machine.Spec) (engine.Container, bool, error) {
	b.mu.Lock()
	_, noted := b.disks[spec.Name]
	b.mu.Unlock()
	if !noted {
		return engine.Container{}, false, nil
	}
	container, err := b.Engine.Inspect(ctx, b.container(spec.Name))
	switch {
	case errors.Is(err, simcloud.NotFound):
		return container, false, nil
	case err != nil || container.Labels[LabelInstance] == string(spec.Instance):
		return container, err == nil, err
	}
	return container, false, b.Discard(ctx, spec.Name)
}

// noteDisk notes a new disk.
func (b *Backend) noteDisk(spec machine.Spec) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.disks[spec.Name] = disk{addresses: spec.Addresses}
}

// moveDisk notes the addresses of a disk's machine, and returns what they were.
func (b *Backend) moveDisk(spec machine.Spec) []netip.Addr {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := b.disks[spec.Name]
	b.disks[spec.Name] = disk{spec.Addresses, was.images}
	return was.addresses
}

// Discard removes the container of a machine that is off, with its disk.
func (b *Backend) Discard(ctx context.Context, name string) error {
	b.mu.Lock()
	n := b.nodes[name]
	_, there := b.disks[name]
	b.mu.Unlock()
	if n != nil && !n.gone() {
		return simcloud.Errorf(simcloud.InUse, "node/"+name, "it runs: kill it first")
	}
	if !there {
		return nil
	}
	if err := errors.Join(b.Engine.Remove(ctx, b.container(name)), os.RemoveAll(b.dir.node(name))); err != nil {
		return fmt.Errorf("remove the disk of %s: %w", name, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.disks, name)
	return nil
}
