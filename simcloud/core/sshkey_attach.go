package core

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// AttachSSHKey adds a key to instances.
func (m mutations) AttachSSHKey(
	ctx context.Context, id simcloud.ID, to simcloud.SSHKeyTargets, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.SSHKey], error) {
	req := request{verb: "AttachSSHKey", ids: []simcloud.ID{id}, spec: to, opts: simcloud.Options(opts)}
	return m.changeKeys(ctx, req, to, func(keys []simcloud.ID) []simcloud.ID {
		if slices.Contains(keys, id) {
			return keys
		}
		return append(slices.Clone(keys), id)
	})
}

// DetachSSHKey takes a key from instances.
func (m mutations) DetachSSHKey(
	ctx context.Context, id simcloud.ID, from simcloud.SSHKeyTargets, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.SSHKey], error) {
	req := request{verb: "DetachSSHKey", ids: []simcloud.ID{id}, spec: from, opts: simcloud.Options(opts)}
	return m.changeKeys(ctx, req, from, func(keys []simcloud.ID) []simcloud.ID {
		return slices.DeleteFunc(slices.Clone(keys), func(key simcloud.ID) bool { return key == id })
	})
}

// changeKeys edits the keys of instances; the key itself stays as it is. The
// first id of the call is the key's.
func (m mutations) changeKeys(
	ctx context.Context, req request, targets simcloud.SSHKeyTargets, edit func([]simcloud.ID) []simcloud.ID,
) (sshKeyResult, error) {
	return mutate(ctx, m, req, func(t *txn) (sshKeyResult, error) {
		key, err := getForUpdate(t, store.SSHKeys, req.ids[0])
		if err != nil {
			return sshKeyResult{}, err
		}
		instances, err := t.keyTargets(targets)
		if err != nil {
			return sshKeyResult{}, err
		}
		changed := false
		for _, instance := range instances {
			changes, err := t.editKeys(instance, edit)
			if err != nil {
				return sshKeyResult{}, err
			}
			changed = changed || changes
		}
		finish := t.unchanged
		if changed {
			finish = t.done
		}
		op, err := finish(simcloud.KindSSHKey, key.ID)
		return sshKeyResult{Resource: key, Operation: op}, err
	})
}

// keyTargets returns the instances that are meant. All are those that are not about to go.
func (t *txn) keyTargets(targets simcloud.SSHKeyTargets) ([]simcloud.Instance, error) {
	if targets.All {
		query := store.Query{Project: t.caller.Project, Limit: math.MaxInt - 1}
		instances, _, err := store.Instances.Page(t.tx, query, func(instance *simcloud.Instance) bool {
			return instance.State != simcloud.InstanceTerminating
		})
		return instances, err
	}
	var instances []simcloud.Instance
	for i, id := range targets.Instances {
		instance, err := find(t.tx, store.Instances, t.caller.Project, id)
		if simcloud.CodeOf(err) == simcloud.NotFound {
			err = invalid(string(simcloud.KindSSHKey), fmt.Sprintf("instances[%d]", i), "instance %q not found", id)
		}
		if err != nil {
			return nil, err
		}
		instances = append(instances, instance)
	}
	return instances, nil
}

// editKeys changes the keys of one instance, if it is a change.
func (t *txn) editKeys(instance simcloud.Instance, edit func([]simcloud.ID) []simcloud.ID) (bool, error) {
	keys := edit(instance.SSHKeys)
	if slices.Equal(keys, instance.SSHKeys) {
		return false, nil
	}
	ref := simcloud.Ref(simcloud.KindInstance, instance.ID)
	if len(keys) > simcloud.MaxSSHKeys {
		return false, simcloud.Errorf(simcloud.Capacity, ref, "it has %d keys and takes no more", len(instance.SSHKeys))
	}
	if err := t.idle(ref, &instance.Meta); err != nil {
		return false, err
	}
	instance.SSHKeys = keys
	return true, store.Instances.Update(t.tx, t.now, &instance)
}
