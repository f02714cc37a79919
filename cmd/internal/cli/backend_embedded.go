package cli

import (
	"context"
	"path/filepath"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
)

// embeddedBackend runs control planes and kubelets as child processes.
type embeddedBackend struct {
	kube   string
	hollow int // nodes beside those with a kubelet
}

func findEmbedded(ctx context.Context, o backendOptions, progress func(string)) (backend, error) {
	kube, err := embedded.Find(ctx, embedded.FindOptions{Flag: o.kube, Progress: progress})
	if err != nil {
		return nil, err
	}
	return embeddedBackend{kube, o.hollow}, nil
}

// join gives the cluster processes in a folder of its own.
func (b embeddedBackend) join(cfg *e2e.Config, _ string, progress func(string)) (err error) {
	timings, grace := e2e.TimingsFor(b.hollow)
	cfg.Timings = timings
	cfg.Backend, err = embedded.New(embedded.Config{
		Dir: filepath.Join(cfg.Dir, "kube"), Kube: b.kube, Progress: progress, NodeGrace: grace, NodeMask: embedded.NodeMaskFor(b.hollow + maxNodes),
	})
	return err
}

func (b embeddedBackend) kubectl() string { return b.kube }
