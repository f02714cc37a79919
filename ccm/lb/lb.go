// Package lb serves Services of type LoadBalancer. ensure.go is the page to
// begin with. What the cloud is to look like is computed without a call
// (desired*.go), the way there is a list of steps (plan*.go), and only then is
// anything done (apply.go). place.go says which load balancer serves a Service:
// its own, one that Services of the cluster share, or one of another client.
package lb

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// API is what is called of the cloud for Services.
type API interface {
	ListLoadBalancers(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.LoadBalancer], error)
	GetLoadBalancer(ctx context.Context, id simcloud.ID) (simcloud.LoadBalancer, error)
	CreateLoadBalancer(ctx context.Context, spec simcloud.LoadBalancerSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error)
	UpdateLoadBalancer(ctx context.Context, id simcloud.ID, update simcloud.LoadBalancerUpdate, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error)
	FailoverLoadBalancer(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error)
	DeleteLoadBalancer(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error)
	CreateListener(ctx context.Context, lb simcloud.ID, spec simcloud.ListenerSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error)
	UpdateListener(ctx context.Context, lb, listener simcloud.ID, config simcloud.ListenerConfig, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error)
	DeleteListener(ctx context.Context, lb, listener simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error)
	CreateTarget(ctx context.Context, lb simcloud.ID, spec simcloud.TargetSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error)
	DeleteTarget(ctx context.Context, lb, instance simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error)

	ListFloatingIPs(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.FloatingIP], error)
	GetFloatingIP(ctx context.Context, id simcloud.ID) (simcloud.FloatingIP, error)
	CreateFloatingIP(ctx context.Context, spec simcloud.FloatingIPSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.FloatingIP], error)
	UpdateFloatingIP(ctx context.Context, id simcloud.ID, update simcloud.FloatingIPUpdate, opts ...simcloud.CallOption) (simcloud.Result[simcloud.FloatingIP], error)
	AttachFloatingIP(ctx context.Context, id simcloud.ID, to simcloud.Attachment, opts ...simcloud.CallOption) (simcloud.Result[simcloud.FloatingIP], error)
	DetachFloatingIP(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.FloatingIP], error)
	DeleteFloatingIP(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error)
	ListFloatingIPPools(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.FloatingIPPool], error)
}

// Balancers implements cloudprovider.LoadBalancer.
type Balancers struct {
	api      API
	config   config.Config
	deps     Deps
	inFlight inFlightChanges
	started  time.Time // when this process began

	newBalancer   call.Creator[simcloud.LoadBalancerSpec, simcloud.LoadBalancer]
	newFloatingIP call.Creator[simcloud.FloatingIPSpec, simcloud.FloatingIP]
	claims        claims
}

var _ cloudprovider.LoadBalancer = (*Balancers)(nil)

// Deps are what load balancers need beside the cloud and its config.
type Deps struct {
	Regions  *providerid.Regions
	Services *Services
	Events   *Events
	// Turns are what makes calls on one Service, or in one place, wait for each other.
	Turns *call.Turns
	Now   func() time.Time
}

// New returns what serves the Services of type LoadBalancer.
func New(api API, cfg config.Config, deps Deps) *Balancers {
	now := deps.Now
	return &Balancers{
		api: api, config: cfg, deps: deps, started: now(),
		claims: claims{now: now},
		newBalancer: call.Creator[simcloud.LoadBalancerSpec, simcloud.LoadBalancer]{
			Kind: simcloud.KindLoadBalancer, Now: now,
			Create: api.CreateLoadBalancer, Get: api.GetLoadBalancer, Meta: (*simcloud.LoadBalancer).GetMeta,
			// A second one is never made, so that any is the one.
			Made: func(simcloud.LoadBalancerSpec, simcloud.LoadBalancer) bool { return true },
		},
		newFloatingIP: call.Creator[simcloud.FloatingIPSpec, simcloud.FloatingIP]{
			Kind: simcloud.KindFloatingIP, Now: now,
			Create: api.CreateFloatingIP, Get: api.GetFloatingIP, Meta: (*simcloud.FloatingIP).GetMeta,
			Made: madeFloatingIP,
		},
	}
}

// GetLoadBalancerName returns the name that the load balancer of a Service has in the cloud.
func (l *Balancers) GetLoadBalancerName(_ context.Context, _ string, svc *v1.Service) string {
	return loadBalancerName(svc)
}

// GetLoadBalancer reports that there is one while anything at all is left that
// was made for the Service, a floating IP too, or may still appear: on false the
// controller drops its finalizer without another call.
func (l *Balancers) GetLoadBalancer(ctx context.Context, cluster string, svc *v1.Service) (*v1.LoadBalancerStatus, bool, error) {
	own, err := l.inventory(ctx, svc.UID)
	if err != nil {
		return nil, false, err
	}
	missed := l.deps.Turns.HasMissed(svc.UID)
	switch {
	case len(own.balancers) == 1:
		return statusOf(addressesOf(own.balancers[0], own.floatingIPs, familiesOf(svc)), v1.LoadBalancerIPModeVIP), true, nil
	case len(own.balancers) > 0 || len(own.floatingIPs) > 0 || missed || l.overdue(svc.UID, own) != nil:
		return &v1.LoadBalancerStatus{}, true, nil
	}
	return l.getJoined(ctx, cluster, svc)
}

// getJoined is GetLoadBalancer for a Service that has nothing of its own.
func (l *Balancers) getJoined(ctx context.Context, cluster string, svc *v1.Service) (*v1.LoadBalancerStatus, bool, error) {
	all, err := l.joined(ctx, svc.UID)
	if err != nil {
		return nil, false, err
	}
	if len(all) > 0 {
		return statusOf(addressesOf(all[0], floatingIPsOf(all[0]), familiesOf(svc)), v1.LoadBalancerIPModeVIP), true, nil
	}
	left, err := l.shareLeftovers(ctx, svc, cluster)
	if err != nil {
		return nil, false, err
	}
	if len(left) > 0 || l.pendingCreateError(svc.UID, "", nil) != nil || l.unknown(svc) != nil {
		return &v1.LoadBalancerStatus{}, true, nil
	}
	return nil, false, nil
}

// only returns the one load balancer of a Service. Two mean that another
// client has labelled one so: which may be changed or deleted is not to be guessed.
func only(found []simcloud.LoadBalancer, svc *v1.Service) (simcloud.LoadBalancer, error) {
	switch len(found) {
	case 0:
		return simcloud.LoadBalancer{}, simcloud.Errorf(simcloud.NotFound, string(simcloud.KindLoadBalancer),
			"none has the label %s", label.Selector(svc.UID))
	case 1:
		return found[0], nil
	default:
		return simcloud.LoadBalancer{}, fmt.Errorf("%d load balancers (%s, %s, ...) have the label %s: remove it from all but one",
			len(found), found[0].ID, found[1].ID, label.Selector(svc.UID))
	}
}

// usable reports whether the load balancer can be changed and its addresses can be told.
func usable(lb simcloud.LoadBalancer) error {
	ref := simcloud.Ref(simcloud.KindLoadBalancer, lb.ID)
	switch lb.State {
	case simcloud.LoadBalancerActive:
		return nil
	case simcloud.LoadBalancerProvisioning, simcloud.LoadBalancerUpdating, simcloud.LoadBalancerDeleting:
		return call.NotReady("%s is %s", ref, lb.State)
	default:
		return fmt.Errorf("%s is in state %s: %s", ref, lb.State, lb.StatusText)
	}
}

func (l *Balancers) get(ctx context.Context, id simcloud.ID) (simcloud.LoadBalancer, error) {
	lb, err := l.api.GetLoadBalancer(ctx, id)
	if err != nil {
		return lb, fmt.Errorf("read load balancer %s: %w", id, err)
	}
	return lb, nil
}
