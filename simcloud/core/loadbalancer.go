package core

import (
	"context"
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

var loadBalancerStates = []simcloud.LoadBalancerState{
	simcloud.LoadBalancerProvisioning, simcloud.LoadBalancerActive, simcloud.LoadBalancerUpdating,
	simcloud.LoadBalancerError, simcloud.LoadBalancerDeleting,
}

type loadBalancerResult = simcloud.Result[simcloud.LoadBalancer]

// ListLoadBalancers lists load balancers.
func (c *Cloud) ListLoadBalancers(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.LoadBalancer], error) {
	return list(ctx, c, store.LoadBalancers, opts, ofProject, loadBalancerStates)
}

// GetLoadBalancer returns one load balancer.
func (c *Cloud) GetLoadBalancer(ctx context.Context, id simcloud.ID) (simcloud.LoadBalancer, error) {
	return get(ctx, c, store.LoadBalancers, id)
}

// CreateLoadBalancer makes a load balancer. An internal one has a VIP of each
// family of its network, of its choice or the caller's; a public one has those
// of the families that the spec names, and of the floating IPs that are attached to it.
// With placements it has those in each of them.
func (m mutations) CreateLoadBalancer(
	ctx context.Context, spec simcloud.LoadBalancerSpec, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.LoadBalancer], error) {
	req := request{verb: "CreateLoadBalancer", spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (loadBalancerResult, error) {
		lb, err := t.newLoadBalancer(spec)
		if err != nil {
			return loadBalancerResult{}, err
		}
		op, err := t.start(simcloud.KindLoadBalancer, lb.ID, true)
		if err != nil {
			return loadBalancerResult{}, err
		}
		effects := settleInto(&lb, op, simcloud.LoadBalancerProvisioning)
		if err := store.LoadBalancers.Insert(t.tx, t.now, &lb); err != nil {
			return loadBalancerResult{}, err
		}
		return loadBalancerResult{Resource: lb, Operation: op}, t.record(&op, effects...)
	})
}

// UpdateLoadBalancer changes what a load balancer has apart from listeners and targets.
func (m mutations) UpdateLoadBalancer(
	ctx context.Context, id simcloud.ID, update simcloud.LoadBalancerUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.LoadBalancer], error) {
	req := request{verb: "UpdateLoadBalancer", ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return m.changeLoadBalancer(ctx, req, func(t *txn, lb *simcloud.LoadBalancer) error {
		if err := rename(t, store.LoadBalancers, &lb.Meta, update.Name, update.Labels); err != nil {
			return err
		}
		protect(&lb.Meta, update.Protected)
		if update.Algorithm != nil {
			lb.Algorithm = *update.Algorithm
		}
		if update.Affinity != nil {
			lb.Affinity = *update.Affinity
		}
		if err := setPublic(lb, update.PublicDisabled); err != nil {
			return err
		}
		if err := t.reclass(lb, update); err != nil {
			return err
		}
		if update.SecurityGroups != nil {
			groups, err := t.groupsFor(simcloud.KindLoadBalancer, lb.Network, *update.SecurityGroups)
			if err != nil {
				return err
			}
			lb.SecurityGroups = groups
		}
		if update.Options != nil {
			lb.Options = copyLabels(*update.Options)
		}
		if err := t.replacePlacements(lb, update.Placements); err != nil {
			return err
		}
		return setPTRs(simcloud.KindLoadBalancer, update.PTRs, vipPTR(lb))
	})
}

// changeLoadBalancer is the frame of all mutations of a load balancer that is
// there: edit decides what it becomes. The first id of the call is the load balancer's.
func (m mutations) changeLoadBalancer(
	ctx context.Context, req request, edit func(*txn, *simcloud.LoadBalancer) error,
) (loadBalancerResult, error) {
	return mutate(ctx, m, req, func(t *txn) (loadBalancerResult, error) {
		before, err := t.balancerForChange(req.ids[0])
		if err != nil {
			return loadBalancerResult{}, err
		}
		if err := mutable(before); err != nil {
			return loadBalancerResult{}, err
		}
		lb := copyLoadBalancer(before)
		if err := edit(t, &lb); err != nil {
			return loadBalancerResult{}, err
		}
		if same(before, lb) {
			op, err := t.unchanged(simcloud.KindLoadBalancer, lb.ID)
			return loadBalancerResult{Resource: lb, Operation: op}, err
		}
		if err := t.assignGroups(lb.ID, before.Listeners, lb.Listeners); err != nil {
			return loadBalancerResult{}, err
		}
		return t.reconfigure(lb)
	})
}

// balancerForChange is getForUpdate, which a load balancer that is busy passes where the cloud takes such changes.
func (t *txn) balancerForChange(id simcloud.ID) (simcloud.LoadBalancer, error) {
	lb, err := getForUpdate(t, store.LoadBalancers, id)
	if simcloud.CodeOf(err) != simcloud.Locked || !t.changesWhileBusy(simcloud.KindLoadBalancer) {
		return lb, err
	}
	if lb.State == simcloud.LoadBalancerDeleting {
		return lb, err
	}
	return lb, t.expects(simcloud.Ref(simcloud.KindLoadBalancer, id), &lb.Meta)
}

// copyLoadBalancer copies what edits change in place.
func copyLoadBalancer(lb simcloud.LoadBalancer) simcloud.LoadBalancer {
	lb.VIPs = append([]simcloud.VIP{}, lb.VIPs...)
	lb.Listeners = append([]simcloud.Listener{}, lb.Listeners...)
	lb.Targets = append([]simcloud.Target{}, lb.Targets...)
	return lb
}

// newLoadBalancer makes what a spec asks for.
func (t *txn) newLoadBalancer(spec simcloud.LoadBalancerSpec) (simcloud.LoadBalancer, error) {
	lb := simcloud.LoadBalancer{
		Scheme: spec.Scheme, Algorithm: spec.Algorithm, Affinity: spec.Affinity,
		VIPs: []simcloud.VIP{}, Listeners: []simcloud.Listener{}, Targets: []simcloud.Target{},
		PublicDisabled: spec.PublicDisabled, Options: copyLabels(spec.Options),
	}
	if lb.Scheme == "" {
		lb.Scheme = simcloud.SchemePublic
	}
	if lb.Algorithm == "" {
		lb.Algorithm = simcloud.RoundRobin
	}
	class, err := t.classFor(spec.Class)
	if err != nil {
		return lb, err
	}
	t.limit(&lb, class, spec.MaxTargets, spec.MaxListeners)
	network, err := t.networkFor(simcloud.KindLoadBalancer, spec.Network)
	if err != nil {
		return lb, err
	}
	lb.Network = network.ID
	if lb.SecurityGroups, err = t.groupsFor(simcloud.KindLoadBalancer, network.ID, spec.SecurityGroups); err != nil {
		return lb, err
	}
	for i, listener := range spec.Listeners {
		if err := t.knownDocuments(fmt.Sprintf("listeners[%d].", i), listener.Documents); err != nil {
			return lb, err
		}
		made := newListener(listener)
		if err := t.groupFits(lb, made, fmt.Sprintf("listeners[%d].", i)); err != nil {
			return lb, err
		}
		if err := addListener(&lb, made); err != nil {
			return lb, err
		}
	}
	if lb.Meta, err = newMeta(t, store.LoadBalancers, spec.Name, spec.Labels); err != nil {
		return lb, err
	}
	lb.Protected = spec.Protected
	lb.Hostname = hostnameOf(lb.ID, spec.Hostname)
	if lb.VIPs, err = t.firstVIPs(lb, network, spec); err != nil {
		return lb, err
	}
	if err := t.attachNetworks(&lb, spec.Networks); err != nil {
		return lb, err
	}
	if err := t.useReservation(&lb, spec.Reservation); err != nil {
		return lb, err
	}
	if err := t.addTargets(&lb, spec.Targets); err != nil {
		return lb, err
	}
	return lb, t.assignGroups(lb.ID, nil, lb.Listeners)
}

// hostnameOf is the DNS name of a load balancer whose spec has a name.
func hostnameOf(id simcloud.ID, name string) string {
	_, number, _ := strings.Cut(string(id), "-")
	return strings.ReplaceAll(name, simcloud.HostnameNumber, number)
}

// settleInto makes a load balancer active, or while the operation runs what it
// is until then, and returns what is left to do.
func settleInto(lb *simcloud.LoadBalancer, op simcloud.Operation, during simcloud.LoadBalancerState) []store.Effect {
	if !running(op) {
		lb.State = simcloud.LoadBalancerActive
		return nil
	}
	lb.State, lb.Operation = during, op.ID
	return []store.Effect{{
		Ref: store.Ref{Kind: simcloud.KindLoadBalancer, ID: lb.ID}, State: string(simcloud.LoadBalancerActive),
	}}
}

// applyLoadBalancer ends an operation on a load balancer; "" means that it is gone.
func (t *txn) applyLoadBalancer(effect store.Effect) error {
	lb, err := store.LoadBalancers.Get(t.tx, effect.ID)
	if err != nil {
		return err
	}
	if effect.State == "" {
		return t.buryLoadBalancer(lb)
	}
	if effect.LoadBalancer != nil {
		if err := t.takeBack(&lb, *effect.LoadBalancer); err != nil {
			return err
		}
	}
	lb.State, lb.Operation = simcloud.LoadBalancerState(effect.State), ""
	if lb.State == simcloud.LoadBalancerError {
		lb.StatusText = brokenText
	}
	return store.LoadBalancers.Update(t.tx, t.now, &lb)
}
