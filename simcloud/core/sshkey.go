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
func (c *Cloud) CreateSSHKey(ctx context.Context, spec simcloud.SSHKeySpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.SSHKey], error) {
	call := call{verb: "CreateSSHKey", spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, c, call, func(w *work) (sshKeyResult, error) {
		key := simcloud.SSHKey{PublicKey: strings.TrimSpace(spec.PublicKey), Fingerprint: spec.Fingerprint()}
		if err := w.newFingerprint(key.Fingerprint); err != nil {
			return sshKeyResult{}, err
		}
		var err error
		if key.Meta, err = create(w, store.SSHKeys, spec.Name, spec.Labels); err != nil {
			return sshKeyResult{}, err
		}
		return insert(w, store.SSHKeys, key)
	})
}

// newFingerprint answers AlreadyExists when the project has a key with the fingerprint.
func (w *work) newFingerprint(fingerprint string) error {
	found, err := store.SSHKeys.Referring(w.tx, store.FingerprintRef(fingerprint)) // one of each project at most
	if err != nil {
		return err
	}
	for _, key := range found {
		if key.Project == w.caller.Project {
			return simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(simcloud.KindSSHKey, key.ID),
				"the project has the key %s as %q", fingerprint, key.Name)
		}
	}
	return nil
}

// UpdateSSHKey changes the name and the labels.
func (c *Cloud) UpdateSSHKey(
	ctx context.Context, id simcloud.ID, update simcloud.SSHKeyUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.SSHKey], error) {
	call := call{verb: "UpdateSSHKey", ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return mutate(ctx, c, call, func(w *work) (sshKeyResult, error) {
		before, err := take(w, store.SSHKeys, id)
		if err != nil {
			return sshKeyResult{}, err
		}
		after := before
		rename(&after.Meta, update.Name, update.Labels)
		return replace(w, store.SSHKeys, before, after)
	})
}

// DeleteSSHKey forgets a key that no instance has.
func (c *Cloud) DeleteSSHKey(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	call := call{verb: "DeleteSSHKey", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, c, call, func(w *work) (simcloud.Operation, error) { return removeUnused(w, store.SSHKeys, id) })
}

// knownKeys answers Invalid when the project does not have all of the keys that a spec names.
func (w *work) knownKeys(ids []simcloud.ID) error {
	for i, id := range ids {
		_, err := find(w.tx, store.SSHKeys, w.caller.Project, id)
		if simcloud.CodeOf(err) == simcloud.NotFound {
			err = invalid(string(simcloud.KindInstance), fmt.Sprintf("sshKeys[%d]", i), "there is no SSH key %q", id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
