package sim

import (
	"path/filepath"

	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// openStore opens the data file, or one that goes with the cloud.
func (c *Cloud) openStore(cfg Config) (*store.DB, error) {
	if !cfg.Ephemeral {
		return store.Open(cfg.Data, store.Options{Observe: c.commits.observe, Log: cfg.Log})
	}
	if err := c.makeScratch(cfg.Scratch); err != nil {
		return nil, err
	}
	return store.Open(filepath.Join(c.scratch.dir, "cloud.db"), store.Options{NoSync: true, Observe: c.commits.observe, Log: cfg.Log})
}
