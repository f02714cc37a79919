package sim

import (
	"os"
	"path/filepath"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// openStore opens the data file, or one that goes with the cloud.
func (c *Cloud) openStore(cfg Config) (*store.DB, error) {
	if !cfg.Ephemeral {
		return store.Open(cfg.Data, store.Options{})
	}
	dir, err := os.MkdirTemp("", "simcloud-")
	if err != nil {
		return nil, simcloud.Errorf(simcloud.Unavailable, "", "make a folder for the ephemeral cloud (set TMPDIR): %w", err)
	}
	c.scratch = dir
	return store.Open(filepath.Join(dir, "cloud.db"), store.Options{NoSync: true})
}
