package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestSyncFails: what a failing disk did not take is not acknowledged to any
// of those that shared the commit, is not there, and is not published; the
// next update works.
func TestSyncFails(t *testing.T) {
	t.Parallel()
	db, err := Open(filepath.Join(t.TempDir(), "cloud.db"), Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the file is the test's own
	db.toDisk = func(tx *bolt.Tx) error { return errors.Join(syscall.EIO, tx.Rollback()) }
	var callers sync.WaitGroup
	for range 16 {
		callers.Go(func() {
			err := db.Update(func(tx *Tx) error {
				tx.OnCommit(func() { t.Error("an update that failed was told of") })
				return insertNode(tx)
			})
			if simcloud.CodeOf(err) != simcloud.Unavailable || !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), "check its disk") {
				t.Errorf("got %v", err)
			}
		})
	}
	callers.Wait()
	db.toDisk = toDisk
	if err := db.Update(insertNode); err != nil {
		t.Errorf("once the disk works again: %v", err)
	}
	if err := db.View(func(tx *Tx) error {
		all, err := Instances.All(tx)
		if len(all) != 1 || all[0].ID != "i-1" || all[0].Version != 1 {
			t.Errorf("there are %v", all)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	if err := db.Check(); err != nil {
		t.Error(err)
	}
}

func insertNode(tx *Tx) error {
	id, err := Instances.NewID(tx)
	if err != nil {
		return err
	}
	return Instances.Insert(tx, time.Unix(1, 0).UTC(), &simcloud.Instance{Meta: simcloud.Meta{ID: id, Name: "node", Project: "p"}})
}

// TestDiskErrorsNameTheFile: a file that was made a moment ago is not called by its first name, which no file has any more.
func TestDiskErrorsNameTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cloud.db")
	db, err := Open(path, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the file is the test's own
	db.toDisk = func(tx *bolt.Tx) error {
		return errors.Join(&fs.PathError{Op: "write", Path: db.file.Name(), Err: syscall.ENOSPC}, tx.Rollback())
	}
	err = db.Update(insertNode)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), path+": no space") {
		t.Errorf("got %v", err)
	}
}
