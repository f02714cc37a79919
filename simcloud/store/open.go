package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"

	"github.com/simcloud-dev/simcloud/simcloud/store/boltfile"
)

// mapSize is how much address space is reserved at once, so that a growing
// file seldom has to wait for its readers. It is not the size of the file.
const mapSize = 256 << 20

// Open opens the file at path, and makes it when there is none; its directory
// must exist. It reads the whole file, so that damage shows now and not in the
// middle of a request. A file that cannot be used is left as it is: the error
// wraps one of the Err values of this package.
func Open(path string, opts Options) (*DB, error) {
	opts = opts.withDefaults()
	fresh, err := checkPath(path, opts)
	if err != nil {
		return nil, err
	}
	db := newDB(path, opts)
	if fresh {
		err = db.make()
	} else {
		err = db.open()
	}
	if err != nil {
		return nil, unusable(path, err)
	}
	if !opts.ReadOnly {
		db.writer.Go(db.commitLoop)
	}
	return db, nil
}

func newDB(path string, opts Options) *DB {
	db := &DB{path: path, opts: opts, toDisk: toDisk}
	db.breakage.broken = make(chan struct{})
	db.queue.init()
	return db
}

// checkPath reports whether there is no file yet.
func checkPath(path string, opts Options) (fresh bool, err error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return false, fileError(path, "choose a file", errors.New("it is a directory"))
	case err == nil && info.Size() == 0:
		return false, fileError(path, "restore a copy, or remove it to begin a new cloud", fmt.Errorf("%w: it has 0 bytes", ErrDamaged))
	case errors.Is(err, fs.ErrNotExist) && opts.ReadOnly:
		return false, fileError(path, "choose another file", errors.New("it does not exist"))
	}
	fresh = errors.Is(err, fs.ErrNotExist)
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return false, unusable(path, err)
	}
	return fresh, nil
}

// open opens the file that is there.
func (db *DB) open() error {
	flag := os.O_RDWR
	if db.opts.ReadOnly {
		flag = os.O_RDONLY
	}
	file, err := os.OpenFile(db.path, flag, 0)
	if err != nil {
		return err
	}
	db.file = file
	if err := db.openLocked(); err != nil {
		return errors.Join(err, db.drop())
	}
	return nil
}

// openLocked locks and checks the file, and lets bbolt have it.
func (db *DB) openLocked() error {
	if err := boltfile.Lock(db.file, !db.opts.ReadOnly, db.opts.LockTimeout); err != nil {
		return err
	}
	if err := checkPages(db.file); err != nil {
		return err
	}
	return guarded(func() error {
		if err := db.openBolt(); err != nil {
			return err
		}
		return db.prepare()
	})
}

// openBolt lets bbolt have the file, which is locked already.
func (db *DB) openBolt() (err error) {
	db.bolt, err = bolt.Open(db.file.Name(), 0, &bolt.Options{
		Timeout:         db.opts.LockTimeout,
		ReadOnly:        db.opts.ReadOnly,
		NoSync:          db.opts.NoSync,
		NoGrowSync:      db.opts.NoSync,
		FreelistType:    bolt.FreelistMapType,
		InitialMmapSize: mapSize,
		NoStatistics:    true,
		OpenFile:        func(string, int, os.FileMode) (*os.File, error) { return db.file, nil },
	})
	return err
}

// drop releases a file that cannot be used. bbolt, if it has it, may not be
// able to close it.
func (db *DB) drop() error {
	if db.bolt != nil {
		if err := guarded(db.bolt.Close); !errors.Is(err, ErrDamaged) {
			return err
		}
	}
	_ = boltfile.Unlock(db.file) // bbolt may have closed it
	return ignoreClosed(db.file.Close())
}

// ignoreClosed is for a file that bbolt may have closed already.
func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// prepare checks that the file is whole and ours, and brings it to this
// version. It writes only when there is something to do.
func (db *DB) prepare() error {
	version, err := db.version()
	switch {
	case err != nil:
		return err
	case version < Version && db.opts.ReadOnly:
		db.unsealed = version < sealedVersion
		return nil // see OpenSnapshot
	case version < Version:
		return db.migrate()
	}
	if db.opts.unverified {
		return nil
	}
	if err := db.verify(checks{projects: true}); err != nil || db.opts.ReadOnly {
		return err
	}
	return db.trim()
}

// version returns the version of the file.
func (db *DB) version() (version int, err error) {
	err = db.bolt.View(func(btx *bolt.Tx) error {
		version, err = checkVersion(&Tx{bolt: btx, db: db})
		return err
	})
	return version, err
}

// migrate brings a file of a former version to this one, and checks what has become of it.
func (db *DB) migrate() error {
	return db.alone(func(tx *Tx) error {
		if err := migrate(tx, migrations[:]); err != nil {
			return err
		}
		if err := tx.trimEvents(); err != nil {
			return err
		}
		return tx.verify()
	})
}

// trim forgets events of a file that has kept more of them.
func (db *DB) trim() error {
	var long bool
	if err := db.View(func(tx *Tx) error {
		first, _ := tx.bucket(eventBucket).Cursor().First()
		size := eventBytes.Last(tx)
		long = first != nil && (tx.tooMany(tx.Revision()-order(first)+1, size) || size == 0)
		return nil
	}); err != nil || !long {
		return err
	}
	return db.alone((*Tx).trimEvents)
}

// alone runs fn while no other transaction uses the file.
func (db *DB) alone(fn func(*Tx) error) error {
	return db.bolt.Update(func(btx *bolt.Tx) error {
		tx := db.tx(btx)
		tx.noUndo = true
		if err := tx.whole(fn); err != nil {
			return err
		}
		return tx.flushUsage()
	})
}
