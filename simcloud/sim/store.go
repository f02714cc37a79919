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
		return store.Open(cfg.Data, store.Options{Observe: c.commits.observe})
	}
	if err := c.makeScratch(cfg.Scratch); err != nil {
		return nil, err
	}
	return store.Open(filepath.Join(c.scratch, "cloud.db"), store.Options{NoSync: true, Observe: c.commits.observe})
}

// makeScratch makes the folder that goes with an ephemeral cloud, in another one.
func (c *Cloud) makeScratch(in string) error {
	if c.scratch != "" {
		return nil
	}
	dir, err := os.MkdirTemp(in, "simcloud-")
	if err != nil {
		return simcloud.Errorf(simcloud.Unavailable, "", "make a folder for the ephemeral cloud (set TMPDIR): %w", err)
	}
	c.scratch = dir
	return nil
}
