package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func open(t testing.TB, path string, opts store.Options) *store.DB {
	t.Helper()
	db, err := store.Open(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// scratch opens a file of the test's own, and checks it in the end.
func scratch(t testing.TB) *store.DB {
	t.Helper()
	db := open(t, filepath.Join(t.TempDir(), "cloud.db"), store.Options{NoSync: true})
	t.Cleanup(func() {
		if err := db.Check(); err != nil {
			t.Errorf("the file breaks its invariants:\n%v", err)
		}
	})
	return db
}

// filled makes a file with so many instances and returns its path.
func filled(t testing.TB, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cloud.db")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	update(t, db, func(tx *store.Tx) error {
		for i := range n {
			if _, err := insert(tx, simcloud.Meta{Name: "a", Labels: map[string]string{"n": string(rune('a' + i%26))}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func update(t testing.TB, db *store.DB, fn func(*store.Tx) error) {
	t.Helper()
	if err := db.Update(fn); err != nil {
		t.Fatal(err)
	}
}

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// insert adds an instance.
func insert(tx *store.Tx, meta simcloud.Meta) (simcloud.Instance, error) {
	var err error
	instance := simcloud.Instance{Meta: meta, State: simcloud.InstanceRunning, Zone: "zone-a", Addresses: []simcloud.Address{}}
	if instance.ID, err = store.Instances.NewID(tx); err != nil {
		return instance, err
	}
	return instance, store.Instances.Insert(tx, epoch, &instance)
}

// damage writes bytes into a file.
func damage(t *testing.T, path string, at int64, raw []byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt(raw, at); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// foreign changes a file with bbolt itself.
func foreign(t *testing.T, path string, fn func(*bolt.Tx) error) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(fn), db.Close()); err != nil {
		t.Fatal(err)
	}
}

func truncate(t *testing.T, path string, size int64) {
	t.Helper()
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

// TestOpenUnusable: each file that cannot be used says why, and is left as it was.
func TestOpenUnusable(t *testing.T) {
	t.Parallel()
	noise := bytes.Repeat([]byte("noise! "), 600)
	for name, c := range map[string]struct {
		make func(t *testing.T) string
		want error
	}{
		"NotAFile": {func(t *testing.T) string { return t.TempDir() }, nil},
		"NoDirectory": {func(t *testing.T) string {
			return filepath.Join(t.TempDir(), "missing", "cloud.db")
		}, store.ErrNoDirectory},
		"Text": {func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "cloud.db")
			if err := os.WriteFile(path, []byte("not a database"), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}, store.ErrDamaged},
		"Noise": {func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "cloud.db")
			if err := os.WriteFile(path, bytes.Repeat(noise, 20), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}, store.ErrDamaged},
		"Empty": {func(t *testing.T) string {
			path := filled(t, 1)
			truncate(t, path, 0)
			return path
		}, store.ErrDamaged},
		// bbolt would go back to the state before the last commit.
		"MetaPage": {func(t *testing.T) string {
			path := filled(t, 1)
			damage(t, path, 4096, noise[:80])
			return path
		}, store.ErrDamaged},
		"CutToAHalf": {func(t *testing.T) string {
			path := filled(t, 500)
			truncate(t, path, 16*4096)
			return path
		}, store.ErrDamaged},
		"CutToAPage": {func(t *testing.T) string {
			path := filled(t, 500)
			truncate(t, path, 4096)
			return path
		}, store.ErrDamaged},
		"NoiseInTheHead": {func(t *testing.T) string {
			path := filled(t, 500)
			damage(t, path, 0, bytes.Repeat(noise, 3))
			return path
		}, store.ErrDamaged},
		"NoiseInTheMiddle": {func(t *testing.T) string {
			path := filled(t, 500)
			for at := int64(5 * 4096); at < 100*4096; at += 4096 {
				damage(t, path, at, noise)
			}
			return path
		}, store.ErrDamaged},
		"SomebodyElses": {func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "cloud.db")
			foreign(t, path, func(tx *bolt.Tx) error {
				_, err := tx.CreateBucket([]byte("widgets"))
				return err
			})
			return path
		}, store.ErrDamaged},
		"BucketGone": {func(t *testing.T) string {
			path := filled(t, 1)
			foreign(t, path, func(tx *bolt.Tx) error { return tx.DeleteBucket([]byte("events")) })
			return path
		}, store.ErrDamaged},
		"ValueIsNoJSON": {func(t *testing.T) string {
			path := filled(t, 1)
			foreign(t, path, func(tx *bolt.Tx) error { return tx.Bucket([]byte("instance")).Put([]byte("12345678"), []byte("{")) })
			return path
		}, store.ErrDamaged},
		"Newer": {func(t *testing.T) string {
			path := filled(t, 1)
			foreign(t, path, func(tx *bolt.Tx) error {
				return tx.Bucket([]byte("meta")).Put([]byte("schema"), []byte(strconv.Itoa(store.Version+1)))
			})
			return path
		}, store.ErrNewer},
		"Locked": {func(t *testing.T) string {
			path := filled(t, 1)
			open(t, path, store.Options{})
			return path
		}, store.ErrLocked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := c.make(t)
			before, _ := os.ReadFile(path)
			for range 2 { // a failed Open releases the file
				db, err := store.Open(path, store.Options{LockTimeout: time.Millisecond})
				if err == nil {
					_ = db.Close()
					t.Fatal("opens")
				}
				if simcloud.CodeOf(err) != simcloud.Unavailable || !bytes.Contains([]byte(err.Error()), []byte(path)) {
					t.Errorf("%v is not Unavailable, or does not name %s", err, path)
				}
				if c.want != nil && !errors.Is(err, c.want) {
					t.Errorf("got %v, want one that wraps %q", err, c.want)
				}
			}
			after, _ := os.ReadFile(path)
			if !bytes.Equal(before, after) {
				t.Error("the file has changed")
			}
		})
	}
}

func TestOpenReadOnly(t *testing.T) {
	t.Parallel()
	path := filled(t, 3)
	a, b := open(t, path, store.Options{ReadOnly: true}), open(t, path, store.Options{ReadOnly: true})
	for _, db := range []*store.DB{a, b} {
		if err := db.Check(); err != nil {
			t.Error(err)
		}
		err := db.Update(func(*store.Tx) error { return nil })
		if !errors.Is(err, store.ErrReadOnly) || simcloud.CodeOf(err) != simcloud.Unavailable {
			t.Errorf("got %v, want ErrReadOnly", err)
		}
	}
	missing := filepath.Join(t.TempDir(), "cloud.db")
	if _, err := store.Open(missing, store.Options{ReadOnly: true}); simcloud.CodeOf(err) != simcloud.Unavailable {
		t.Errorf("a missing file: got %v, want Unavailable", err)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("the missing file was made")
	}
}

func TestOpenWithoutPermission(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root may write any file")
	}
	path := filled(t, 1)
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(path, store.Options{}); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("got %v, want ErrReadOnly", err)
	}
}
