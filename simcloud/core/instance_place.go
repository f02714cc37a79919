package core

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// typeFor returns the type that a spec names, or else the first.
func (t *txn) typeFor(id simcloud.ID) (simcloud.ID, error) {
	if id != "" {
		if !store.InstanceTypes.Has(t.tx, id) {
			return "", invalid(string(simcloud.KindInstance), "type", "instance type %q not found%s", id, choices(t.tx, store.InstanceTypes))
		}
		return id, nil
	}
	first, ok, err := store.InstanceTypes.First(t.tx, store.Query{})
	if err == nil && !ok {
		err = invalid(string(simcloud.KindInstance), "type", "the cloud has no instance type: create one first")
	}
	return first.ID, err
}

// zoneFor returns the zone that takes another instance of a type: the one that
// a spec names, or else the next that can.
func (t *txn) zoneFor(id, size simcloud.ID) (simcloud.Zone, error) {
	if id == "" {
		return t.nextZone(size)
	}
	zone, err := t.zoneNamed(simcloud.KindInstance, id)
	if err != nil {
		return zone, err
	}
	return zone, t.hasRoom(zone, size)
}

// zoneNamed returns the zone that a spec of a kind names; Capacity when it is down.
func (t *txn) zoneNamed(kind simcloud.Kind, id simcloud.ID) (simcloud.Zone, error) {
	zone, err := store.Zones.Get(t.tx, id)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		err = invalid(string(kind), "zone", "zone %q not found%s", id, choices(t.tx, store.Zones))
	}
	if err != nil {
		return zone, err
	}
	return zone, t.isUp(zone)
}

// isUp answers Capacity for a zone that is down: nothing can be made or started there.
func (t *txn) isUp(zone simcloud.Zone) error {
	if zone.State != simcloud.ZoneDown || t.downTakes {
		return nil
	}
	return simcloud.Errorf(simcloud.Capacity, simcloud.Ref(simcloud.KindZone, zone.ID), "%s", downText(zone.ID))
}

// nextZone returns the zone whose turn it is among those that are available
// and have room; the others lose their turn.
func (t *txn) nextZone(size simcloud.ID) (simcloud.Zone, error) {
	var first simcloud.Zone
	for turn := store.ZoneTurn.Last(t.tx); ; turn++ {
		zone, ok, err := store.Zones.Nth(t.tx, store.Query{State: string(simcloud.ZoneAvailable)}, turn)
		switch {
		case err != nil:
			return zone, err
		case !ok:
			return zone, simcloud.Errorf(simcloud.Capacity, string(simcloud.KindInstance), "no zone is available")
		case zone.ID == first.ID:
			return zone, simcloud.Errorf(simcloud.Capacity, string(simcloud.KindInstance), "no zone that is available takes another %s", size)
		case first.ID == "":
			first = zone
		}
		if t.hasRoom(zone, size) == nil {
			return zone, store.ZoneTurn.Set(t.tx, turn+1)
		}
	}
}

// hasRoom answers Capacity when a zone takes no more instances of a type.
// Those that do not run count too.
func (t *txn) hasRoom(zone simcloud.Zone, size simcloud.ID) error {
	limit, limited := zone.Capacity[size]
	if !limited {
		return nil
	}
	there, err := t.tx.InstancesIn(zone.ID, size)
	if err != nil || there < limit {
		return err
	}
	return simcloud.Errorf(simcloud.Capacity, simcloud.Ref(simcloud.KindZone, zone.ID),
		"the zone takes %d instances of type %s and has %d", limit, size, there)
}
