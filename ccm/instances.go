package ccm

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// nodeAPI is what is called of the cloud for Nodes, and to know whose project it shows.
type nodeAPI interface {
	instanceAPI
	startAPI
}

// instanceAPI is what is called of the cloud to find instances.
type instanceAPI interface {
	GetInstance(ctx context.Context, id simcloud.ID) (simcloud.Instance, error)
	ListInstances(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error)
}

// clock is the time, which tests set and step.
type clock struct {
	Now func() time.Time
	// Pause returns after d, or with the context's error when ctx is done.
	Pause func(ctx context.Context, d time.Duration) error
}

// systemClock is a clock of which only the present is somebody else's.
func systemClock(now func() time.Time) clock { return clock{Now: now, Pause: pause} }

// instances implements cloudprovider.InstancesV2.
type instances struct {
	lookups *lookups
	regions *regions
	owner   owner
	labels  string // prefix of the labels that Nodes get
	grace   time.Duration
	now     func() time.Time
}

var _ cloudprovider.InstancesV2 = (*instances)(nil)

// newInstances returns what Nodes are initialised and removed by.
func newInstances(api nodeAPI, cfg Config, nodes *nodeCache, regions *regions, c clock) *instances {
	return &instances{
		lookups: newLookups(api, cfg.InstanceListAge, c, nodes), regions: regions,
		owner:  owner{API: api, Project: cfg.Project},
		labels: cfg.NodeLabelPrefix, grace: cfg.NodeGracePeriod, now: c.Now,
	}
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
	default:
		return false, i.gone(ctx, node)
	}
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
	if err := initializes(inst, node); err != nil {
		return nil, err
	}
	return &cloudprovider.InstanceMetadata{
		ProviderID:       ProviderID{Region: inst.Region, Instance: inst.ID}.String(),
		InstanceType:     string(inst.Type),
		NodeAddresses:    nodeAddresses(inst.Addresses),
		Zone:             string(inst.Zone),
		Region:           string(inst.Region),
		AdditionalLabels: additionalLabels(inst, i.labels),
	}, nil
}

// initializes is an error when a node must not get its provider id and labels,
// which nobody corrects later, from an instance.
func initializes(inst simcloud.Instance, node *v1.Node) error {
	switch {
	case node.Spec.ProviderID == "" && inst.State == simcloud.InstanceTerminating:
		return fmt.Errorf("instance %s, which has the name of node %s, is being deleted: one that takes its place may still appear", inst.ID, node.Name)
	case inst.Type == "" || inst.Zone == "" || inst.Region == "":
		return fmt.Errorf("instance %s of node %s has the type %q, the zone %q and the region %q: all are needed", inst.ID, node.Name, inst.Type, inst.Zone, inst.Region)
	}
	return nil
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
