package core

import (
	"context"
	"fmt"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// AttachInstanceNetwork gives an instance addresses of one more network.
func (m mutations) AttachInstanceNetwork(
	ctx context.Context, id simcloud.ID, to simcloud.NetworkAttachment, opts ...simcloud.CallOption,
) (instanceResult, error) {
	req := request{verb: "AttachInstanceNetwork", ids: []simcloud.ID{id}, spec: to, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (instanceResult, error) {
		before, err := getForUpdate(t, store.Instances, id)
		if err != nil {
			return instanceResult{}, err
		}
		after := before
		after.Addresses = slices.Clone(before.Addresses)
		if err := t.join(&after, to, ""); err != nil {
			return instanceResult{}, err
		}
		return replace(t, store.Instances, before, after)
	})
}

// DetachInstanceNetwork takes the addresses of a network from an instance.
func (m mutations) DetachInstanceNetwork(
	ctx context.Context, id, network simcloud.ID, opts ...simcloud.CallOption,
) (instanceResult, error) {
	req := request{verb: "DetachInstanceNetwork", ids: []simcloud.ID{id, network}, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (instanceResult, error) {
		before, err := getForUpdate(t, store.Instances, id)
		if err != nil {
			return instanceResult{}, err
		}
		ref := simcloud.Ref(simcloud.KindInstance, id)
		switch {
		case network == before.Network:
			return instanceResult{}, simcloud.Errorf(simcloud.Conflict, ref, "it was created in the network %s, which stays attached", network)
		case !before.AttachedTo(network):
			return instanceResult{}, simcloud.Errorf(simcloud.NotFound, ref, "it is not attached to the network %q", network)
		}
		after := before
		after.Addresses = slices.DeleteFunc(slices.Clone(before.Addresses), func(a simcloud.Address) bool { return a.Network == network })
		return replace(t, store.Instances, before, after, func(simcloud.Instance) error { return t.leave(before, network) })
	})
}

func (t *txn) joinAll(instance *simcloud.Instance, specs []simcloud.NetworkAttachment) error {
	for i, spec := range specs {
		if err := t.join(instance, spec, fmt.Sprintf("networks[%d].", i)); err != nil {
			return err
		}
	}
	return nil
}

// join adds the addresses of a network; path leads to the spec in the request.
func (t *txn) join(instance *simcloud.Instance, spec simcloud.NetworkAttachment, path string) error {
	ref := store.Ref{Kind: simcloud.KindInstance, ID: instance.ID}
	pools, err := t.attachmentPools(ref, instance.Networks(), spec, path)
	if err != nil {
		return err
	}
	if err := t.apart(*instance, spec.Network); err != nil {
		return err
	}
	for _, p := range pools {
		if err := t.reachesSubnet(p.subnet, instance.Zone, path); err != nil {
			return err
		}
	}
	addresses, err := t.takeFrom(pools, []string{spec.Address}, ref)
	if err != nil {
		return err
	}
	for i, p := range pools {
		if err := hasNot(*instance, addresses[i]); err != nil {
			return err
		}
		instance.Addresses = append(instance.Addresses, simcloud.Address{
			Scope: simcloud.ScopePrivate, Address: addresses[i], Network: spec.Network, Subnet: p.subnet,
		})
	}
	return nil
}

// apart answers Conflict when a network overlaps one that an instance is in: no packet would know which it is for.
func (t *txn) apart(instance simcloud.Instance, id simcloud.ID) error {
	network, err := store.Networks.Get(t.tx, id)
	if err != nil {
		return err
	}
	for _, other := range instance.Networks() {
		has, err := store.Networks.Get(t.tx, other)
		if err != nil {
			return err
		}
		for _, cidr := range has.CIDRs {
			if slices.ContainsFunc(network.CIDRs, func(c string) bool { return overlap(c, cidr) }) {
				return simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindInstance, instance.ID),
					"%s %v overlaps its network %s %v", id, network.CIDRs, other, has.CIDRs)
			}
		}
	}
	return nil
}

// reachesSubnet answers Invalid when a subnet, if any, is of another zone alone.
func (t *txn) reachesSubnet(id, zone simcloud.ID, path string) error {
	if id == "" {
		return nil
	}
	subnet, err := store.Subnets.Get(t.tx, id)
	if err != nil || subnet.Zone == "" || subnet.Zone == zone {
		return err
	}
	return invalid(string(simcloud.KindInstance), path+"subnet", "%s is a subnet of %s: it takes no instance of %s", id, subnet.Zone, zone)
}

// leave frees the addresses that an instance had of a network, and drops it from the load
// balancers that have reached it there and nowhere else.
func (t *txn) leave(before simcloud.Instance, network simcloud.ID) error {
	for _, address := range before.Addresses {
		if address.Network != network {
			continue
		}
		if err := t.releaseAddress(before, address); err != nil {
			return err
		}
	}
	var failure error
	err := t.editReferring(store.Ref{Kind: simcloud.KindInstance, ID: before.ID}, func(lb *simcloud.LoadBalancer) {
		if err := t.dropUnreachable(lb); err != nil {
			failure = err
		}
	})
	if failure != nil {
		return failure
	}
	return err
}

// attachments are those of an instance, for another one that takes its place: any address of the same subnets.
func attachments(instance simcloud.Instance) []simcloud.NetworkAttachment {
	var all []simcloud.NetworkAttachment
	for _, network := range instance.Networks()[1:] {
		to := simcloud.NetworkAttachment{Network: network}
		for _, a := range instance.Addresses {
			if a.Network == network && to.Subnet == "" {
				to.Subnet = a.Subnet
			}
		}
		all = append(all, to)
	}
	return all
}

// subnetsOf are the subnets that an instance has addresses of, each once.
func subnetsOf(instance simcloud.Instance) []simcloud.ID {
	var all []simcloud.ID
	if instance.Subnet != "" {
		all = append(all, instance.Subnet)
	}
	for _, a := range instance.Addresses {
		if a.Subnet != "" && !slices.Contains(all, a.Subnet) {
			all = append(all, a.Subnet)
		}
	}
	return all
}
