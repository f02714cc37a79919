// Package leftover tells who owns what is in a container engine, so that what a
// run that was killed has left can be found and removed, and nothing else is.
//
// Everything that belongs to a cluster carries the path of a lock file that its
// process holds while it lives: the kernel releases it however the process ends.
package leftover

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// The labels of containers and networks that are ours.
const (
	// LabelCluster is the name of the cluster.
	LabelCluster = "dev.simcloud.cluster"
	// LabelLock is the absolute path of the lock file that the owner holds.
	LabelLock = "dev.simcloud.lock"
	// LabelHost is the name of the machine on which that path is: several may share an engine.
	LabelHost = "dev.simcloud.host"
)

// Claim says that what has its labels belongs to this process.
type Claim struct {
	lock          *os.File
	cluster, host string
}

// NewClaim claims what a cluster of this name is made of, until Release or the
// end of this process. Its lock file is a fresh one in dir, which must be there.
func NewClaim(dir, cluster string) (*Claim, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("claim the cluster %s: %w", cluster, err)
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("claim the cluster %s: %w", cluster, err)
	}
	lock, err := os.CreateTemp(dir, "engine-*.lock")
	if err != nil {
		return nil, fmt.Errorf("claim the cluster %s: %w", cluster, err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("claim the cluster %s: lock %s: %w", cluster, lock.Name(), err), lock.Close(), os.Remove(lock.Name()))
	}
	return &Claim{lock, cluster, host}, nil
}

// Labels are those of every container and network of the cluster. The network
// must be made first: the containers that kind makes by itself, which cannot
// have them, are found by it.
func (c *Claim) Labels() map[string]string {
	return map[string]string{LabelCluster: c.cluster, LabelLock: c.lock.Name(), LabelHost: c.host}
}

// Release gives up what was claimed, which should be removed by then.
func (c *Claim) Release() error {
	err := os.Remove(c.lock.Name())
	if errors.Is(err, os.ErrNotExist) {
		err = nil // its folder went first
	}
	return errors.Join(err, c.lock.Close())
}

// owned reports whether a process holds the lock file, or may: one that this
// user may not read is another user's.
func owned(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	defer func() { _ = file.Close() }()
	return syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}
