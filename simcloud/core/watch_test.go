package core_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func firstOf(ctx context.Context, cloud *core.Cloud, after uint64) (simcloud.Event, error) {
	for event, err := range cloud.WatchEvents(ctx, after) {
		return event, err
	}
	return simcloud.Event{}, ctx.Err()
}

func TestWatchEventsThatAreNoLongerKept(t *testing.T) {
	t.Parallel()
	const limit = 16
	cloud := openAt(t, filepath.Join(t.TempDir(), "cloud.db"), store.Options{NoSync: true, EventLimit: limit}, core.Config{})
	for range 20 {
		must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}))
	}
	revision := must[simcloud.State](t)(cloud.GetState(t.Context())).Revision
	for _, after := range []uint64{0, 1, revision - limit - 1} {
		_, err := firstOf(t.Context(), cloud, after)
		wantCode(t, "too old", err, simcloud.Conflict)
	}
	event, err := firstOf(t.Context(), cloud, revision-limit)
	if err != nil || event.Revision != revision-limit+1 {
		t.Errorf("the oldest that is kept: got %d, %v", event.Revision, err)
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSlowWatcher: a watcher that does not keep up loses its place, not the cloud its breath.
func TestSlowWatcher(t *testing.T) {
	t.Parallel()
	const limit = 600
	cloud := openAt(t, filepath.Join(t.TempDir(), "cloud.db"), store.Options{NoSync: true, EventLimit: limit}, core.Config{})
	for range limit / 2 {
		must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}))
	}
	revision := must[simcloud.State](t)(cloud.GetState(t.Context())).Revision
	var last uint64
	var lost error
	for event, err := range cloud.WatchEvents(t.Context(), revision-limit) {
		if err != nil {
			lost = err
			break
		}
		if last == 0 { // far too much happens while the first event is looked at
			for range limit {
				must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}))
			}
		} else if event.Revision != last+1 {
			t.Fatalf("event %d follows %d", event.Revision, last)
		}
		last = event.Revision
	}
	wantCode(t, "a watcher that was left behind", lost, simcloud.Conflict)
}

func TestCloseEndsThoseWhoWait(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{Progression: minute})
	r := must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"}))
	ended := make(chan error, 2)
	go func() {
		_, err := cloud.WaitOperation(t.Context(), r.Operation.ID)
		ended <- err
	}()
	go func() {
		_, err := firstOf(t.Context(), cloud, r.Operation.Version)
		ended <- err
	}()
	if err := cloud.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		wantCode(t, "after Close", <-ended, simcloud.Unavailable)
	}
	_, err := cloud.GetInstance(t.Context(), "i-1")
	wantCode(t, "a read after Close", err, simcloud.Unavailable)
	_, err = cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})
	wantCode(t, "a mutation after Close", err, simcloud.Unavailable)
}

func TestWatchEventsEndsWithItsContext(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	after := must[simcloud.State](t)(cloud.GetState(t.Context())).Revision
	for event, err := range cloud.WatchEvents(ctx, after) {
		t.Errorf("yields %v, %v", event, err)
	}
}

// TestEventsAreBoundedByBytes: big events push out more than their number, in
// the file as it is used and when it is opened.
func TestEventsAreBoundedByBytes(t *testing.T) {
	t.Parallel()
	const limit = 200_000
	path := filepath.Join(t.TempDir(), "cloud.db")
	create := func(cloud *core.Cloud) {
		for range 10 {
			spec := simcloud.InstanceSpec{Name: "a", UserData: strings.Repeat("x", 60_000)}
			must[instanceResult](t)(cloud.CreateInstance(t.Context(), spec))
		}
	}
	look := func(what string, cloud *core.Cloud) {
		t.Helper()
		if err := cloud.Check(t.Context()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		revision := must[simcloud.State](t)(cloud.GetState(t.Context())).Revision
		_, err := firstOf(t.Context(), cloud, revision-10)
		wantCode(t, what+": too old", err, simcloud.Conflict)
		if event, err := firstOf(t.Context(), cloud, revision-4); err != nil || event.Revision != revision-3 {
			t.Errorf("%s: got %d, %v", what, event.Revision, err)
		}
	}
	free := openAt(t, path, store.Options{NoSync: true}, core.Config{})
	create(free)
	if _, err := firstOf(t.Context(), free, 1); err != nil {
		t.Errorf("below the limit: %v", err)
	}
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	cloud := openAt(t, path, store.Options{NoSync: true, EventBytes: limit}, core.Config{})
	look("as opened", cloud)
	create(cloud)
	look("as used", cloud)
	if err := cloud.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := cloud.Check(t.Context()); err != nil {
		t.Errorf("after a reset: %v", err)
	}
}
