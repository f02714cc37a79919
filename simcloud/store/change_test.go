package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// notes is a recorder that tells changes in short, and whether they are to be seen yet.
type notes struct {
	db    *store.DB
	lines []string
	last  uint64 // commit
}

func (n *notes) Record(changes []store.Change) {
	for _, c := range changes {
		line := string(c.Kind) + " created"
		if _, name, ok := strings.Cut(string(c.Before), `"name":"`); ok {
			line = string(c.Kind) + " was " + name[:1]
		}
		if err := n.db.View(func(tx *store.Tx) error {
			if tx.Commit() >= c.Commit {
				line += " and seen"
			}
			return nil
		}); err != nil {
			line = err.Error()
		}
		n.last = c.Commit
		n.lines = append(n.lines, line+" at "+c.Time.Sub(epoch).String())
	}
}

func (n *notes) Forget() { n.lines = append(n.lines, "forgotten") }
func (n *notes) Renew()  { n.lines = append(n.lines, "renewed") }

// TestRecorder: it learns of each change what was before it, and of nothing
// that was taken back.
func TestRecorder(t *testing.T) {
	t.Parallel()
	db := scratch(t)
	told := &notes{db: db}
	db.SetRecorder(told)
	var instance simcloud.Instance
	update(t, db, func(tx *store.Tx) (err error) {
		instance, err = insert(tx, simcloud.Meta{Name: "a"})
		return err
	})
	update(t, db, func(tx *store.Tx) error {
		instance.Name = "b"
		return store.Instances.Update(tx, epoch.Add(time.Second), &instance)
	})
	if err := db.Update(func(tx *store.Tx) error {
		if err := store.Instances.Delete(tx, epoch.Add(2*time.Second), instance.ID); err != nil {
			return err
		}
		return errRefused
	}); err == nil {
		t.Error("the refused update succeeds")
	}
	update(t, db, func(tx *store.Tx) error { return store.Instances.Delete(tx, epoch.Add(3*time.Second), instance.ID) })
	if err := db.UpdateAlone(func(tx *store.Tx) error {
		return store.Wipe(tx, epoch, func(simcloud.Kind, simcloud.ID) bool { return true })
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.View(func(tx *store.Tx) error {
		if tx.Commit() < told.last {
			t.Errorf("commit %d is not to be seen at %d", told.last, tx.Commit())
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	want := []string{"instance created at 0s", "instance was a at 1s", "instance was b at 3s", "renewed"}
	if diff := cmp.Diff(want, told.lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
