package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// snapshotChunk is how many bytes a snapshot is written at once.
const snapshotChunk = 8 << 20

// WriteSnapshot makes a data file at path, where none is, of what the cloud
// holds: its resources, counters and addresses, and the time that it has. No
// token, no answer and no event but the last one ever gets into the file. When
// it returns nil the file is on disk. Readers and writers go on meanwhile.
func (db *DB) WriteSnapshot(path string, now time.Time) error {
	err := db.View(func(tx *Tx) error {
		file, err := bolt.Open(path, 0o600, &bolt.Options{
			NoSync: true, NoGrowSync: true, FreelistType: bolt.FreelistMapType, NoStatistics: true,
		})
		if err != nil {
			return err
		}
		return errors.Join(newSnapshotWriter(db, file).write(tx, now), file.Sync(), file.Close())
	})
	if err != nil {
		return simcloud.Errorf(simcloud.Unavailable, "", "could not write %s: %w", path, err)
	}
	return nil
}

// snapshotWriter copies into a new file, one transaction a chunk.
type snapshotWriter struct {
	db   *DB
	file *bolt.DB
	tx   *Tx
	size int
}

func newSnapshotWriter(db *DB, file *bolt.DB) *snapshotWriter {
	return &snapshotWriter{db: db, file: file}
}

func (w *snapshotWriter) begin() error {
	tx, err := w.file.Begin(true)
	w.tx, w.size = &Tx{bolt: tx, db: w.db, noUndo: true}, 0
	return err
}

func (w *snapshotWriter) write(from *Tx, now time.Time) error {
	if err := w.begin(); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return create(w.tx) },
		func() error { return w.head(from, now) },
		func() error { return w.buckets(from) },
	} {
		if err := step(); err != nil {
			return errors.Join(err, w.tx.bolt.Rollback())
		}
	}
	return w.tx.bolt.Commit()
}

// head writes what the snapshot says of the cloud as a whole.
func (w *snapshotWriter) head(from *Tx, now time.Time) error {
	seed, _, err := Seed.Get(from)
	if err != nil {
		return err
	}
	return errors.Join(
		Seed.Put(w.tx, seed),
		Time.Put(w.tx, TimeRecord{ClockSpec: simcloud.ClockSpec{Mode: simcloud.ClockManual}, Cloud: now, Machine: now}),
		w.lastEvent(from))
}

// lastEvent keeps the event of the revision, which each file has; one of a token without the token.
func (w *snapshotWriter) lastEvent(from *Tx) error {
	if from.Revision() == 0 {
		return nil
	}
	events, err := from.Events(from.Revision()-1, 1)
	if err != nil {
		return err
	}
	event := events[0]
	if event.Kind == simcloud.KindToken {
		event.ID, event.Object = "", nullJSON
	}
	return w.tx.appendEvent(event)
}

func (w *snapshotWriter) buckets(from *Tx) error {
	for _, name := range snapshotBuckets() {
		if err := w.copy(from, name); err != nil {
			return err
		}
	}
	return nil
}

// snapshotBuckets are the buckets that are part of a snapshot.
func snapshotBuckets() []string {
	var names []string
	for _, k := range snapshotKinds() {
		names = append(names, k.bucketNames()...)
	}
	for _, t := range snapshotTables() {
		names = append(names, t.bucketName())
	}
	return append(names, usageTable.name, counterBucket)
}

// snapshotKinds are those that are part of a snapshot.
func snapshotKinds() []kind {
	return slices.DeleteFunc(kinds(), func(k kind) bool { return k.Kind() == simcloud.KindToken })
}

// snapshotTables are those that are part of a snapshot: what a wipe empties, but for the answers.
func snapshotTables() []table {
	return slices.DeleteFunc(transient(), func(t table) bool {
		return t.bucketName() == Answers.name || t.bucketName() == AnswerOrder.name
	})
}

func (w *snapshotWriter) copy(from *Tx, name string) error {
	return from.bucket(name).ForEach(func(key, value []byte) error {
		if name == counterBucket && string(key) != revisionName && slices.Contains(ownCounters(), string(key)) {
			return nil
		}
		if w.size += len(key) + len(value); w.size > snapshotChunk {
			if err := w.tx.bolt.Commit(); err != nil {
				return err
			}
			if err := w.begin(); err != nil {
				return err
			}
		}
		into := w.tx.bucket(name)
		into.FillPercent = 0.9 // keys come in order
		return into.Put(key, value)
	})
}

// Snapshot is a snapshot that is open to be read.
type Snapshot struct {
	*DB
	scratch string // the file that goes when it is closed
}

// OpenSnapshot opens a snapshot without changing it: one of a former version
// is brought to this one in a copy beside it, which goes with Close.
func OpenSnapshot(path string) (*Snapshot, error) {
	return openSnapshot(path, Options{ReadOnly: true})
}

// OpenToCheck is OpenSnapshot of a file of which Check is to say all that is
// wrong with it. Only one whose pages are damaged is refused.
func OpenToCheck(path string) (*Snapshot, error) {
	return openSnapshot(path, Options{ReadOnly: true, unverified: true})
}

func openSnapshot(path string, opts Options) (*Snapshot, error) {
	db, err := Open(path, opts)
	if err != nil {
		return nil, err
	}
	var old bool
	err = db.View(func(tx *Tx) error {
		version, _, err := schema.Get(tx)
		old = version < Version
		return err
	})
	if err != nil || !old {
		return &Snapshot{DB: db}, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return openMigrated(path)
}

func openMigrated(path string) (*Snapshot, error) {
	scratch, err := copyFile(path)
	if err != nil {
		return nil, errors.Join(unusable(path, err), os.Remove(scratch))
	}
	db, err := Open(scratch, Options{NoSync: true})
	if err != nil {
		return nil, errors.Join(err, os.Remove(scratch))
	}
	return &Snapshot{DB: db, scratch: scratch}, nil
}

// SnapshotScratch is how the names of files end that a crash may leave beside snapshots.
const SnapshotScratch = ".tmp"

// copyFile copies a file to one beside it and returns its name.
func copyFile(path string) (string, error) {
	from, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = from.Close() }() // it was read alone
	into, err := os.CreateTemp(filepath.Dir(path), ".*"+SnapshotScratch)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(into, from)
	return into.Name(), errors.Join(err, into.Close())
}

// Close closes the snapshot.
func (s *Snapshot) Close() error {
	err := s.DB.Close()
	if s.scratch != "" {
		err = errors.Join(err, os.Remove(s.scratch))
	}
	return err
}
