package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

const hour = simcloud.Duration(time.Hour)

// deletedInstances are the ids of the instances that were deleted within an hour.
func deletedInstances(ctx context.Context, t testing.TB, cloud *core.Cloud, ids ...simcloud.ID) (found []simcloud.ID) {
	t.Helper()
	for _, e := range must[[]simcloud.Event](t)(cloud.Deletions(ctx, simcloud.KindInstance, hour, ids...)) {
		if e.Type != simcloud.Deleted || e.Kind != simcloud.KindInstance {
			t.Errorf("it is %+v", e)
		}
		found = append(found, e.ID)
	}
	return found
}

// wantDeleted fails the test unless these instances were deleted.
func wantDeleted(t testing.TB, what string, cloud *core.Cloud, want ...simcloud.ID) {
	t.Helper()
	if got := deletedInstances(t.Context(), t, cloud); !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func withManualClock(t testing.TB, cloud *core.Cloud) *core.Cloud {
	t.Helper()
	must[simcloud.ClockStatus](t)(cloud.SetClock(t.Context(), simcloud.ClockSpec{Mode: simcloud.ClockManual}))
	return cloud
}

func advance(t testing.TB, cloud *core.Cloud, d time.Duration) {
	t.Helper()
	must[simcloud.ClockAdvance](t)(cloud.AdvanceClock(t.Context(), simcloud.Duration(d)))
}

// instances makes so many.
func instances(t testing.TB, cloud *core.Cloud, count int) {
	t.Helper()
	for range count {
		must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a", Labels: map[string]string{"role": "<node>"}}))
	}
}

func deleteInstance(t testing.TB, cloud *core.Cloud, id simcloud.ID) {
	t.Helper()
	must[simcloud.Operation](t)(cloud.DeleteInstance(t.Context(), id))
}

// TestDeletions: what was deleted is shown as it was, for a time, to its own project.
func TestDeletions(t *testing.T) {
	t.Parallel()
	cloud := withManualClock(t, open(t, core.Config{}))
	instances(t, cloud, 3)
	wantDeleted(t, "before", cloud)
	before := must[simcloud.Instance](t)(cloud.GetInstance(t.Context(), "i-2"))
	deleteInstance(t, cloud, "i-2")
	wantDeleted(t, "one", cloud, "i-2")
	var was simcloud.Instance
	events := must[[]simcloud.Event](t)(cloud.Deletions(t.Context(), simcloud.KindInstance, hour))
	if err := json.Unmarshal(events[0].Object, &was); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, was); diff != "" {
		t.Errorf("it was (-want +got):\n%s", diff)
	}
	if got := deletedInstances(simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "stranger", Role: simcloud.RoleAdmin}), t, cloud); got != nil {
		t.Errorf("a stranger sees %v", got)
	}
	advance(t, cloud, 30*time.Minute)
	deleteInstance(t, cloud, "i-1")
	wantDeleted(t, "two, in the order of their deletion", cloud, "i-2", "i-1")
	if got := deletedInstances(t.Context(), t, cloud, "i-1", "i-3", "i-9"); !slices.Equal(got, []simcloud.ID{"i-1"}) {
		t.Errorf("of some ids: %v", got)
	}
	advance(t, cloud, 30*time.Minute)
	wantDeleted(t, "after an hour", cloud, "i-1")
	advance(t, cloud, 30*time.Minute)
	wantDeleted(t, "after an hour more", cloud)
	_, err := cloud.Deletions(t.Context(), simcloud.KindToken, hour)
	wantCode(t, "tokens", err, simcloud.Unimplemented)
}

// TestDeletionsInTransaction: a transaction sees its own deletions, and no one else those of one that has failed.
func TestDeletionsInTransaction(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	instances(t, cloud, 3)
	deleteInstance(t, cloud, "i-1")
	failed := errors.New("failed")
	if err := cloud.Atomic(t.Context(), func(ctx context.Context) error {
		if _, err := cloud.DeleteInstance(ctx, "i-2"); err != nil {
			return err
		}
		if got := deletedInstances(ctx, t, cloud); !slices.Equal(got, []simcloud.ID{"i-1", "i-2"}) {
			t.Errorf("within: %v", got)
		}
		return failed
	}); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	must[instanceResult](t)(cloud.StopInstance(t.Context(), "i-2")) // its event has the revision that the deletion had
	wantDeleted(t, "afterwards", cloud, "i-1")
	deleteInstance(t, cloud, "i-3")
	wantDeleted(t, "one more", cloud, "i-1", "i-3")
	if got := deletedInstances(t.Context(), t, cloud, "i-2", "i-3"); !slices.Equal(got, []simcloud.ID{"i-3"}) {
		t.Errorf("of the other two: %v", got)
	}
}

// TestDeletionsBehind: a read that is behind does not show what was deleted since.
func TestDeletionsBehind(t *testing.T) {
	t.Parallel()
	cloud := withManualClock(t, open(t, core.Config{}))
	instances(t, cloud, 2)
	deleteInstance(t, cloud, "i-1")
	advance(t, cloud, time.Minute)
	deleteInstance(t, cloud, "i-2")
	advance(t, cloud, time.Second)
	behind := simcloud.WithOverride(t.Context(), simcloud.Override{Reading: simcloud.Reading{StaleBy: simcloud.Duration(30 * time.Second)}})
	if got := deletedInstances(behind, t, cloud); !slices.Equal(got, []simcloud.ID{"i-1"}) {
		t.Errorf("half a minute ago: %v", got)
	}
	hidden := simcloud.WithOverride(t.Context(), simcloud.Override{Reading: simcloud.Reading{HideNew: hour}})
	if got := deletedInstances(hidden, t, cloud); got != nil {
		t.Errorf("instances that are too new: %v", got)
	}
}

// TestDeletionsReopened: a restart keeps them; a reset and a snapshot, after which ids return, do not.
func TestDeletionsReopened(t *testing.T) {
	t.Parallel()
	r := newReopener(t, core.Config{})
	again := func(what string, want ...simcloud.ID) {
		t.Helper()
		wantDeleted(t, what, r.cloud, want...)
		r.open()
		wantDeleted(t, what+", reopened", r.cloud, want...)
	}
	instances(t, r.cloud, 2)
	must[simcloud.Snapshot](t)(r.cloud.SaveSnapshot(t.Context(), simcloud.SnapshotSpec{Name: "two"}))
	deleteInstance(t, r.cloud, "i-1")
	again("deleted", "i-1")
	must[simcloud.Snapshot](t)(r.cloud.LoadSnapshot(t.Context(), "two"))
	again("a snapshot loaded")
	deleteInstance(t, r.cloud, "i-2")
	again("deleted again", "i-2")
	if err := r.cloud.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	again("a reset")
	instances(t, r.cloud, 1)
	deleteInstance(t, r.cloud, "i-1")
	again("an id that has returned", "i-1")
}

// TestDeletionsOfProject: what a project had that is gone is not shown to the next one of its name.
func TestDeletionsOfProject(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	ctx := simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "p", Role: simcloud.RoleAdmin})
	project := func() {
		must[simcloud.Result[simcloud.Project]](t)(cloud.CreateProject(t.Context(), simcloud.ProjectSpec{Name: "p"}))
	}
	project()
	must[simcloud.Result[simcloud.Network]](t)(cloud.CreateNetwork(ctx, simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.9.0.0/16"}}))
	instance := must[instanceResult](t)(cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a"})).Resource
	must[simcloud.Operation](t)(cloud.DeleteInstance(ctx, instance.ID))
	if got := deletedInstances(ctx, t, cloud); !slices.Equal(got, []simcloud.ID{instance.ID}) {
		t.Fatalf("before: %v", got)
	}
	must[simcloud.Operation](t)(cloud.DeleteNetwork(ctx, instance.Network))
	must[simcloud.Operation](t)(cloud.DeleteProject(t.Context(), "p"))
	project()
	if got := deletedInstances(ctx, t, cloud); got != nil {
		t.Errorf("the next project sees %v", got)
	}
}

// TestDeletionsForgotten: those of events that are no longer kept are gone, and what is kept of them is no more than the events.
func TestDeletionsForgotten(t *testing.T) {
	t.Parallel()
	cloud := openAt(t, filepath.Join(t.TempDir(), "cloud.db"), store.Options{NoSync: true, EventLimit: 10}, core.Config{})
	instances(t, cloud, 2)
	deleteInstance(t, cloud, "i-1")
	wantDeleted(t, "kept", cloud, "i-1")
	for range 5 {
		must[instanceResult](t)(cloud.StopInstance(t.Context(), "i-2"))
		must[instanceResult](t)(cloud.StartInstance(t.Context(), "i-2"))
	}
	wantDeleted(t, "forgotten", cloud)
	deleteInstance(t, cloud, "i-2")
	wantDeleted(t, "kept again", cloud, "i-2")
}
