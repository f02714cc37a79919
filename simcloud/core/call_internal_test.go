package core

import (
	"path/filepath"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// TestForgetAnswers: a key that was used again is as old as its newest answer,
// and goes when that one is the oldest.
func TestForgetAnswers(t *testing.T) {
	t.Parallel()
	db, err := store.Open(filepath.Join(t.TempDir(), "cloud.db"), store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	cloud, err := Open(Config{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	defer cloud.Close() //nolint:errcheck // the file is the test's own
	ctx := t.Context()
	create := func(key string) simcloud.ID {
		t.Helper()
		r, err := cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"}, simcloud.IdempotencyKey(key))
		if err != nil {
			t.Fatal(err)
		}
		return r.Resource.ID
	}
	// answers sets the counter as so many answers would.
	answers := func(n uint64) {
		t.Helper()
		if err := cloud.alone(ctx, call{}, func(w *work) error { return store.AnswerCounter.Set(w.tx, n) }); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := cloud.DeleteInstance(ctx, create("reused")); err != nil { // 1
		t.Fatal(err)
	}
	again := create("reused") // 2
	orders := 0
	if err := cloud.alone(ctx, call{}, func(w *work) error {
		var err error
		for range store.AnswerOrder.All(w.tx, &err) {
			orders++
		}
		return err
	}); err != nil || orders != 1 {
		t.Errorf("%d keys in order, %v, want 1", orders, err)
	}
	answers(keptAnswers)
	create("pushes 1 out")
	if id := create("reused"); id != again {
		t.Errorf("the newer answer went with the older: %s after %s", id, again)
	}
	create("pushes 2 out")
	if id := create("reused"); id == again {
		t.Errorf("the answer about %s is still kept", id)
	}
}
