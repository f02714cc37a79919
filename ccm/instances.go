package ccm

import (
	"context"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/simcloud-dev/simcloud/simcloud"
)

type instanceAPI interface {
	GetInstance(ctx context.Context, id simcloud.ID) (simcloud.Instance, error)
	ListInstances(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error)
}

// instances implements cloudprovider.InstancesV2.
type instances struct {
	api     instanceAPI
	regions *regions
	grace   time.Duration
	now     func() time.Time
}

// InstanceExists answers false only when the cloud itself says that there is
// no such instance, because the controller then deletes the Node at once.
func (i *instances) InstanceExists(ctx context.Context, node *v1.Node) (bool, error) {
	_, err := i.find(ctx, node)
	switch {
	case err == nil:
		return true, nil
	case !isGone(err):
		return false, err
	case i.tooYoung(node):
		return false, fmt.Errorf("the instance of node %s is not to be seen: kept for %s after its creation, because it may still appear", node.Name, i.grace)
	default:
		return false, nil
	}
}

// tooYoung reports whether the node was never initialised and is so new that
// the cloud may not show its instance yet. The controllers have no such grace.
func (i *instances) tooYoung(node *v1.Node) bool {
	uninitialized := node.Spec.ProviderID == "" || slices.ContainsFunc(node.Spec.Taints, func(t v1.Taint) bool {
		return t.Key == cloudproviderapi.TaintExternalCloudProvider
	})
	return uninitialized && i.now().Sub(node.CreationTimestamp.Time) < i.grace
}

// InstanceShutdown reports whether the instance is stopped. In any other state
// it runs, is on its way somewhere, or holds what it had: a suspended one keeps
// its memory and its volumes, so that nothing of its Node may be taken to be over.
func (i *instances) InstanceShutdown(ctx context.Context, node *v1.Node) (bool, error) {
	inst, err := i.find(ctx, node)
	if isGone(err) {
		return false, instanceGone()
	}
	return inst.State == simcloud.InstanceStopped, err
}

// InstanceMetadata describes the instance. It is never incomplete: the
// controller would untaint the Node and not come back.
func (i *instances) InstanceMetadata(ctx context.Context, node *v1.Node) (*cloudprovider.InstanceMetadata, error) {
	inst, err := i.find(ctx, node)
	switch {
	case isGone(err):
		return nil, instanceGone()
	case err != nil:
		return nil, err
	case len(inst.Addresses) == 0:
		return nil, fmt.Errorf("instance %s of node %s has no addresses yet", inst.ID, node.Name)
	}
	return &cloudprovider.InstanceMetadata{
		ProviderID:    ProviderID{Region: inst.Region, Instance: inst.ID}.String(),
		InstanceType:  string(inst.Type),
		NodeAddresses: nodeAddresses(inst.Addresses),
		Zone:          string(inst.Zone),
		Region:        string(inst.Region),
	}, nil
}

// nodeAddresses keeps the cloud's order. The kubelet's own Hostname address stays because none is given here.
func nodeAddresses(addresses []simcloud.Address) []v1.NodeAddress {
	types := map[simcloud.AddressScope]v1.NodeAddressType{
		simcloud.ScopePrivate: v1.NodeInternalIP,
		simcloud.ScopePublic:  v1.NodeExternalIP,
	}
	var all []v1.NodeAddress
	for _, scope := range []simcloud.AddressScope{simcloud.ScopePrivate, simcloud.ScopePublic} {
		for _, a := range addresses {
			if a.Scope == scope {
				all = append(all, v1.NodeAddress{Type: types[scope], Address: a.Address})
			}
		}
	}
	return all
}
