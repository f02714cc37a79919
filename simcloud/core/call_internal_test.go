package core

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// TestForgetAnswers: a key that was used again is as old as its newest answer,
// and goes when that one is the oldest of its project.
func TestForgetAnswers(t *testing.T) {
	t.Parallel()
	cloud := openHere(t)
	ctx := t.Context()
	create := func(key string) simcloud.ID {
		t.Helper()
		r, err := cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"}, simcloud.IdempotencyKey(key))
		if err != nil {
			t.Fatal(err)
		}
		return r.Resource.ID
	}
	theirs := simcloud.WithCaller(ctx, simcloud.Caller{Project: "theirs", Role: simcloud.RoleWriter})
	// answers gives the caller's project n more answers.
	answers := func(ctx context.Context, n int) {
		t.Helper()
		if err := cloud.updateExclusive(ctx, request{}, func(w *txn) error {
			for i := range n {
				w.req.opts.IdempotencyKey = fmt.Sprintf("other %06d", i) // in their order, which bbolt takes quickly
				if err := w.remember("done", store.AnswerRecord{Deletion: true}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	first := create("reused") // 1
	create("between")         // 2
	if _, err := cloud.DeleteInstance(ctx, first); err != nil {
		t.Fatal(err)
	}
	again := create("reused") // 3
	orders := 0
	if err := cloud.updateExclusive(ctx, request{}, func(w *txn) error {
		var err error
		for range store.AnswerOrder.All(w.tx, &err) {
			orders++
		}
		return err
	}); err != nil || orders != 2 {
		t.Errorf("%d keys in order, %v, want 2", orders, err)
	}
	answers(theirs, keptAnswers+1)
	if id := create("reused"); id != again {
		t.Errorf("another project's answers pushed this one out: %s after %s", id, again)
	}
	answers(ctx, keptAnswers-1)
	if id := create("reused"); id != again {
		t.Errorf("the newer answer went with the older: %s after %s", id, again)
	}
	answers(ctx, 1)
	if id := create("reused"); id == again {
		t.Errorf("the answer about %s is still kept", id)
	}
}

// TestForgetOldAnswers: answers that are too old leave the file, a few with each new one.
func TestForgetOldAnswers(t *testing.T) {
	t.Parallel()
	cloud := openHere(t)
	ctx := t.Context()
	create := func(n int) {
		t.Helper()
		if _, err := cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"}, simcloud.IdempotencyKey(strconv.Itoa(n))); err != nil {
			t.Fatal(err)
		}
	}
	kept := func() (answers, orders int) {
		t.Helper()
		if err := cloud.db.View(func(tx *store.Tx) (err error) {
			for range store.Answers.All(tx, &err) {
				answers++
			}
			for range store.AnswerOrder.All(tx, &err) {
				orders++
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return answers, orders
	}
	if _, err := cloud.SetClock(ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}); err != nil {
		t.Fatal(err)
	}
	for n := range 10 {
		create(n)
	}
	if _, err := cloud.AdvanceClock(ctx, simcloud.Duration(24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	for n, want := range []int{11 - forgottenAtOnce, 12 - 2*forgottenAtOnce, 3} {
		create(10 + n)
		if answers, orders := kept(); answers != want || orders != want {
			t.Errorf("after %d new ones %d answers and %d places are kept, want %d", n+1, answers, orders, want)
		}
	}
}

// openHere returns a cloud in a file of the test's own, which is closed with it.
func openHere(t *testing.T) *Cloud {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "cloud.db"), store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	cloud, err := Open(Config{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cloud.Close() })
	return cloud
}
