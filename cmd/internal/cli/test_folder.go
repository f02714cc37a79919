package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/simcloud-dev/simcloud/simcloud/owned"
)

// runFolder holds what the clusters of one "simcloud test" write: data, keys
// and logs. Its lock file is locked as long as the run lives, so that the next
// run can tell what a killed one has left.
type runFolder struct {
	path string
	lock *os.File
}

const runFolderPattern = "simcloud-test-*"

// openRunFolder makes a folder, after it has removed those of runs that are dead.
func openRunFolder() (runFolder, error) {
	if err := sweepRunFolders(); err != nil {
		return runFolder{}, err
	}
	dir, err := os.MkdirTemp("", runFolderPattern)
	if err != nil {
		return runFolder{}, err
	}
	// It has its name only once it is locked: who sweeps never sees it free.
	lock, err := os.CreateTemp(dir, "lock-")
	if err == nil {
		err = errors.Join(
			syscall.Flock(int(lock.Fd()), syscall.LOCK_EX),
			os.Rename(lock.Name(), filepath.Join(dir, "lock")),
		)
	}
	if err != nil {
		return runFolder{}, errors.Join(fmt.Errorf("lock %s: %w", dir, err), os.RemoveAll(dir))
	}
	return runFolder{dir, lock}, nil
}

func sweepRunFolders() error {
	locks, err := filepath.Glob(filepath.Join(os.TempDir(), runFolderPattern, "lock"))
	if err != nil {
		return err
	}
	for _, path := range locks {
		if !owned.IsFolder(filepath.Dir(path)) {
			continue
		}
		lock, err := owned.Open(path, os.O_RDONLY, 0)
		if err != nil {
			continue // another user's, or gone meanwhile
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			err = os.RemoveAll(filepath.Dir(path))
		}
		if err := errors.Join(err, lock.Close()); err != nil {
			return fmt.Errorf("remove what an earlier run has left: %w", err)
		}
	}
	return nil
}

// keep lets the folder stand when the run is over.
func (f runFolder) keep() error {
	return errors.Join(os.Remove(filepath.Join(f.path, "lock")), f.lock.Close())
}

func (f runFolder) remove() error {
	return errors.Join(os.RemoveAll(f.path), f.lock.Close())
}
