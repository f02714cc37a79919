package embedded

import (
	"context"
	"os"
	"path/filepath"

	"github.com/simcloud-dev/simcloud/e2e"
)

// Start starts a cluster of this backend in a new folder below cfg.Dir, with the
// simcloud-kube at the path kube: see [Find]. It sets cfg.Dir and cfg.Backend; errors are those of [New] and [e2e.Start].
func Start(ctx context.Context, kube string, cfg e2e.Config) (*e2e.Cluster, error) {
	dir, err := os.MkdirTemp(cfg.Dir, cfg.Name+"-")
	if err != nil {
		return nil, err
	}
	backend, err := New(Config{Dir: filepath.Join(dir, "kube"), Kube: kube})
	if err != nil {
		return nil, err
	}
	cfg.Dir, cfg.Backend = dir, backend
	return e2e.Start(ctx, cfg)
}
