package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// LoadImage loads the images of a docker-archive into every node that runs,
// and into those that boot from now on.
func (b *Backend) LoadImage(ctx context.Context, archive string) error {
	if _, err := os.Stat(archive); err != nil {
		return simcloud.Errorf(simcloud.Invalid, "backend/kind", "load an image: %w", err)
	}
	b.mu.Lock()
	b.archives = append(b.archives, archive)
	var nodes []*node
	for _, n := range b.nodes {
		if n != nil && !n.gone() {
			nodes = append(nodes, n)
		}
	}
	b.mu.Unlock()
	errs := make([]error, len(nodes))
	var all sync.WaitGroup
	for i, n := range nodes {
		all.Go(func() { errs[i] = b.loadMissing(ctx, n) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// loadMissing loads the archives into a node that its disk does not have.
func (b *Backend) loadMissing(ctx context.Context, n *node) error {
	n.loading.Lock()
	defer n.loading.Unlock()
	b.mu.Lock()
	archives, loaded := slices.Clone(b.archives), b.disks[n.spec.Name].images
	b.mu.Unlock()
	if err := b.loadInto(ctx, n.container, archives[loaded:]...); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	d := b.disks[n.spec.Name]
	d.images = len(archives)
	b.disks[n.spec.Name] = d
	return nil
}

// loadInto imports archives when containerd serves.
func (b *Backend) loadInto(ctx context.Context, container string, archives ...string) error {
	for _, archive := range archives {
		file, err := os.Open(archive)
		if err != nil {
			return fmt.Errorf("load an image: %w", err)
		}
		const load = `until ctr version >/dev/null 2>&1; do sleep 0.2; done; exec ctr --namespace=k8s.io images import --all-platforms --digests --snapshotter=overlayfs -`
		_, err = b.Engine.Exec(ctx, container, file, "sh", "-c", load)
		if err := errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("load the images of %s into %s: %w", archive, container, err)
		}
	}
	return nil
}
