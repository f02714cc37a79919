package store

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestToVersion4: the one order of a former file becomes one for each
// project, without what it had of projects that are gone, and what overflowed
// is counted again.
func TestToVersion4(t *testing.T) {
	t.Parallel()
	db, err := Open(filepath.Join(t.TempDir(), "cloud.db"), Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the file is the test's own
	for _, former := range []func(*Tx) error{formerOrders, formerUsage, formerEvents} {
		if err := db.UpdateAlone(former); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.UpdateAlone(toVersion4); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"of a project that is gone", "of a project that is new"} {
		if raw := eventsWith(t, db, text); raw != "" {
			t.Errorf("the events still have %s", raw)
		}
	}
	if raw := eventsWith(t, db, "of a project that is there"); raw == "" {
		t.Error("the events of a project that is there have lost what they told")
	}
	if used := usageOf(t, db)[simcloud.QuotaVCPUs]; used != 2*simcloud.MaxVCPUs {
		t.Errorf("%d vCPUs are used, want %d", used, 2*simcloud.MaxVCPUs)
	}
	if err := db.View(func(tx *Tx) (err error) {
		var answers, finished []string
		for place, key := range AnswerOrder.All(tx, &err) {
			answer, ok, err := Answers.Get(tx, string(key))
			if err != nil || !ok || answer.Order != Order(place) {
				t.Errorf("the order has %q at %d, the answer %d: %t, %v", key, Order(place), answer.Order, ok, err)
			}
			answers = append(answers, place+PartAfter(string(key), PartAfter(string(key))))
		}
		for place, id := range Finished.All(tx, &err) {
			finished = append(finished, place+string(id))
		}
		a, b := Key("a"), Key("b")
		if want := []string{a + Ordered(1) + "first", a + Ordered(2) + "third", b + Ordered(1) + "second"}; !slices.Equal(answers, want) {
			t.Errorf("answers %q, want %q", answers, want)
		}
		if want := []string{a + Ordered(1) + "op-1", a + Ordered(2) + "op-3", b + Ordered(1) + "op-2"}; !slices.Equal(finished, want) {
			t.Errorf("finished %q, want %q", finished, want)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// formerOrders writes answers and finished operations of two projects, and the
// places of two that are gone, as former versions did.
func formerOrders(tx *Tx) error {
	projects := []simcloud.ID{"a", "b", "a"}
	for i, name := range []string{"first", "second", "third"} {
		n, key := uint64(7*i+5), Key(string(projects[i]), name)
		if err := Answers.Put(tx, key, AnswerRecord{Order: n, Answer: nullJSON}); err != nil {
			return err
		}
		if err := AnswerOrder.Put(tx, Ordered(n), []byte(key)); err != nil {
			return err
		}
		op := simcloud.Operation{Meta: simcloud.Meta{ID: Operations.idOf(uint64(i + 1)), Project: projects[i]}}
		if err := Operations.Restore(tx, time.Time{}, &op); err != nil {
			return err
		}
		if err := Finished.Put(tx, Ordered(n), op.ID); err != nil {
			return err
		}
	}
	if err := AnswerOrder.Put(tx, Ordered(9), []byte(Key("gone", "key"))); err != nil {
		return err
	}
	return Finished.Put(tx, Ordered(9), "op-9")
}

// formerEvents writes events of a project that is there, of one that is gone,
// and of one that another one has followed under its name.
func formerEvents(tx *Tx) error {
	for _, project := range []simcloud.ID{"there", "new"} {
		if err := Projects.Insert(tx, time.Time{}, &simcloud.Project{Meta: simcloud.Meta{ID: project, Name: string(project), Project: project}}); err != nil {
			return err
		}
	}
	for n, project := range []simcloud.ID{"there", "gone", "new"} {
		network := simcloud.Network{Meta: simcloud.Meta{
			ID: Networks.idOf(uint64(n + 1)), Name: "of a project that is " + string(project), Project: project,
		}}
		if err := Networks.Restore(tx, time.Time{}, &network); err != nil {
			return err
		}
	}
	return errors.Join(
		Networks.DeleteQuietly(tx, "net-2"), Networks.DeleteQuietly(tx, "net-3"), Projects.Delete(tx, time.Time{}, "new"),
		Projects.Insert(tx, time.Time{}, &simcloud.Project{Meta: simcloud.Meta{ID: "new", Name: "new", Project: "new"}}),
	)
}

// eventsWith returns the first event that has a text.
func eventsWith(t *testing.T, db *DB, text string) (found string) {
	t.Helper()
	if err := db.View(func(tx *Tx) error {
		forEach(tx.bucket(eventBucket), func(_, raw []byte) {
			if found == "" && strings.Contains(string(raw), text) {
				found = string(raw)
			}
		})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

// formerUsage writes two instances of a type that no quota can count, and the
// use that former versions took for theirs.
func formerUsage(tx *Tx) error {
	huge := simcloud.InstanceType{Meta: simcloud.Meta{ID: "huge", Name: "huge"}, VCPUs: math.MaxInt, MemoryMiB: math.MaxInt}
	if err := InstanceTypes.Insert(tx, time.Time{}, &huge); err != nil {
		return err
	}
	for n := range uint64(2) {
		instance := simcloud.Instance{Meta: simcloud.Meta{ID: Instances.idOf(n + 1), Project: "p"}, Type: "huge", Zone: "z"}
		if err := Instances.Restore(tx, time.Time{}, &instance); err != nil {
			return err
		}
	}
	tx.usage.counts.add(Use{"p", simcloud.QuotaVCPUs, math.MaxInt})
	return nil
}
