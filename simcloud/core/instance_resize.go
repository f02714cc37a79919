package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// ResizeInstance gives a stopped instance another type. Capacity: its zone has
// no room for one more of that type.
func (c *Cloud) ResizeInstance(
	ctx context.Context, id simcloud.ID, resize simcloud.InstanceResize, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Instance], error) {
	call := call{verb: "ResizeInstance", ids: []simcloud.ID{id}, spec: resize, opts: simcloud.Options(opts)}
	return mutate(ctx, c, call, func(w *work) (instanceResult, error) {
		instance, err := take(w, store.Instances, id)
		if err != nil {
			return instanceResult{}, err
		}
		size, err := w.typeFor(resize.Type)
		if err != nil {
			return instanceResult{}, err
		}
		if size == instance.Type {
			return w.unchangedInstance(instance)
		}
		if instance.State != simcloud.InstanceStopped {
			return instanceResult{}, simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindInstance, id),
				"the instance is %s: stop it first", instance.State)
		}
		zone, err := store.Zones.Get(w.tx, instance.Zone)
		if err != nil {
			return instanceResult{}, err
		}
		if err := w.hasRoom(zone, size); err != nil {
			return instanceResult{}, err
		}
		instance.Type = size
		return w.pass(instance, instance.State, instance.State)
	})
}
