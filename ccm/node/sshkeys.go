package node

import (
	"context"
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// KeyAPI is what is called of the cloud for SSH keys.
type KeyAPI interface {
	ListSSHKeys(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.SSHKey], error)
	CreateSSHKey(ctx context.Context, spec simcloud.SSHKeySpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.SSHKey], error)
	AttachSSHKey(ctx context.Context, id simcloud.ID, to simcloud.SSHKeyTargets, opts ...simcloud.CallOption) (simcloud.Result[simcloud.SSHKey], error)
}

// AddSSHKeyToAllInstances lets a key into all instances of the project. Its
// data is a line of an authorized_keys file; user becomes the key's name in the
// cloud, whose keys let in whoever an image says. A key that the project has is used.
func (i *InstancesV1) AddSSHKeyToAllInstances(ctx context.Context, user string, keyData []byte) error {
	spec := simcloud.SSHKeySpec{Name: user, PublicKey: strings.TrimSpace(string(keyData))}
	if spec.Fingerprint() == "" {
		return fmt.Errorf("the key of %s is malformed: must be <protocol> <blob>, as ssh-keygen writes it", user)
	}
	key, err := i.ensureKey(ctx, spec)
	if err != nil {
		return fmt.Errorf("add the key of %s to the project: %w", user, err)
	}
	if _, err := i.keys.AttachSSHKey(ctx, key, simcloud.SSHKeyTargets{All: true}); err != nil {
		return fmt.Errorf("add key %s to all instances: %w", key, err)
	}
	return nil
}

// ensureKey returns the id of the key with the spec's fingerprint.
func (i *InstancesV1) ensureKey(ctx context.Context, spec simcloud.SSHKeySpec) (simcloud.ID, error) {
	keys, err := simcloud.ListAll(ctx, i.keys.ListSSHKeys, simcloud.ListOptions{PageSize: simcloud.MaxPageSize})
	if err != nil {
		return "", err
	}
	for _, key := range keys {
		if key.Fingerprint == spec.Fingerprint() {
			return key.ID, nil
		}
	}
	made, err := i.keys.CreateSSHKey(ctx, spec, simcloud.IdempotencyKey("ssh-key-"+spec.Fingerprint()))
	return made.Resource.ID, err
}
