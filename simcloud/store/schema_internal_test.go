package store

import (
	"errors"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// TestMigrate: the steps from the file's version on run in order, once each.
func TestMigrate(t *testing.T) {
	t.Parallel()
	db, err := Open(filepath.Join(t.TempDir(), "cloud.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the file is the test's own
	if err := db.Update(func(tx *Tx) error { return schema.Put(tx, 1) }); err != nil {
		t.Fatal(err)
	}
	var ran []int
	step := func(n int) migration {
		return func(*Tx) error { ran = append(ran, n); return nil }
	}
	run := func(steps ...migration) (version int, err error) {
		err = db.bolt.Update(func(btx *bolt.Tx) error {
			tx := &Tx{bolt: btx, db: db, noUndo: true}
			if err := migrate(tx, steps); err != nil {
				return err
			}
			version, _, err = schema.Get(tx)
			return err
		})
		return version, err
	}
	for _, want := range []int{3, 3} {
		if version, err := run(step(1), step(2)); err != nil || version != want {
			t.Errorf("version %d, %v, want %d", version, err, want)
		}
	}
	broken := errors.New("broken")
	if _, err := run(step(1), step(2), step(3), func(*Tx) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	if version, err := run(step(1), step(2)); err != nil || version != 3 {
		t.Errorf("a failed migration left version %d, %v", version, err)
	}
	if len(ran) != 3 { // 1 and 2, and the 3 that was taken back
		t.Errorf("ran %v", ran)
	}
}

// TestCheckFinds: each way in which an index can be wrong is reported.
func TestCheckFinds(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(tx *Tx) error{
		"an index entry without data": func(tx *Tx) error {
			return tx.put(tx.bucket("instance.index"), append(entry(byName, "p", "x"), orderedKey(9)...), []byte{})
		},
		"data without an index entry": func(tx *Tx) error {
			return tx.put(tx.bucket("zone"), orderedKey(1), []byte(`{"id":"a","name":"a"}`))
		},
		"a missing event": func(tx *Tx) error { return revision.Set(tx, 7) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := Open(filepath.Join(t.TempDir(), "cloud.db"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close() //nolint:errcheck // the file is the test's own
			if err := db.Check(); err != nil {
				t.Fatal(err)
			}
			if err := db.Update(spoil); err != nil {
				t.Fatal(err)
			}
			if db.Check() == nil {
				t.Error("nothing is reported")
			}
		})
	}
}
