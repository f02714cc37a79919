package core

import (
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// TestKeptOperations: the oldest finished operations go, and whoever waits for
// one of them learns that it is finished.
func TestKeptOperations(t *testing.T) {
	t.Parallel()
	cloud := openHere(t)
	ctx := t.Context()
	if err := cloud.alone(ctx, call{verb: "StartInstance"}, func(w *work) error {
		for range keptOperations + 2 {
			if _, err := operating(w, func(w *work) (simcloud.Operation, error) {
				return w.unchanged(simcloud.KindInstance, "i-1")
			}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	page, err := cloud.ListOperations(ctx, simcloud.ListOptions{PageSize: 1})
	if err != nil || page.Items[0].ID != "op-3" {
		t.Errorf("the oldest: %v, %v", page.Items, err)
	}
	for id, told := range map[simcloud.ID]bool{"op-1": true, "op-2": true, "op-0": false, "op-10003": false, "i-1": false} {
		_, err := cloud.WaitOperation(ctx, id)
		if simcloud.CodeOf(err) != simcloud.NotFound || strings.Contains(err.Error(), "is finished") != told {
			t.Errorf("wait for %s: %v; told that it is finished: want %t", id, err, told)
		}
	}
	if _, err := cloud.WaitOperation(ctx, "op-10002"); err != nil {
		t.Error(err)
	}
	// What another project has does not become finished by being asked for.
	theirs := simcloud.WithCaller(ctx, simcloud.Caller{Project: "theirs", Role: simcloud.RoleWriter})
	if _, err := cloud.WaitOperation(theirs, "op-9"); simcloud.CodeOf(err) != simcloud.NotFound || strings.Contains(err.Error(), "is finished") {
		t.Errorf("wait for another project's operation: %v", err)
	}
}

// TestOperatingEnds: what a call changes after one of its operations is not that operation's doing.
func TestOperatingEnds(t *testing.T) {
	t.Parallel()
	cloud := openHere(t)
	ctx := simcloud.WithRequestID(t.Context(), "req-1")
	if err := cloud.alone(ctx, call{verb: "Seed"}, func(w *work) error {
		within, err := operating(w, func(w *work) (store.Cause, error) { return w.tx.Cause(), nil })
		if within != (store.Cause{Operation: "op-1", Request: "req-1"}) || w.tx.Cause() != (store.Cause{Request: "req-1"}) {
			t.Errorf("the cause is %+v within, and %+v after it", within, w.tx.Cause())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
