package store

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store/boltfile"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// logged is a log that a test reads.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) lines(with string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.buf.String()) {
		if strings.Contains(line, with) {
			n++
		}
	}
	return n
}

// logging opens a file with an instance, and a log.
func logging(t *testing.T) (*DB, *logged) {
	t.Helper()
	log := &logged{}
	db, err := Open(filepath.Join(t.TempDir(), "cloud.db"), Options{NoSync: true, Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(insertNode); err != nil {
		t.Fatal(err)
	}
	return db, log
}

func getNode(tx *Tx) error {
	_, err := Instances.Get(tx, "i-1")
	return err
}

// isBroken fails the test unless the file is not used any more, with an error.
func isBroken(t *testing.T, db *DB, log *logged, err error) {
	t.Helper()
	for what, err := range map[string]error{"the call that met it": err, "a read": db.View(getNode), "a write": db.Update(insertNode)} {
		if simcloud.CodeOf(err) != simcloud.Unavailable || !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, want Unavailable and ErrDamaged", what, err)
		}
		var said *simcloud.Error
		if errors.As(err, &said) && strings.Contains(said.Message, db.Path()) {
			t.Errorf("%s: the message tells the path: %q", what, said.Message)
		}
	}
	select {
	case <-db.Broken():
	default:
		t.Error("it is not broken")
	}
	if n := log.lines("simcloud check"); n != 1 || log.lines(db.Path()) != 1 {
		t.Errorf("%d lines of the log tell what to do:\n%s", n, log.buf.String())
	}
	closed := make(chan error, 1)
	go func() { closed <- db.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Errorf("close: %v", err)
		}
	case <-time.After(waittest.Patience()):
		t.Fatal("it does not close")
	}
	if file, err := os.OpenFile(db.Path(), os.O_RDWR, 0); err != nil || boltfile.Lock(file, true, 0) != nil {
		t.Errorf("the lock is not free: %v", err)
	} else if err := file.Close(); err != nil {
		t.Error(err)
	}
}

// TestWrongSum: a value that changes under a running cloud is not served, and never looks like one that is not there.
func TestWrongSum(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(*DB) error{
		"Get": func(db *DB) error { return db.View(getNode) },
		"First": func(db *DB) error {
			return db.View(func(tx *Tx) error { _, _, err := Instances.First(tx, Query{Project: "p"}); return err })
		},
		"Heedless": func(db *DB) error {
			return db.View(func(tx *Tx) error {
				_ = getNode(tx)
				return nil
			})
		},
		"Update": func(db *DB) error { return db.Update(getNode) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, log := logging(t)
			if err := db.bolt.Update(func(btx *bolt.Tx) error {
				data := btx.Bucket([]byte("instance"))
				key, sealed := data.Cursor().First()
				return data.Put(key, bytes.Replace(sealed, []byte(`"node"`), []byte(`"nodf"`), 1))
			}); err != nil {
				t.Fatal(err)
			}
			isBroken(t, db, log, read(db))
		})
	}
}

// TestCutWhileOpen: a file that is cut under a running cloud ends it in words.
func TestCutWhileOpen(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]func(*DB) error{
		"View":   func(db *DB) error { return db.View(getNode) },
		"Update": func(db *DB) error { return db.Update(insertNode) },
		"Alone":  func(db *DB) error { return db.UpdateAlone(insertNode) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, log := logging(t)
			if err := os.Truncate(db.Path(), 0); err != nil {
				t.Fatal(err)
			}
			isBroken(t, db, log, use(db))
		})
	}
}

// TestPanicInCommit: what bbolt panics with while it commits ends the use of the file.
func TestPanicInCommit(t *testing.T) {
	t.Parallel()
	db, log := logging(t)
	db.toDisk = func(*bolt.Tx) error { panic("pgid (1173) above high water mark (250)") }
	isBroken(t, db, log, db.Update(insertNode))
}

// TestDiskIsLoggedOnce: a disk that refuses is logged when it begins and when it ends.
func TestDiskIsLoggedOnce(t *testing.T) {
	t.Parallel()
	db, log := logging(t)
	defer db.Close() //nolint:errcheck // the file is the test's own
	// as bbolt says it when a file does not grow
	db.toDisk = func(tx *bolt.Tx) error {
		return errors.Join(errors.New("file resize error: truncate "+db.Path()+": file too large"), tx.Rollback())
	}
	for range 5 {
		var said *simcloud.Error
		err := db.Update(insertNode)
		if !errors.As(err, &said) || said.Code != simcloud.Unavailable || !strings.Contains(said.Message, "raise the limit") || strings.Contains(said.Message, db.Path()) {
			t.Errorf("got %v", err)
		}
	}
	if n := log.lines("level=ERROR"); n != 1 || log.lines("raise the limit") != 1 || log.lines(db.Path()) != 1 {
		t.Errorf("%d lines:\n%s", n, log.buf.String())
	}
	db.toDisk = toDisk
	for range 3 {
		if err := db.Update(insertNode); err != nil {
			t.Error(err)
		}
	}
	if n := log.lines("level=ERROR"); n != 2 || log.lines("can be written again") != 1 {
		t.Errorf("%d lines:\n%s", n, log.buf.String())
	}
}

// TestMakeAfterACrash: what a crash has left of a new file is not in the way.
func TestMakeAfterACrash(t *testing.T) {
	t.Parallel()
	for name, left := range map[string][]byte{"Empty": {}, "Half": []byte("half a file")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "cloud.db")
			if err := os.WriteFile(path+newSuffix, left, 0o600); err != nil {
				t.Fatal(err)
			}
			db, err := Open(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(db.Check(), db.Close()); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(path + newSuffix); err == nil {
				t.Error("the other name is left")
			}
		})
	}
}

// TestMakeBesideBoth: a crash may leave a file with both names. Under whatever
// name it is kept then, a new one does not write to it.
func TestMakeBesideBoth(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cloud.db")
	db, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	kept := path + ".kept"
	if err := errors.Join(db.Update(insertNode), db.Close(), os.Link(path, path+newSuffix), os.Rename(path, kept)); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if db, err = Open(path, Options{}); err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the file is the test's own
	if got, err := os.ReadFile(kept); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the file that was kept has changed: %v", err)
	}
}

// TestMakeAtOnce: of those that make a file at once one gets it, and the others hear that it is in use.
func TestMakeAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cloud.db")
	var makers sync.WaitGroup
	var mu sync.Mutex
	var opened []*DB
	for range 8 {
		makers.Go(func() {
			db, err := Open(path, Options{LockTimeout: time.Millisecond})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				opened = append(opened, db)
			} else if !errors.Is(err, ErrLocked) {
				t.Errorf("got %v, want ErrLocked", err)
			}
		})
	}
	makers.Wait()
	if len(opened) != 1 {
		t.Errorf("%d have it", len(opened))
	}
	for _, db := range opened {
		if err := errors.Join(db.Update(insertNode), db.Check(), db.Close()); err != nil {
			t.Error(err)
		}
	}
}
