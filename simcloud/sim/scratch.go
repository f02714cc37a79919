package sim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/owned"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// scratch is the folder that goes with an ephemeral cloud. Its lock file is
// locked as long as the process lives, so that the next cloud can tell what a
// killed one has left.
type scratch struct {
	dir  string
	lock *os.File
}

// The names of scratch folders and of their lock files.
const (
	scratchPattern = "simcloud-ephemeral-*"
	scratchLock    = "lock"
)

// makeScratch makes the folder in another one, unless the cloud has one from
// before it was reopened. What dead clouds have left there is removed.
func (c *Cloud) makeScratch(in string) error {
	if c.scratch != nil {
		return nil
	}
	if in == "" {
		in = os.TempDir()
	}
	if err := sweepScratch(in); err != nil { // the cloud can do without
		c.config.Log.Warn("cannot remove what an ephemeral cloud has left", "error", err)
	}
	made, err := newScratch(in)
	if err != nil {
		return simcloud.Errorf(simcloud.Unavailable, "", "make a folder for the ephemeral cloud (set TMPDIR): %w", err)
	}
	c.scratch = made
	return nil
}

func newScratch(in string) (*scratch, error) {
	dir, err := os.MkdirTemp(in, scratchPattern)
	if err != nil {
		return nil, err
	}
	// It has its name only once it is locked: who sweeps never sees it free.
	lock, err := os.CreateTemp(dir, scratchLock+"-")
	if err == nil {
		err = errors.Join(
			syscall.Flock(int(lock.Fd()), syscall.LOCK_EX),
			os.Rename(lock.Name(), filepath.Join(dir, scratchLock)),
		)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", dir, err), os.RemoveAll(dir))
	}
	return &scratch{dir, lock}, nil
}

// sweepScratch removes the folders of this user's clouds whose processes are dead.
func sweepScratch(in string) error {
	dirs, err := filepath.Glob(filepath.Join(in, scratchPattern))
	for _, dir := range dirs {
		if owned.IsFolder(dir) {
			err = errors.Join(err, removeDead(dir))
		}
	}
	return err
}

// removeDead removes a scratch folder unless its lock is held.
func removeDead(dir string) error {
	lock, err := owned.Open(filepath.Join(dir, scratchLock), os.O_RDONLY, 0)
	if err != nil {
		return nil // just made, or gone meanwhile
	}
	defer func() { _ = lock.Close() }()
	if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil
	}
	return os.RemoveAll(dir)
}

// removeScratch removes the folder that goes with the cloud, if there is one.
func (c *Cloud) removeScratch() error {
	if c.scratch == nil {
		return nil
	}
	return errors.Join(os.RemoveAll(c.scratch.dir), c.scratch.lock.Close())
}

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
