package compute

import (
	"errors"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type zoneResult = simcloud.Result[simcloud.Zone]

// limitZone lets a zone take so many small instances.
func limitZone(f *suite.Fixture, id simcloud.ID, n int) {
	f.Helper()
	update := simcloud.ZoneUpdate{Capacity: &map[simcloud.ID]int{"small": n}}
	suite.Must[zoneResult](f)(f.UpdateZone(f.Ctx, id, update))
}

// wantDown fails the test unless err is Capacity and says that zone-b is down.
func wantDown(f *suite.Fixture, err error) {
	f.Helper()
	const zone = "zone-b"
	f.Want(err, simcloud.Capacity)
	f.WantResource(err, "zone/"+zone)
	var e *simcloud.Error
	if errors.As(err, &e) && !strings.Contains(e.Message, "zone "+zone+" is down") {
		f.Errorf("%q does not say that %s is down", e.Message, zone)
	}
}

func testZoneUpdate(s suite.Runner) {
	s.Test("CreateZone/Capacity", func(f *suite.Fixture) {
		spec := simcloud.ZoneSpec{Name: "zone-d", Region: "region-1", Capacity: map[simcloud.ID]int{"small": 1, "large": 0}}
		zone := suite.Must[zoneResult](f)(f.CreateZone(f.Ctx, spec)).Resource
		f.Equal("capacity", zone.Capacity, spec.Capacity)
		f.In("zone-d")
		_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a", Zone: "zone-d", Type: "large"})
		f.Want(err, simcloud.Capacity)
	})
	s.Test("CreateZone/CapacityInvalid", func(f *suite.Fixture) {
		spec := simcloud.ZoneSpec{Name: "zone-d", Region: "region-1", Capacity: map[simcloud.ID]int{"small": -1}}
		_, err := f.CreateZone(f.Ctx, spec)
		f.WantField(err, "capacity[small]")
		spec.Capacity = map[simcloud.ID]int{"huge": 1}
		_, err = f.CreateZone(f.Ctx, spec)
		f.WantField(err, "capacity[huge]")
	})
	s.Test("UpdateZone/OK", func(f *suite.Fixture) {
		capacity, labels := map[simcloud.ID]int{"small": 2}, map[string]string{"k": "v"}
		r := suite.Must[zoneResult](f)(f.UpdateZone(f.Ctx, "zone-a", simcloud.ZoneUpdate{Capacity: &capacity}))
		f.Done(r.Operation, "UpdateZone", simcloud.KindZone, "zone-a")
		r = suite.Must[zoneResult](f)(f.UpdateZone(f.Ctx, "zone-a", simcloud.ZoneUpdate{Labels: &labels}))
		f.Equal("capacity and labels", []any{r.Resource.Capacity, r.Resource.Labels}, []any{capacity, labels})
		f.Equal("as read", suite.Must[simcloud.Zone](f)(f.GetZone(f.Ctx, "zone-a")), r.Resource)
	})
	s.Test("UpdateZone/Invalid", func(f *suite.Fixture) {
		for id, n := range map[simcloud.ID]int{"small": -1, "huge": 1} {
			_, err := f.UpdateZone(f.Ctx, "zone-a", simcloud.ZoneUpdate{Capacity: &map[simcloud.ID]int{id: n}})
			f.WantField(err, "capacity["+string(id)+"]")
		}
		_, err := f.UpdateZone(f.Ctx, "zone-a", simcloud.ZoneUpdate{Labels: &map[string]string{"": ""}})
		f.WantField(err, "labels")
	})
	s.Test("DeleteInstanceType/Capacity", func(f *suite.Fixture) {
		capacity := map[simcloud.ID]int{"large": 1, "small": 2}
		suite.Must[zoneResult](f)(f.UpdateZone(f.Ctx, "zone-a", simcloud.ZoneUpdate{Capacity: &capacity}))
		suite.Drop(f)(f.DeleteInstanceType(f.Ctx, "large"))
		f.Equal("what is left", suite.Must[simcloud.Zone](f)(f.GetZone(f.Ctx, "zone-a")).Capacity, map[simcloud.ID]int{"small": 2})
	})
}

func testZoneCapacity(s suite.Runner) {
	s.Test("CreateInstance/ZoneFull", func(f *suite.Fixture) {
		limitZone(f, "zone-a", 2)
		first := f.In("zone-a")
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, first.ID))
		f.In("zone-a")
		_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a", Zone: "zone-a"})
		f.Want(err, simcloud.Capacity)
		f.WantResource(err, "zone/zone-a")
		f.InstanceOf(simcloud.InstanceSpec{Name: "a", Zone: "zone-a", Type: "medium"})
		suite.Drop(f)(f.DeleteInstance(f.Ctx, first.ID))
		f.In("zone-a")
	})
	s.Test("CreateInstance/FullZonesLoseTheirTurn", func(f *suite.Fixture) {
		limitZone(f, "zone-b", 0)
		var zones []simcloud.ID
		for range 4 {
			zones = append(zones, f.Instance("a").Zone)
		}
		f.Equal("zones", zones, []simcloud.ID{"zone-a", "zone-c", "zone-a", "zone-c"})
		limitZone(f, "zone-a", 0)
		limitZone(f, "zone-c", 2)
		_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a"})
		f.Want(err, simcloud.Capacity)
	})
	s.Test("RecreateInstance/ZoneFull", func(f *suite.Fixture) {
		id := f.In("zone-a").ID
		limitZone(f, "zone-a", 1)
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.Ctx, id))
	})
	s.Test("UpdateZone/BelowWhatIsThere", func(f *suite.Fixture) {
		id := f.In("zone-a").ID
		limitZone(f, "zone-a", 0)
		f.Equal("state", f.MustGetInstance(id).State, simcloud.InstanceRunning)
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, id))
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StartInstance(f.Ctx, id))
	})
}
