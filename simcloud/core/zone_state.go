package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// SetZoneState puts a zone into a state, with all that follows from it.
func (m mutations) SetZoneState(
	ctx context.Context, id simcloud.ID, spec simcloud.ZoneStateSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Zone], error) {
	req := request{verb: "SetZoneState", admin: true, ids: []simcloud.ID{id}, spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (simcloud.Result[simcloud.Zone], error) {
		before, err := getForUpdate(t, store.Zones, id)
		if err != nil {
			return simcloud.Result[simcloud.Zone]{}, err
		}
		after := before
		after.State = spec.State
		return replace(t, store.Zones, before, after, t.observeZone, t.refreshRegionOf)
	})
}

// downText is what the cloud says of what a zone that is down has.
func downText(zone simcloud.ID) string { return "zone " + string(zone) + " is down" }

// observe notes on an instance whether it can be reached in its zone. What
// does not run by itself is not missed.
func observe(instance *simcloud.Instance, zone simcloud.Zone) {
	switch {
	case isUnreachable(*instance, zone):
		instance.Unreachable, instance.StatusText = true, downText(zone.ID)
	case instance.Unreachable:
		instance.Unreachable, instance.StatusText = false, ""
	}
}

func isUnreachable(instance simcloud.Instance, zone simcloud.Zone) bool {
	switch instance.State {
	case simcloud.InstanceStopped, simcloud.InstanceSuspended, simcloud.InstanceError:
		return false
	default:
		return zone.State == simcloud.ZoneDown
	}
}

// observeZone lets the instances of a zone know how it is. No operation on
// them stands in its way: the current fails all the same.
func (t *txn) observeZone(zone simcloud.Zone) error {
	instances, err := store.Instances.Referring(t.tx, store.Ref{Kind: simcloud.KindZone, ID: zone.ID})
	if err != nil {
		return err
	}
	var changed []simcloud.Instance
	for _, instance := range instances {
		was := instance.Unreachable
		if observe(&instance, zone); instance.Unreachable == was {
			continue
		}
		if err := store.Instances.Update(t.tx, t.now, &instance); err != nil {
			return err
		}
		changed = append(changed, instance)
	}
	return t.refreshTargets(changed...)
}

// refreshRegionOf derives the state of a zone's region again.
func (t *txn) refreshRegionOf(zone simcloud.Zone) error {
	region, err := store.Regions.Get(t.tx, zone.Region)
	if err != nil {
		return err
	}
	zones, err := store.Zones.Referring(t.tx, store.Ref{Kind: simcloud.KindRegion, ID: region.ID})
	if err != nil {
		return err
	}
	state := regionState(zones)
	if state == region.State {
		return nil
	}
	region.State = state
	return store.Regions.Update(t.tx, t.now, &region)
}

// regionState is the state of a region that has these zones.
func regionState(zones []simcloud.Zone) simcloud.ZoneState {
	var down, available int
	for _, zone := range zones {
		switch zone.State {
		case simcloud.ZoneDown:
			down++
		case simcloud.ZoneAvailable:
			available++
		default:
		}
	}
	switch len(zones) {
	case available:
		return simcloud.ZoneAvailable
	case down:
		return simcloud.ZoneDown
	default:
		return simcloud.ZoneDegraded
	}
}
