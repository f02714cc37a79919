package store

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func usageDB(t *testing.T) *DB {
	t.Helper()
	db, err := Open(filepath.Join(t.TempDir(), "cloud.db"), Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func addVolume(tx *Tx, project simcloud.ID, gib int) (simcloud.Volume, error) {
	id, err := Volumes.NewID(tx)
	v := simcloud.Volume{Meta: simcloud.Meta{ID: id, Name: "v", Project: project}, SizeGiB: gib}
	if err != nil {
		return v, err
	}
	return v, Volumes.Insert(tx, time.Unix(1, 0).UTC(), &v)
}

// usageOf returns what the file says of the project "p", which is what a recount says too.
func usageOf(t *testing.T, db *DB) (used map[simcloud.QuotaResource]int) {
	t.Helper()
	if err := errors.Join(db.View(func(tx *Tx) (err error) {
		used, err = tx.Usage("p")
		return err
	}), db.Check()); err != nil {
		t.Fatal(err)
	}
	return used
}

func TestUsageFollows(t *testing.T) {
	t.Parallel()
	db := usageDB(t)
	var first simcloud.Volume
	for _, step := range []struct {
		name string
		do   func(tx *Tx) error
		want map[simcloud.QuotaResource]int
		grow []Use
	}{
		{"insert", func(tx *Tx) (err error) { first, err = addVolume(tx, "p", 10); return err },
			map[simcloud.QuotaResource]int{"volume": 1, "volume_gib": 10}, []Use{{"p", "volume", 1}, {"p", "volume_gib", 10}}},
		{"insert two", func(tx *Tx) error {
			_, err := addVolume(tx, "p", 1)
			_, other := addVolume(tx, "p", 2)
			return errors.Join(err, other)
		}, map[simcloud.QuotaResource]int{"volume": 3, "volume_gib": 13}, []Use{{"p", "volume", 2}, {"p", "volume_gib", 3}}},
		{"resize", func(tx *Tx) error { first.SizeGiB = 20; return Volumes.Update(tx, time.Unix(2, 0).UTC(), &first) },
			map[simcloud.QuotaResource]int{"volume": 3, "volume_gib": 23}, []Use{{"p", "volume_gib", 10}}},
		{"replace", func(tx *Tx) error {
			_, err := addVolume(tx, "p", 5)
			return errors.Join(err, Volumes.Delete(tx, time.Unix(3, 0).UTC(), first.ID))
		}, map[simcloud.QuotaResource]int{"volume": 3, "volume_gib": 8}, []Use{}},
		{"another project", func(tx *Tx) error { _, err := addVolume(tx, "q", 1); return err },
			map[simcloud.QuotaResource]int{"volume": 3, "volume_gib": 8}, []Use{{"q", "volume", 1}, {"q", "volume_gib", 1}}},
		{"delete all", func(tx *Tx) error {
			return errors.Join(Volumes.DeleteQuietly(tx, "vol-2"), Volumes.DeleteQuietly(tx, "vol-3"), Volumes.DeleteQuietly(tx, "vol-4"))
		}, nil, []Use{}},
	} {
		if err := db.Update(func(tx *Tx) error {
			mark := tx.UsageMark()
			err := step.do(tx)
			if diff := cmp.Diff(step.grow, tx.Grown(mark)); diff != "" {
				t.Errorf("%s: grown (-want +got):\n%s", step.name, diff)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, usageOf(t, db)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}

// TestUsageOfFailures: an update that fails, or panics, among others that share its commit counts nothing.
func TestUsageOfFailures(t *testing.T) {
	t.Parallel()
	db := usageDB(t)
	failed := errors.New("failed")
	var callers sync.WaitGroup
	for n := range 90 {
		callers.Go(func() {
			defer func() { _ = recover() }()
			err := db.Update(func(tx *Tx) error {
				if _, err := addVolume(tx, "p", 10); err != nil {
					return err
				}
				switch n % 3 {
				case 0:
					return failed
				case 1:
					panic(failed)
				default:
					return nil
				}
			})
			if err != nil && !errors.Is(err, failed) {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	if diff := cmp.Diff(map[simcloud.QuotaResource]int{"volume": 30, "volume_gib": 300}, usageOf(t, db)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestUsageChecked: counts that do not agree with the resources are found, and a recount repairs them.
func TestUsageChecked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*Tx) error
		want  string
	}{
		"too many": {func(tx *Tx) error { return tx.use([]Use{{"p", "volume", 2}}) }, "project p has 1 volume, the file says 3"},
		"none":     {func(tx *Tx) error { return usageTable.Delete(tx, "p") }, "project p has 1 volume, the file says 0"},
		"of an unknown project": {func(tx *Tx) error {
			return usageTable.Put(tx, "q", map[simcloud.QuotaResource]int{"network": 1})
		}, "project q has no network, the file says 1"},
		"in a zone": {func(tx *Tx) error { return tx.use([]Use{{zoneUser("a"), "small", 1}}) }, "zone/a has no small, the file says 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := usageDB(t)
			if err := db.Update(func(tx *Tx) error { _, err := addVolume(tx, "p", 10); return err }); err != nil {
				t.Fatal(err)
			}
			want := usageOf(t, db)
			if err := db.Update(c.spoil); err != nil {
				t.Fatal(err)
			}
			if err := db.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want one that says %q", err, c.want)
			}
			if err := db.UpdateAlone(Recount); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, usageOf(t, db)); diff != "" {
				t.Errorf("after a recount (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUsageWrittenOnce: however many changes a transaction makes, it writes a project once.
func TestUsageWrittenOnce(t *testing.T) {
	t.Parallel()
	db := usageDB(t)
	if err := db.bolt.Update(func(btx *bolt.Tx) error {
		tx := &Tx{bolt: btx, db: db}
		for range 5 {
			if _, err := addVolume(tx, "p", 1); err != nil {
				return err
			}
		}
		before := len(tx.undo)
		err := tx.flushUsage()
		if n := len(tx.undo) - before; n != 1 {
			t.Errorf("%d writes", n)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
