package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// ResizeInstance gives a stopped instance another type. Capacity: its zone has
// no room for one more of that type.
func (m mutations) ResizeInstance(
	ctx context.Context, id simcloud.ID, resize simcloud.InstanceResize, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Instance], error) {
	req := request{verb: "ResizeInstance", ids: []simcloud.ID{id}, spec: resize, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (instanceResult, error) {
		instance, err := getForUpdate(t, store.Instances, id)
		if err != nil {
			return instanceResult{}, err
		}
		size, err := t.typeFor(resize.Type)
		if err != nil {
			return instanceResult{}, err
		}
		if size == instance.Type {
			return t.unchangedInstance(instance)
		}
		if instance.State != simcloud.InstanceStopped {
			return instanceResult{}, simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindInstance, id),
				"the instance is %s: stop it first", instance.State)
		}
		zone, err := store.Zones.Get(t.tx, instance.Zone)
		if err != nil {
			return instanceResult{}, err
		}
		if err := t.hasRoom(zone, size); err != nil {
			return instanceResult{}, err
		}
		instance.Type = size
		return t.pass(instance, instance.State, instance.State)
	})
}
