package core

import (
	"context"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

var rebuilding = transition{
	from: []simcloud.InstanceState{
		simcloud.InstanceRunning, simcloud.InstanceStopped, simcloud.InstanceSuspended, simcloud.InstanceError,
	},
	during: simcloud.InstanceRebuilding, to: simcloud.InstanceRunning, again: true,
}

// RebuildInstance makes the machine of an instance anew.
func (c *Cloud) RebuildInstance(
	ctx context.Context, id simcloud.ID, rebuild simcloud.InstanceRebuild, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Instance], error) {
	call := call{verb: "RebuildInstance", ids: []simcloud.ID{id}, spec: rebuild, opts: simcloud.Options(opts)}
	return mutate(ctx, c, call, func(w *work) (instanceResult, error) {
		instance, err := take(w, store.Instances, id)
		if err != nil {
			return instanceResult{}, err
		}
		if _, err := rebuilding.decide(instance); err != nil {
			return instanceResult{}, err
		}
		if rebuild.UserData != nil {
			instance.UserData = *rebuild.UserData
		}
		if rebuild.SSHKeys != nil {
			instance.SSHKeys = slices.Clone(*rebuild.SSHKeys)
			if err := w.knownKeys(instance.SSHKeys); err != nil {
				return instanceResult{}, err
			}
		}
		return w.transit(instance, rebuilding)
	})
}
