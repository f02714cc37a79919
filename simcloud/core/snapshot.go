package core

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/durable"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// snapshotSuffix is how the names of snapshots' files end.
const snapshotSuffix = ".db"

// ListSnapshots returns the snapshots of the cloud's folder, oldest first. A
// file there that cannot be used is left out and logged: using it says why.
func (c *Cloud) ListSnapshots(ctx context.Context) ([]simcloud.Snapshot, error) {
	if err := admit(ctx, request{admin: true}); err != nil {
		return nil, err
	}
	c.saving.RLock()
	defer c.saving.RUnlock()
	entries, err := os.ReadDir(c.snapshots)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, simcloud.Errorf(simcloud.Unavailable, "snapshot", "could not read the folder of the snapshots: %w", err)
	}
	found := []simcloud.Snapshot{}
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), snapshotSuffix)
		if !ok || (simcloud.SnapshotSpec{Name: name}).Validate() != nil {
			continue
		}
		snapshot, err := c.readSnapshot(name)
		if err != nil {
			c.log.Warn("a snapshot cannot be used", "file", c.snapshotFile(name), "error", err)
			continue
		}
		found = append(found, snapshot)
	}
	slices.SortStableFunc(found, func(a, b simcloud.Snapshot) int { return a.Created.Compare(b.Created) })
	return found, nil
}

// SaveSnapshot keeps the cloud as it is now. The file has its name only once it is whole and on disk.
func (c *Cloud) SaveSnapshot(ctx context.Context, spec simcloud.SnapshotSpec) (simcloud.Snapshot, error) {
	if err := admit(ctx, request{admin: true, spec: spec}); err != nil {
		return simcloud.Snapshot{}, err
	}
	if err := c.alone(ctx, "SaveSnapshot"); err != nil {
		return simcloud.Snapshot{}, err
	}
	if err := c.settle(); err != nil {
		return simcloud.Snapshot{}, err
	}
	c.saving.Lock()
	defer c.saving.Unlock()
	if err := c.writeSnapshot(spec.Name); err != nil {
		return simcloud.Snapshot{}, err
	}
	return c.readSnapshot(spec.Name)
}

func (c *Cloud) snapshotFile(name string) string {
	return filepath.Join(c.snapshots, name+snapshotSuffix)
}

func (c *Cloud) writeSnapshot(name string) error {
	path := c.snapshotFile(name)
	if _, err := os.Lstat(path); err == nil {
		return simcloud.Errorf(simcloud.AlreadyExists, snapshotRef(name), "there is a snapshot of that name: delete it first")
	}
	if err := c.sweepSnapshots(); err != nil {
		return simcloud.Errorf(simcloud.Unavailable, snapshotRef(name), "could not write to the folder of the snapshots: %w", err)
	}
	scratch := path + store.SnapshotScratch
	if err := c.db.WriteSnapshot(scratch, c.clock.now()); err != nil {
		return errors.Join(err, os.Remove(scratch))
	}
	if err := durable.Rename(scratch, path); err != nil {
		return simcloud.Errorf(simcloud.Unavailable, snapshotRef(name), "could not name the snapshot: %w", err)
	}
	return nil
}

// sweepSnapshots makes the folder, and removes what a crash has left in it.
func (c *Cloud) sweepSnapshots() error {
	if err := durable.MakeFolder(c.snapshots, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(c.snapshots)
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), store.SnapshotScratch) {
			err = errors.Join(err, os.Remove(filepath.Join(c.snapshots, entry.Name())))
		}
	}
	return err
}

func snapshotRef(name string) string { return "snapshot/" + name }

// readSnapshot says what a snapshot is.
func (c *Cloud) readSnapshot(name string) (simcloud.Snapshot, error) {
	snapshot := simcloud.Snapshot{Name: name, File: c.snapshotFile(name)}
	info, err := os.Stat(snapshot.File)
	if err != nil {
		return snapshot, err
	}
	snapshot.Bytes = info.Size()
	return snapshot, c.openSnapshot(name, func(tx *store.Tx) error {
		snapshot.Revision = tx.Revision()
		var err error
		snapshot.Created, err = snapshotTime(tx)
		return err
	})
}

// snapshotTime is what the time was in the cloud that a snapshot is of. A copy
// of a data file, which is a snapshot too, may have events after its last note of the time.
func snapshotTime(tx *store.Tx) (time.Time, error) {
	noted, _, err := store.Time.Get(tx)
	if err != nil || tx.Revision() == 0 {
		return noted.Cloud, err
	}
	last, err := tx.Events(tx.Revision()-1, 1)
	if err != nil {
		return noted.Cloud, err
	}
	return later(noted.Cloud, last[0].Time), nil
}

// openSnapshot lets fn read a snapshot. NotFound: there is none of that name.
// Conflict: its file cannot be used.
func (c *Cloud) openSnapshot(name string, fn func(*store.Tx) error) error {
	if err := c.hasSnapshot(name); err != nil {
		return err
	}
	file, err := store.OpenSnapshot(c.snapshotFile(name))
	if err != nil {
		return c.unusable(name, err)
	}
	err = file.View(fn)
	if damage := file.Err(); damage != nil {
		err = c.unusable(name, damage)
	}
	return errors.Join(err, file.Close())
}

// unusable is the error for a snapshot whose file cannot be used.
func (c *Cloud) unusable(name string, err error) error {
	return simcloud.Errorf(simcloud.Conflict, snapshotRef(name), "the file %s cannot be used: %s: %w", c.snapshotFile(name), fault(err), err)
}

// fault says in a few words what is wrong with a file.
func fault(err error) string {
	for _, known := range []error{store.ErrNewer, store.ErrDamaged, store.ErrLocked, store.ErrReadOnly} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "it cannot be read"
}

// hasSnapshot answers NotFound when there is no snapshot of that name, as for an invalid name.
func (c *Cloud) hasSnapshot(name string) error {
	err := simcloud.SnapshotSpec{Name: name}.Validate()
	if err == nil {
		_, err = os.Lstat(c.snapshotFile(name))
	}
	if err != nil {
		return simcloud.Errorf(simcloud.NotFound, snapshotRef(name), "snapshot not found")
	}
	return nil
}

// DeleteSnapshot removes a snapshot.
func (c *Cloud) DeleteSnapshot(ctx context.Context, name simcloud.ID) error {
	if err := admit(ctx, request{admin: true}); err != nil {
		return err
	}
	if err := c.alone(ctx, "DeleteSnapshot"); err != nil {
		return err
	}
	c.saving.Lock()
	defer c.saving.Unlock()
	if err := c.hasSnapshot(string(name)); err != nil {
		return err
	}
	if err := errors.Join(os.Remove(c.snapshotFile(string(name))), durable.SyncFolder(c.snapshots)); err != nil {
		return simcloud.Errorf(simcloud.Unavailable, snapshotRef(string(name)), "could not remove the file: %w", err)
	}
	return nil
}
