package core_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// TestPlaceAmongMany: whether a zone has room does not take longer the more it has.
func TestPlaceAmongMany(t *testing.T) {
	cloud := open(t, core.Config{})
	capacity := map[simcloud.ID]int{"small": 10_000}
	must[simcloud.Result[simcloud.Zone]](t)(cloud.UpdateZone(t.Context(), "zone-a", simcloud.ZoneUpdate{Capacity: &capacity}))
	create := func() {
		must[instanceResult](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a", Type: "small", Zone: "zone-a"}))
	}
	few := testing.AllocsPerRun(20, create)
	for range 1000 {
		create()
	}
	if many := testing.AllocsPerRun(20, create); many > 2*few {
		t.Errorf("an instance takes %.0f allocations among few, %.0f among 1,000", few, many)
	}
}
