package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/kind"
	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
	"github.com/simcloud-dev/simcloud/e2e/kind/nodeimage"
	"github.com/simcloud-dev/simcloud/e2e/kind/testimage"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/ociimage"
)

// kindBackend runs clusters in containers.
type kindBackend struct {
	options backendOptions
	engine  *engine.Engine
	image   string // of nodes
	test    testimage.Image
}

func findKind(ctx context.Context, o backendOptions, progress func(string)) (backend, error) {
	e, err := engine.Find(ctx, o.engine)
	if err != nil {
		return nil, fmt.Errorf("--backend kind: %w", err)
	}
	image, err := nodeimage.Resolve(ctx, o.nodeImage, e, progress)
	if err != nil {
		return nil, err
	}
	test, err := testimage.Build(ctx, progress)
	if err != nil {
		return nil, err
	}
	return kindBackend{o, e, image, test}, nil
}

// join gives the cluster containers, and the cloud a data plane: there are pods that packets reach.
func (b kindBackend) join(cfg *e2e.Config, name string, progress func(string)) (err error) {
	cfg.Cloud.DataPlane = true
	cfg.CCMMode = manager.Mode(b.options.ccmMode)
	cfg.TestImage = ociimage.Named(b.test)
	cfg.Backend, err = kind.New(kind.Config{
		Name: name, Dir: filepath.Join(cfg.Dir, "kube"), Engine: b.engine, Image: b.image, Progress: progress,
		ControlPlaneNode: cfg.CCMMode != manager.Process || cfg.Subject.InCluster(),
	})
	return err
}

func (b kindBackend) kubectl() string { return b.options.kube }
