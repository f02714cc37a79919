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

// RebuildInstance reinstalls the machine of an instance.
func (m mutations) RebuildInstance(
	ctx context.Context, id simcloud.ID, rebuild simcloud.InstanceRebuild, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Instance], error) {
	req := request{verb: "RebuildInstance", ids: []simcloud.ID{id}, spec: rebuild, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (instanceResult, error) {
		instance, err := getForUpdate(t, store.Instances, id)
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
			if err := t.knownKeys(instance.SSHKeys); err != nil {
				return instanceResult{}, err
			}
		}
		return t.transit(instance, rebuilding)
	})
}
