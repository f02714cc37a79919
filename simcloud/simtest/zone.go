package simtest

import (
	"errors"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

type zoneResult = simcloud.Result[simcloud.Zone]

// limitZone lets a zone take so many small instances.
func limitZone(f *fixture, id simcloud.ID, n int) {
	f.Helper()
	update := simcloud.ZoneUpdate{Capacity: &map[simcloud.ID]int{"small": n}}
	must[zoneResult](f)(f.UpdateZone(f.ctx, id, update))
}

// wantDown fails the test unless err is Capacity and says that zone-b is down.
func wantDown(f *fixture, err error) {
	f.Helper()
	const zone = "zone-b"
	f.want(err, simcloud.Capacity)
	f.wantResource(err, "zone/"+zone)
	var e *simcloud.Error
	if errors.As(err, &e) && !strings.Contains(e.Message, "zone "+zone+" is down") {
		f.Errorf("%q does not say that %s is down", e.Message, zone)
	}
}

func testZoneUpdate(s suite) {
	s.run("CreateZone/Capacity", func(f *fixture) {
		spec := simcloud.ZoneSpec{Name: "zone-d", Region: "region-1", Capacity: map[simcloud.ID]int{"small": 1, "large": 0}}
		zone := must[zoneResult](f)(f.CreateZone(f.ctx, spec)).Resource
		f.equal("capacity", zone.Capacity, spec.Capacity)
		f.in("zone-d")
		_, err := f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a", Zone: "zone-d", Type: "large"})
		f.want(err, simcloud.Capacity)
	})
	s.run("CreateZone/CapacityInvalid", func(f *fixture) {
		spec := simcloud.ZoneSpec{Name: "zone-d", Region: "region-1", Capacity: map[simcloud.ID]int{"small": -1}}
		_, err := f.CreateZone(f.ctx, spec)
		f.wantField(err, "capacity[small]")
		spec.Capacity = map[simcloud.ID]int{"huge": 1}
		_, err = f.CreateZone(f.ctx, spec)
		f.wantField(err, "capacity[huge]")
	})
	s.run("UpdateZone/OK", func(f *fixture) {
		capacity, labels := map[simcloud.ID]int{"small": 2}, map[string]string{"k": "v"}
		r := must[zoneResult](f)(f.UpdateZone(f.ctx, "zone-a", simcloud.ZoneUpdate{Capacity: &capacity}))
		f.done(r.Operation, "UpdateZone", simcloud.KindZone, "zone-a")
		r = must[zoneResult](f)(f.UpdateZone(f.ctx, "zone-a", simcloud.ZoneUpdate{Labels: &labels}))
		f.equal("capacity and labels", []any{r.Resource.Capacity, r.Resource.Labels}, []any{capacity, labels})
		f.equal("as read", must[simcloud.Zone](f)(f.GetZone(f.ctx, "zone-a")), r.Resource)
	})
	s.run("UpdateZone/Invalid", func(f *fixture) {
		for id, n := range map[simcloud.ID]int{"small": -1, "huge": 1} {
			_, err := f.UpdateZone(f.ctx, "zone-a", simcloud.ZoneUpdate{Capacity: &map[simcloud.ID]int{id: n}})
			f.wantField(err, "capacity["+string(id)+"]")
		}
		_, err := f.UpdateZone(f.ctx, "zone-a", simcloud.ZoneUpdate{Labels: &map[string]string{"": ""}})
		f.wantField(err, "labels")
	})
	s.run("DeleteInstanceType/Capacity", func(f *fixture) {
		capacity := map[simcloud.ID]int{"large": 1, "small": 2}
		must[zoneResult](f)(f.UpdateZone(f.ctx, "zone-a", simcloud.ZoneUpdate{Capacity: &capacity}))
		drop(f)(f.DeleteInstanceType(f.ctx, "large"))
		f.equal("what is left", must[simcloud.Zone](f)(f.GetZone(f.ctx, "zone-a")).Capacity, map[simcloud.ID]int{"small": 2})
	})
}

func testZoneCapacity(s suite) {
	s.run("CreateInstance/ZoneFull", func(f *fixture) {
		limitZone(f, "zone-a", 2)
		first := f.in("zone-a")
		must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, first.ID))
		f.in("zone-a")
		_, err := f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a", Zone: "zone-a"})
		f.want(err, simcloud.Capacity)
		f.wantResource(err, "zone/zone-a")
		f.instanceOf(simcloud.InstanceSpec{Name: "a", Zone: "zone-a", Type: "medium"})
		drop(f)(f.DeleteInstance(f.ctx, first.ID))
		f.in("zone-a")
	})
	s.run("CreateInstance/FullZonesLoseTheirTurn", func(f *fixture) {
		limitZone(f, "zone-b", 0)
		var zones []simcloud.ID
		for range 4 {
			zones = append(zones, f.instance("a").Zone)
		}
		f.equal("zones", zones, []simcloud.ID{"zone-a", "zone-c", "zone-a", "zone-c"})
		limitZone(f, "zone-a", 0)
		limitZone(f, "zone-c", 2)
		_, err := f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"})
		f.want(err, simcloud.Capacity)
	})
	s.run("RecreateInstance/ZoneFull", func(f *fixture) {
		id := f.in("zone-a").ID
		limitZone(f, "zone-a", 1)
		must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.ctx, id))
	})
	s.run("UpdateZone/BelowWhatIsThere", func(f *fixture) {
		id := f.in("zone-a").ID
		limitZone(f, "zone-a", 0)
		f.equal("state", f.getInstance(id).State, simcloud.InstanceRunning)
		must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, id))
		must[simcloud.Result[simcloud.Instance]](f)(f.StartInstance(f.ctx, id))
	})
}
