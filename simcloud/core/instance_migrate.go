package core

import (
	"context"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// movable are the states in which an instance can go to another zone.
var movable = []simcloud.InstanceState{simcloud.InstanceRunning, simcloud.InstanceStopped, simcloud.InstanceSuspended}

// MigrateInstance moves an instance to another zone, also out of one that is
// down. From the start on it has its place there. Capacity: that zone is down or full.
func (m mutations) MigrateInstance(
	ctx context.Context, id simcloud.ID, migration simcloud.InstanceMigration, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Instance], error) {
	req := request{verb: "MigrateInstance", ids: []simcloud.ID{id}, spec: migration, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (instanceResult, error) {
		instance, err := getForUpdate(t, store.Instances, id)
		if err != nil {
			return instanceResult{}, err
		}
		if migration.Zone == instance.Zone {
			return t.unchangedInstance(instance)
		}
		if err := t.canMove(instance, migration.Zone); err != nil {
			return instanceResult{}, err
		}
		instance.Zone = migration.Zone
		return t.pass(instance, simcloud.InstanceMigrating, instance.State)
	})
}

// canMove says why an instance cannot go to a zone.
func (t *txn) canMove(instance simcloud.Instance, to simcloud.ID) error {
	zone, err := t.zoneNamed(simcloud.KindInstance, to)
	switch {
	case zone.ID != "" && zone.Region != instance.Region:
		return invalid(string(simcloud.KindInstance), "zone", "%s is in %s: must be a zone of %s", to, zone.Region, instance.Region)
	case err != nil:
		return err
	}
	ref := simcloud.Ref(simcloud.KindInstance, instance.ID)
	if !slices.Contains(movable, instance.State) {
		return simcloud.Errorf(simcloud.Conflict, ref, "the instance is %s, in which it cannot migrate", instance.State)
	}
	if len(instance.Volumes) > 0 {
		return simcloud.Errorf(simcloud.Conflict, ref, "it has volumes %v, which stay in %s: detach them first", instance.Volumes, instance.Zone)
	}
	if err := t.leavesSubnet(instance, to); err != nil {
		return err
	}
	return t.hasRoom(zone, instance.Type)
}

// leavesSubnet answers Conflict when a subnet of an instance does not reach to a zone.
func (t *txn) leavesSubnet(instance simcloud.Instance, zone simcloud.ID) error {
	for _, id := range subnetsOf(instance) {
		subnet, err := store.Subnets.Get(t.tx, id)
		if err != nil {
			return err
		}
		if subnet.Zone != "" && subnet.Zone != zone {
			return simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindInstance, instance.ID),
				"it is in %s, which is a subnet of %s alone", subnet.ID, subnet.Zone)
		}
	}
	return nil
}
