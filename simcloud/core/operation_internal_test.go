package core

import (
	"context"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// TestKeptOperations: the oldest finished operations of a project go, and those of others stay.
func TestKeptOperations(t *testing.T) {
	t.Parallel()
	cloud := openHere(t)
	ctx := t.Context()
	theirs := simcloud.WithCaller(ctx, simcloud.Caller{Project: "theirs", Role: simcloud.RoleWriter})
	finish := func(ctx context.Context, times int) {
		t.Helper()
		if err := cloud.updateExclusive(ctx, request{verb: "StartInstance"}, func(w *txn) error {
			for range times {
				if _, err := operating(w, func(w *txn) (simcloud.Operation, error) {
					return w.unchanged(simcloud.KindInstance, "i-1")
				}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	finish(theirs, 1)
	finish(ctx, keptOperations+2)
	page, err := cloud.ListOperations(ctx, simcloud.ListOptions{PageSize: 1})
	if err != nil || page.Items[0].ID != "op-4" {
		t.Errorf("the oldest: %v, %v", page.Items, err)
	}
	if _, err := cloud.GetOperation(theirs, "op-1"); err != nil {
		t.Errorf("the operation of another project: %v", err)
	}
	// Forgotten, of another project, beyond all, and no id at all: one answer.
	never := waitError(ctx, t, cloud, "op-20000")
	for _, id := range []simcloud.ID{"op-1", "op-2", "op-0", "i-1"} {
		if got := waitError(ctx, t, cloud, id); got != strings.ReplaceAll(never, "op-20000", string(id)) {
			t.Errorf("wait for %s: %s, want as for one that never was: %s", id, got, never)
		}
	}
	if got := waitError(theirs, t, cloud, "op-2"); got != strings.ReplaceAll(never, "op-20000", "op-2") {
		t.Errorf("another project waits for one that is forgotten: %s, want %s", got, never)
	}
	if _, err := cloud.WaitOperation(ctx, "op-10003"); err != nil {
		t.Error(err)
	}
}

// waitError is the text of the error for a wait that finds no operation.
func waitError(ctx context.Context, t *testing.T, cloud *Cloud, id simcloud.ID) string {
	t.Helper()
	_, err := cloud.WaitOperation(ctx, id)
	if simcloud.CodeOf(err) != simcloud.NotFound {
		t.Fatalf("wait for %s: %v, want NotFound", id, err)
	}
	return err.Error()
}

// TestOperatingEnds: what a call changes after one of its operations is not that operation's doing.
func TestOperatingEnds(t *testing.T) {
	t.Parallel()
	cloud := openHere(t)
	ctx := simcloud.WithRequestID(t.Context(), "req-1")
	if err := cloud.updateExclusive(ctx, request{verb: "Seed"}, func(w *txn) error {
		within, err := operating(w, func(w *txn) (store.Cause, error) { return w.tx.Cause(), nil })
		if within != (store.Cause{Operation: "op-1", Request: "req-1"}) || w.tx.Cause() != (store.Cause{Request: "req-1"}) {
			t.Errorf("the cause is %+v within, and %+v after it", within, w.tx.Cause())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
