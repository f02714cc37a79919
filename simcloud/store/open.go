package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"
)

// mapSize is how much address space is reserved at once, so that a growing
// file seldom has to wait for its readers. It is not the size of the file.
const mapSize = 256 << 20

// Open opens the file at path, and makes it when there is none; its directory
// must exist. A file that cannot be used is left as it is: the error wraps one
// of the Err values of this package.
func Open(path string, opts Options) (*DB, error) {
	opts = opts.withDefaults()
	if err := checkPath(path, opts); err != nil {
		return nil, err
	}
	file, err := openFile(path, opts)
	if err != nil {
		return nil, unusable(path, err)
	}
	db := &DB{bolt: file, path: path, opts: opts, toDisk: toDisk}
	db.queue.init()
	if err := db.prepare(); err != nil {
		return nil, errors.Join(unusable(path, err), file.Close())
	}
	if !opts.ReadOnly {
		db.writer.Go(db.commitLoop)
	}
	return db, nil
}

func checkPath(path string, opts Options) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fileError(path, "choose a file", errors.New("it is a directory"))
	} else if opts.ReadOnly && errors.Is(err, fs.ErrNotExist) {
		return fileError(path, "choose another file", errors.New("it does not exist"))
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return unusable(path, err)
	}
	return nil
}

// openFile opens the file. bbolt panics on some damage, with its file locked
// and open, and reads beyond the end of a file that was cut.
func openFile(path string, opts Options) (db *bolt.DB, err error) {
	var file *os.File
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			db, err = nil, fmt.Errorf("%w: %v", ErrDamaged, p)
			if file != nil {
				err = errors.Join(err, unlock(file), file.Close())
			}
		}
	}()
	return bolt.Open(path, 0o600, &bolt.Options{
		Timeout:         opts.LockTimeout,
		ReadOnly:        opts.ReadOnly,
		NoSync:          opts.NoSync,
		NoGrowSync:      opts.NoSync,
		FreelistType:    bolt.FreelistMapType,
		PreLoadFreelist: true, // so that damage there shows here
		InitialMmapSize: mapSize,
		NoStatistics:    true,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			var err error
			file, err = os.OpenFile(name, flag, mode)
			return file, err
		},
	})
}

// prepare checks that the file is whole and ours, and brings it to this
// version. It writes only when there is something to do.
func (db *DB) prepare() error {
	empty, err := db.inspect()
	switch {
	case err != nil:
		return err
	case empty && db.opts.ReadOnly:
		return fmt.Errorf("%w: it is empty", ErrDamaged)
	case db.opts.ReadOnly:
		return nil
	case empty:
		return db.alone(create)
	}
	return db.refresh()
}

// refresh migrates an old file, and trims the events of one that kept more.
func (db *DB) refresh() error {
	var old, long bool
	if err := db.bolt.View(func(btx *bolt.Tx) error {
		tx := &Tx{bolt: btx, db: db}
		version, _, err := schema.Get(tx)
		old = version < Version
		if !old {
			first, _ := tx.bucket(eventBucket).Cursor().First()
			size := eventBytes.Last(tx)
			long = first != nil && (tx.tooMany(tx.Revision()-order(first)+1, size) || size == 0)
		}
		return err
	}); err != nil || !old && !long {
		return err
	}
	return db.alone(func(tx *Tx) error {
		if err := migrate(tx, migrations); err != nil {
			return err
		}
		return tx.trimEvents()
	})
}

// alone runs fn while nobody else uses the file.
func (db *DB) alone(fn func(*Tx) error) error {
	return db.bolt.Update(func(btx *bolt.Tx) error {
		tx := &Tx{bolt: btx, db: db, noUndo: true}
		if err := fn(tx); err != nil {
			return err
		}
		return tx.flushUsage()
	})
}

// inspect reads the whole file, so that damage shows now and not in the middle of a request.
func (db *DB) inspect() (empty bool, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	err = db.bolt.View(func(tx *bolt.Tx) error {
		info, err := os.Stat(db.path)
		if err != nil {
			return err
		}
		if info.Size() < tx.Size() {
			return fmt.Errorf("%w: it has %d bytes of %d", ErrDamaged, info.Size(), tx.Size())
		}
		if key, _ := tx.Cursor().First(); key == nil {
			empty = true
			return nil
		}
		if err := checkVersion(&Tx{bolt: tx, db: db}); err != nil {
			return err
		}
		return tx.ForEach(func(name []byte, bucket *bolt.Bucket) error {
			return bucket.ForEach(func(key, value []byte) error {
				if len(value) > 0 && !json.Valid(value) {
					return fmt.Errorf("%w: %s/%q holds no JSON", ErrDamaged, name, key)
				}
				return nil
			})
		})
	})
	return empty, err
}
