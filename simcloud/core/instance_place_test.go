package core_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// TestRoomFollows: what a zone has room for follows all that comes and goes, also all at once.
func TestRoomFollows(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	ctx := t.Context()
	limit := func() {
		capacity := map[simcloud.ID]int{"small": 2}
		must[simcloud.Result[simcloud.Zone]](t)(cloud.UpdateZone(ctx, "zone-a", simcloud.ZoneUpdate{Capacity: &capacity}))
	}
	fill := func(what string, room int) {
		t.Helper()
		for range room {
			_, err := cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a", Type: "small", Zone: "zone-a"})
			wantCode(t, what, err, "")
		}
		_, err := cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "a", Type: "small", Zone: "zone-a"})
		wantCode(t, what+", one too many", err, simcloud.Capacity)
	}
	limit()
	fill("an empty zone", 2)
	must[instanceResult](t)(cloud.RecreateInstance(ctx, "i-1"))
	fill("after one was recreated", 0)
	must[simcloud.Snapshot](t)(cloud.SaveSnapshot(ctx, simcloud.SnapshotSpec{Name: "full"}))
	must[instanceResult](t)(cloud.MigrateInstance(ctx, "i-2", simcloud.InstanceMigration{Zone: "zone-b"}))
	fill("after one has moved", 1)
	must[simcloud.Operation](t)(cloud.DeleteInstance(ctx, "i-2"))
	fill("after one of another zone is gone", 0)
	must[simcloud.Snapshot](t)(cloud.LoadSnapshot(ctx, "full"))
	fill("when the snapshot is back", 0)
	must[instanceResult](t)(cloud.StopInstance(ctx, "i-2"))
	must[instanceResult](t)(cloud.ResizeInstance(ctx, "i-2", simcloud.InstanceResize{Type: "large"}))
	fill("after one has another size", 1)
	if err := cloud.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	limit()
	fill("after a reset", 2)
	if err := cloud.Check(ctx); err != nil {
		t.Error(err)
	}
}
