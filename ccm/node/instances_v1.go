package node

import (
	"context"
	"fmt"
	"os"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// InstancesV1 implements cloudprovider.Instances, and cloudprovider.Zones in
// zones.go, which the controllers use when InstancesV2 is not there. They ask by
// name or provider id; the Node itself, which decides what an answer may be, is
// the one that the informer shows. Of one that it does not show nothing is gone.
type InstancesV1 struct {
	*Instances
	nodes *Cache
	keys  KeyAPI
	// Hostname is the name of the machine that the provider runs on.
	Hostname func() (string, error)
}

// NewV1 returns what took care of Nodes before InstancesV2.
func NewV1(instances *Instances, nodes *Cache, keys KeyAPI) *InstancesV1 {
	return &InstancesV1{Instances: instances, nodes: nodes, keys: keys, Hostname: os.Hostname}
}

// NodeAddresses returns the addresses of the instance that a Node is. The
// controllers ask by name after an error by provider id: a Node that has one is
// still looked for by nothing else.
func (i *InstancesV1) NodeAddresses(ctx context.Context, name types.NodeName) ([]v1.NodeAddress, error) {
	return i.addresses(ctx, i.nodes.Get(string(name)))
}

// NodeAddressesByProviderID returns the addresses of an instance.
func (i *InstancesV1) NodeAddressesByProviderID(ctx context.Context, providerID string) ([]v1.NodeAddress, error) {
	node, err := i.byProviderID(providerID)
	if err != nil {
		return nil, err
	}
	return i.addresses(ctx, node)
}

func (i *InstancesV1) addresses(ctx context.Context, node *v1.Node) ([]v1.NodeAddress, error) {
	metadata, err := i.InstanceMetadata(ctx, node)
	if err != nil {
		return nil, err
	}
	return metadata.NodeAddresses, nil
}

// InstanceID returns what follows the scheme in a provider id: <region>/<instance id>.
// InstanceNotFound deletes the Node, so that a new Node is given time here, too.
func (i *InstancesV1) InstanceID(ctx context.Context, name types.NodeName) (string, error) {
	node := i.nodes.Get(string(name))
	inst, err := i.Find(ctx, node)
	switch {
	case err == nil:
		return string(inst.Region) + "/" + string(inst.ID), initializes(inst, node)
	case !call.IsGone(err):
		return "", err
	}
	if err := i.gone(ctx, node); err != nil {
		return "", err
	}
	return "", call.InstanceGone()
}

// InstanceType returns the type of the instance that a Node is.
func (i *InstancesV1) InstanceType(ctx context.Context, name types.NodeName) (string, error) {
	return i.instanceType(ctx, i.nodes.Get(string(name)))
}

// InstanceTypeByProviderID returns the type of an instance.
func (i *InstancesV1) InstanceTypeByProviderID(ctx context.Context, providerID string) (string, error) {
	node, err := i.byProviderID(providerID)
	if err != nil {
		return "", err
	}
	return i.instanceType(ctx, node)
}

func (i *InstancesV1) instanceType(ctx context.Context, node *v1.Node) (string, error) {
	inst, err := i.described(ctx, node)
	return string(inst.Type), err
}

// InstanceExistsByProviderID answers false only when the cloud itself says that
// there is no such instance, and a Node has its id. Of a Node that has none yet
// upstream asks by the id that InstanceID answered a moment ago; the Node may be
// that of a successor, which the next InstanceID tells.
func (i *InstancesV1) InstanceExistsByProviderID(ctx context.Context, providerID string) (bool, error) {
	node, err := i.byProviderID(providerID)
	if err != nil {
		return false, err
	}
	return i.InstanceExists(ctx, node)
}

// InstanceShutdownByProviderID reports whether the instance is stopped.
func (i *InstancesV1) InstanceShutdownByProviderID(ctx context.Context, providerID string) (bool, error) {
	node, err := i.byProviderID(providerID)
	if err != nil {
		return false, err
	}
	return i.InstanceShutdown(ctx, node)
}

// CurrentNodeName returns the host's name: Nodes are called as their hosts are.
func (i *InstancesV1) CurrentNodeName(_ context.Context, hostname string) (types.NodeName, error) {
	if hostname == "" {
		return "", fmt.Errorf("the name of the host is empty: give the name of a Node")
	}
	return types.NodeName(hostname), nil
}

// byProviderID returns the Node of a provider id, which must not be empty: by
// its name alone any instance might be meant.
func (i *InstancesV1) byProviderID(providerID string) (*v1.Node, error) {
	if providerID == "" {
		return nil, fmt.Errorf("the provider id is empty: must be %s://<region>/<instance id>", providerid.Scheme)
	}
	return i.nodes.byProviderID(providerID), nil
}

// described is the instance of a node, or the error that controllers know for none.
func (i *InstancesV1) described(ctx context.Context, node *v1.Node) (simcloud.Instance, error) {
	inst, err := i.Find(ctx, node)
	switch {
	case call.IsGone(err):
		return inst, call.InstanceGone()
	case err != nil:
		return inst, err
	}
	return inst, initializes(inst, node)
}

var (
	_ cloudprovider.Instances = (*InstancesV1)(nil)
	_ cloudprovider.Zones     = (*InstancesV1)(nil)
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
