package core

import (
	"context"
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

type sshKeyResult = simcloud.Result[simcloud.SSHKey]

// ListSSHKeys lists SSH keys.
func (c *Cloud) ListSSHKeys(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.SSHKey], error) {
	return list(ctx, c, store.SSHKeys, opts, ofProject, noStates)
}

// GetSSHKey returns one SSH key.
func (c *Cloud) GetSSHKey(ctx context.Context, id simcloud.ID) (simcloud.SSHKey, error) {
	return get(ctx, c, store.SSHKeys, id)
}

// CreateSSHKey keeps a key.
func (m mutations) CreateSSHKey(ctx context.Context, spec simcloud.SSHKeySpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.SSHKey], error) {
	req := request{verb: "CreateSSHKey", spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (sshKeyResult, error) {
		key := simcloud.SSHKey{PublicKey: strings.TrimSpace(spec.PublicKey), Fingerprint: spec.Fingerprint()}
		if err := t.newFingerprint(key.Fingerprint); err != nil {
			return sshKeyResult{}, err
		}
		var err error
		if key.Meta, err = newMeta(t, store.SSHKeys, spec.Name, spec.Labels); err != nil {
			return sshKeyResult{}, err
		}
		return insert(t, store.SSHKeys, key)
	})
}

// newFingerprint answers AlreadyExists when the project has a key with the fingerprint.
func (t *txn) newFingerprint(fingerprint string) error {
	found, err := store.SSHKeys.Referring(t.tx, store.FingerprintRef(fingerprint)) // one of each project at most
	if err != nil {
		return err
	}
	for _, key := range found {
		if key.Project == t.caller.Project {
			return simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(simcloud.KindSSHKey, key.ID),
				"the project has the key %s as %q", fingerprint, key.Name)
		}
	}
	return nil
}

// UpdateSSHKey changes the name and the labels.
func (m mutations) UpdateSSHKey(
	ctx context.Context, id simcloud.ID, update simcloud.SSHKeyUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.SSHKey], error) {
	req := request{verb: "UpdateSSHKey", ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (sshKeyResult, error) {
		before, err := getForUpdate(t, store.SSHKeys, id)
		if err != nil {
			return sshKeyResult{}, err
		}
		after := before
		if err := rename(t, store.SSHKeys, &after.Meta, update.Name, update.Labels); err != nil {
			return sshKeyResult{}, err
		}
		return replace(t, store.SSHKeys, before, after)
	})
}

// DeleteSSHKey forgets a key that no instance has.
func (m mutations) DeleteSSHKey(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteSSHKey", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (simcloud.Operation, error) { return removeUnused(t, store.SSHKeys, id) })
}

// knownKeys answers Invalid when the project does not have all of the keys that a spec names.
func (t *txn) knownKeys(ids []simcloud.ID) error {
	for i, id := range ids {
		_, err := find(t.tx, store.SSHKeys, t.caller.Project, id)
		if simcloud.CodeOf(err) == simcloud.NotFound {
			err = invalid(string(simcloud.KindInstance), fmt.Sprintf("sshKeys[%d]", i), "SSH key %q not found", id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
