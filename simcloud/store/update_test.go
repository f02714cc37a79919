package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func all(t testing.TB, db *store.DB) []simcloud.Instance {
	t.Helper()
	var items []simcloud.Instance
	if err := db.View(func(tx *store.Tx) error {
		var err error
		items, err = store.Instances.All(tx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return items
}

var errRefused = errors.New("refused")

// TestUpdateFailsAlone: of updates that share a commit, one that fails or
// panics leaves no trace, and the others stand.
func TestUpdateFailsAlone(t *testing.T) {
	t.Parallel()
	db := scratch(t)
	update(t, db, func(tx *store.Tx) error {
		_, err := insert(tx, simcloud.Meta{Name: "old", Labels: map[string]string{"k": "v"}})
		return err
	})
	var workers sync.WaitGroup
	for i := range 90 {
		workers.Go(func() {
			err := change(db, i)
			if want := map[int]error{1: errRefused}[i%3]; !errors.Is(err, want) {
				t.Errorf("update %d: got %v, want %v", i, err, want)
			}
		})
	}
	workers.Wait()
	names := map[string]int{}
	for _, instance := range all(t, db) {
		names[instance.Name]++
	}
	if diff := cmp.Diff(map[string]int{"old": 1, "stands": 30}, names); diff != "" {
		t.Errorf("instances (-want +got):\n%s", diff)
	}
}

// change does what succeeds, fails or panics, by the turn of i.
func change(db *store.DB, i int) (err error) {
	defer func() {
		if p := recover(); p != nil && i%3 != 2 {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return db.Update(func(tx *store.Tx) error {
		if i%3 == 0 {
			_, err := insert(tx, simcloud.Meta{Name: "stands"})
			return err
		}
		if err := spoil(tx); err != nil {
			return err
		}
		if i%3 == 2 {
			panic("refused")
		}
		return errRefused
	})
}

// spoil changes, adds and deletes.
func spoil(tx *store.Tx) error {
	old, err := store.Instances.Get(tx, "i-1")
	if err != nil {
		return err
	}
	old.Name, old.Labels = "spoilt", nil
	if err := store.Instances.Update(tx, epoch, &old); err != nil {
		return err
	}
	if _, err := insert(tx, simcloud.Meta{Name: "spoilt"}); err != nil {
		return err
	}
	tx.OnCommit(func() { panic("a failed update was told that it is on disk") })
	return store.Instances.Delete(tx, epoch, "i-1")
}

func TestUpdatePanicsInItsCaller(t *testing.T) {
	t.Parallel()
	db := scratch(t)
	defer func() {
		if p := recover(); p != "mine" {
			t.Errorf("recovered %v, want the panic of the function", p)
		}
	}()
	_ = db.Update(func(*store.Tx) error { panic("mine") })
}

func TestOnCommitComesBeforeUpdateReturns(t *testing.T) {
	t.Parallel()
	db := scratch(t)
	changed := db.Changed()
	var told bool
	update(t, db, func(tx *store.Tx) error {
		tx.OnCommit(func() { told = true })
		_, err := insert(tx, simcloud.Meta{Name: "a"})
		return err
	})
	if !told {
		t.Error("the function given to OnCommit has not run")
	}
	<-changed
}

func TestUpdateAloneIsTakenBack(t *testing.T) {
	t.Parallel()
	db := scratch(t)
	update(t, db, func(tx *store.Tx) error {
		_, err := insert(tx, simcloud.Meta{Name: "a"})
		return err
	})
	before := all(t, db)
	err := db.UpdateAlone(func(tx *store.Tx) error {
		if err := store.Wipe(tx, epoch, func(simcloud.Kind, simcloud.ID) bool { return false }); err != nil {
			t.Error(err)
		}
		return errRefused
	})
	if !errors.Is(err, errRefused) {
		t.Errorf("got %v, want %v", err, errRefused)
	}
	if diff := cmp.Diff(before, all(t, db)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	db := open(t, filled(t, 1), store.Options{})
	var workers sync.WaitGroup
	for range 20 {
		workers.Go(func() {
			err := db.Update(func(tx *store.Tx) error {
				_, err := insert(tx, simcloud.Meta{Name: "a"})
				return err
			})
			if err != nil && simcloud.CodeOf(err) != simcloud.Unavailable {
				t.Error(err)
			}
		})
	}
	if err := errors.Join(db.Close(), db.Close()); err != nil {
		t.Error(err)
	}
	workers.Wait()
	err := db.View(func(*store.Tx) error { return nil })
	if simcloud.CodeOf(err) != simcloud.Unavailable {
		t.Errorf("View after Close: got %v, want Unavailable", err)
	}
	if err := db.Update(func(*store.Tx) error { return nil }); simcloud.CodeOf(err) != simcloud.Unavailable {
		t.Errorf("Update after Close: got %v, want Unavailable", err)
	}
}
