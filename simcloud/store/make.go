package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/simcloud-dev/simcloud/simcloud/durable"
	"github.com/simcloud-dev/simcloud/simcloud/store/boltfile"
)

// newSuffix is how the name of a file ends that is not whole yet.
const newSuffix = ".new"

// make makes a new file. It has its name only once it is whole and on disk:
// what a crash leaves is not in the way of the next start. The lock is there
// before the name is, and stays. Who has the lock of the file under its first
// name is the only one to write it, to give it its name, and to remove it.
func (db *DB) make() error {
	scratch := db.path + newSuffix
	if err := db.begin(scratch); err != nil {
		return err
	}
	err := db.fill()
	if err == nil {
		err = db.publish(scratch)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(os.Remove(scratch)), db.drop())
	}
	return nil
}

// begin opens and locks an empty file with the first name. What a crash has left
// there is removed and not written to: a file that got its name has both.
func (db *DB) begin(scratch string) error {
	for {
		file, err := os.OpenFile(scratch, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		db.file = file
		if err := boltfile.Lock(file, true, db.opts.LockTimeout); err != nil {
			return errors.Join(err, db.drop())
		}
		if !db.hasName(scratch) { // another process has given it its name, or has removed it
			return errors.Join(ErrLocked, db.drop())
		}
		info, err := file.Stat()
		if err == nil && info.Size() == 0 {
			return nil
		}
		if err := errors.Join(err, os.Remove(scratch), db.drop()); err != nil {
			return err
		}
	}
}

// hasName reports whether a name is that of the open file.
func (db *DB) hasName(name string) bool {
	own, err := db.file.Stat()
	named, missing := os.Stat(name)
	return err == nil && missing == nil && os.SameFile(own, named)
}

// fill makes a cloud's file of an empty one.
func (db *DB) fill() error {
	if _, err := os.Stat(db.path); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(ErrLocked, err) // another process has made one meanwhile
	}
	if err := db.openBolt(); err != nil {
		return err
	}
	return db.alone(create)
}

// publish gives the file its name, unless another process has made one meanwhile.
func (db *DB) publish(scratch string) error {
	err := os.Link(scratch, db.path)
	switch {
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist): // or has taken the other name
		return ErrLocked
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.EPERM): // a file system without links
		err = os.Rename(scratch, db.path)
	}
	if err != nil {
		return err
	}
	if err := ignoreMissing(os.Remove(scratch)); err != nil || db.opts.NoSync {
		return err
	}
	return durable.SyncFolder(filepath.Dir(db.path))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
