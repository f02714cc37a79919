// Package node finds the instances that Nodes are: it initialises Nodes, and
// says which of them have no machine any more.
package node

import (
	"context"
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/wait"
)

// API is what is called of the cloud for Nodes, and to know whose project it shows.
type API interface {
	InstanceAPI
	config.API
}

// InstanceAPI is what is called of the cloud to find instances.
type InstanceAPI interface {
	GetInstance(ctx context.Context, id simcloud.ID) (simcloud.Instance, error)
	ListInstances(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error)
}

// Clock is the time, which tests set and step.
type Clock struct {
	Now func() time.Time
	// Pause returns after d, or with the context's error when ctx is done.
	Pause func(ctx context.Context, d time.Duration) error
}

// SystemClock is a clock that is given the present, and pauses in real time.
func SystemClock(now func() time.Time) Clock { return Clock{Now: now, Pause: wait.Pause} }

// Instances implements cloudprovider.InstancesV2.
type Instances struct {
	lookups *lookups
	regions *providerid.Regions
	owner   config.Owner
	labels  string // prefix of the labels that Nodes get
	grace   time.Duration
	now     func() time.Time
}

var _ cloudprovider.InstancesV2 = (*Instances)(nil)

// New returns what Nodes are initialised and removed by.
func New(api API, cfg config.Config, nodes *Cache, regions *providerid.Regions, c Clock) *Instances {
	return &Instances{
		lookups: newLookups(api, cfg.InstanceListAge, c, nodes), regions: regions,
		owner:  config.Owner{API: api, Project: cfg.Project},
		labels: cfg.NodeLabelPrefix, grace: cfg.NodeGracePeriod, now: c.Now,
	}
}

// InstanceExists answers false only when the cloud itself says that there is
// no such instance, because the controller then deletes the Node at once.
func (i *Instances) InstanceExists(ctx context.Context, node *v1.Node) (bool, error) {
	_, err := i.Find(ctx, node)
	switch {
	case err == nil:
		return true, nil
	case !call.IsGone(err):
		return false, err
	default:
		return false, i.gone(ctx, node)
	}
}

// InstanceShutdown reports whether the instance is stopped. In any other state
// it runs, is on its way somewhere, or holds what it had: a suspended one keeps
// its memory and its volumes, so that nothing of its Node may be taken to be over.
func (i *Instances) InstanceShutdown(ctx context.Context, node *v1.Node) (bool, error) {
	inst, err := i.Find(ctx, node)
	if call.IsGone(err) {
		return false, call.InstanceGone()
	}
	return inst.State == simcloud.InstanceStopped, err
}

// InstanceMetadata describes the instance. It is never incomplete: the
// controller would untaint the Node and not come back.
func (i *Instances) InstanceMetadata(ctx context.Context, node *v1.Node) (*cloudprovider.InstanceMetadata, error) {
	inst, err := i.Find(ctx, node)
	switch {
	case call.IsGone(err):
		return nil, call.InstanceGone()
	case err != nil:
		return nil, err
	case len(inst.Addresses) == 0:
		return nil, fmt.Errorf("instance %s of node %s has no addresses yet", inst.ID, node.Name)
	}
	if err := initializes(inst, node); err != nil {
		return nil, err
	}
	return &cloudprovider.InstanceMetadata{
		ProviderID:       providerid.ID{Region: inst.Region, Instance: inst.ID}.String(),
		InstanceType:     string(inst.Type),
		NodeAddresses:    nodeAddresses(inst.Addresses),
		Zone:             string(inst.Zone),
		Region:           string(inst.Region),
		AdditionalLabels: additionalLabels(inst, i.labels),
	}, nil
}

// initializes is an error when a node must not get its provider id and labels,
// which no controller corrects later, from an instance.
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

// additionalLabels are the labels of an instance that its Node gets. What no
// label of Kubernetes can be is left out: with it the Node could not be
// initialised at all.
func additionalLabels(inst simcloud.Instance, prefix string) map[string]string {
	all := map[string]string{}
	for key, value := range inst.Labels {
		if !strings.HasPrefix(key, prefix) || prefix == "" {
			continue
		}
		if wrong := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(wrong) > 0 {
			klog.InfoS("A label of the instance cannot be one of its Node", "instance", inst.ID, "label", key, "value", value, "reason", wrong)
			continue
		}
		all[key] = value
	}
	if len(all) == 0 {
		return nil
	}
	return all
}
