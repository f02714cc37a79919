package ccm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

type loadBalancerAPI interface {
	ListLoadBalancers(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.LoadBalancer], error)
	GetLoadBalancer(ctx context.Context, id simcloud.ID) (simcloud.LoadBalancer, error)
	CreateLoadBalancer(ctx context.Context, spec simcloud.LoadBalancerSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error)
	UpdateLoadBalancer(ctx context.Context, id simcloud.ID, update simcloud.LoadBalancerUpdate, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error)
	DeleteLoadBalancer(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error)
	CreateListener(ctx context.Context, lb simcloud.ID, spec simcloud.ListenerSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error)
	UpdateListener(ctx context.Context, lb, listener simcloud.ID, config simcloud.ListenerConfig, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error)
	DeleteListener(ctx context.Context, lb, listener simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error)
	CreateTarget(ctx context.Context, lb simcloud.ID, spec simcloud.TargetSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error)
	DeleteTarget(ctx context.Context, lb, instance simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.LoadBalancer], error)

	ListFloatingIPs(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.FloatingIP], error)
	GetFloatingIP(ctx context.Context, id simcloud.ID) (simcloud.FloatingIP, error)
	CreateFloatingIP(ctx context.Context, spec simcloud.FloatingIPSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.FloatingIP], error)
	AttachFloatingIP(ctx context.Context, id simcloud.ID, to simcloud.Attachment, opts ...simcloud.CallOption) (simcloud.Result[simcloud.FloatingIP], error)
	DetachFloatingIP(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Result[simcloud.FloatingIP], error)
	DeleteFloatingIP(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error)
}

// loadBalancers implements cloudprovider.LoadBalancer.
type loadBalancers struct {
	api     loadBalancerAPI
	config  Config
	regions *regions
	events  *events

	newBalancer   creator[simcloud.LoadBalancerSpec, simcloud.LoadBalancer]
	newFloatingIP creator[simcloud.FloatingIPSpec, simcloud.FloatingIP]
}

func newLoadBalancers(api loadBalancerAPI, cfg Config, regions *regions, events *events, now func() time.Time) *loadBalancers {
	return &loadBalancers{
		api: api, config: cfg, regions: regions, events: events,
		newBalancer: creator[simcloud.LoadBalancerSpec, simcloud.LoadBalancer]{
			kind: simcloud.KindLoadBalancer, now: now,
			create: api.CreateLoadBalancer, get: api.GetLoadBalancer, meta: (*simcloud.LoadBalancer).GetMeta,
			// A second one is never made, so that any is the one.
			made: func(simcloud.LoadBalancerSpec, simcloud.LoadBalancer) bool { return true },
		},
		newFloatingIP: creator[simcloud.FloatingIPSpec, simcloud.FloatingIP]{
			kind: simcloud.KindFloatingIP, now: now,
			create: api.CreateFloatingIP, get: api.GetFloatingIP, meta: (*simcloud.FloatingIP).GetMeta,
			// One is made beside others only for an address that none of them has.
			made: func(spec simcloud.FloatingIPSpec, ip simcloud.FloatingIP) bool {
				return spec.Address == "" || spec.Address == ip.Address
			},
		},
	}
}

// GetLoadBalancerName returns the name that the load balancer of a Service has in the cloud.
func (l *loadBalancers) GetLoadBalancerName(_ context.Context, _ string, svc *v1.Service) string {
	return loadBalancerName(svc)
}

// GetLoadBalancer reports that there is one while anything at all is left that
// was made for the Service, a floating IP too, or may still appear: on false the
// controller drops its finalizer without another call.
func (l *loadBalancers) GetLoadBalancer(ctx context.Context, _ string, svc *v1.Service) (*v1.LoadBalancerStatus, bool, error) {
	inv, err := l.inventory(ctx, svc.UID)
	if err != nil {
		return nil, false, err
	}
	if len(inv.balancers) == 0 && len(inv.floatingIPs) == 0 && l.overdue(svc.UID, inv) == nil {
		return nil, false, nil
	}
	status := &v1.LoadBalancerStatus{}
	if len(inv.balancers) == 1 {
		status = statusOf(addressesOf(inv.balancers[0], inv.floatingIPs), v1.LoadBalancerIPModeVIP)
	}
	return status, true, nil
}

// EnsureLoadBalancer makes the load balancer of a Service what it is to be and
// returns its addresses. It can begin again from wherever it was interrupted,
// and writes nothing when nothing differs.
func (l *loadBalancers) EnsureLoadBalancer(ctx context.Context, cluster string, svc *v1.Service, nodes []*v1.Node) (*v1.LoadBalancerStatus, error) {
	want, err := l.desire(ctx, cluster, svc, nodes)
	if err != nil {
		return nil, err
	}
	status, err := l.ensure(ctx, svc, want)
	if err != nil {
		l.tellRefusal(svc, err)
		return nil, retryLater(err)
	}
	return status, nil
}

// UpdateLoadBalancer makes the targets of a Service's load balancer those that
// the nodes are. Without a load balancer it is an error: the controller then
// asks whether there still has to be one.
func (l *loadBalancers) UpdateLoadBalancer(ctx context.Context, cluster string, svc *v1.Service, nodes []*v1.Node) error {
	want, err := l.desire(ctx, cluster, svc, nodes)
	if err != nil {
		return err
	}
	inv, err := l.inventory(ctx, svc.UID)
	if err != nil {
		return err
	}
	lb, err := only(inv.balancers, svc)
	if err != nil {
		return err
	}
	_, err = l.converge(ctx, svc, lb, func(lb simcloud.LoadBalancer) ([]step, error) {
		targets := planTargets(lb, want, svc.UID)
		return slices.Concat(targets.add, targets.remove), nil
	})
	return retryLater(err)
}

// EnsureLoadBalancerDeleted removes all that was made for a Service: its load
// balancer, then its floating IPs. It is an error while more may still appear.
func (l *loadBalancers) EnsureLoadBalancerDeleted(ctx context.Context, _ string, svc *v1.Service) error {
	inv, err := l.inventory(ctx, svc.UID)
	if err != nil {
		return err
	}
	for _, lb := range inv.balancers {
		if err := l.delete(ctx, lb); err != nil {
			return err
		}
	}
	for _, ip := range inv.floatingIPs {
		if err := l.release(ctx, ip, inv.balancers, detached); err != nil {
			return err
		}
	}
	return l.overdue(svc.UID, inv)
}

// overdue is an error while a create for the Service that the inventory does
// not show may still take effect.
func (l *loadBalancers) overdue(uid types.UID, inv inventory) error {
	l.newBalancer.settle(uid, inv.balancers)
	l.newFloatingIP.settle(uid, inv.floatingIPs)
	return errors.Join(l.newBalancer.overdue(uid), l.newFloatingIP.overdue(uid))
}

// only returns the one load balancer of a Service. Two mean that somebody else
// has labelled one so: which may be changed or deleted is not to be guessed.
func only(found []simcloud.LoadBalancer, svc *v1.Service) (simcloud.LoadBalancer, error) {
	switch len(found) {
	case 0:
		return simcloud.LoadBalancer{}, simcloud.Errorf(simcloud.NotFound, string(simcloud.KindLoadBalancer),
			"none has the label %s", serviceSelector(svc.UID))
	case 1:
		return found[0], nil
	default:
		return simcloud.LoadBalancer{}, fmt.Errorf("%d load balancers (%s, %s, ...) have the label %s: remove it from all but one",
			len(found), found[0].ID, found[1].ID, serviceSelector(svc.UID))
	}
}
