package core

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// attachmentPools returns where a resource, which is attached to some networks, has the addresses of one more from: one
// pool for each family, of which one has the address that the spec asks for. Path leads to the spec in the request.
func (t *txn) attachmentPools(ref store.Ref, attached []simcloud.ID, spec simcloud.NetworkAttachment, path string) ([]pool, error) {
	network, err := find(t.tx, store.Networks, t.caller.Project, spec.Network)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return nil, invalid(string(ref.Kind), path+"network", "network %q not found", spec.Network)
	}
	if err != nil {
		return nil, err
	}
	if slices.Contains(attached, network.ID) {
		return nil, simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(ref.Kind, ref.ID), "it is attached to the network %s", network.ID)
	}
	pools, err := t.privatePools(network, spec.Subnet)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return nil, invalid(string(ref.Kind), path+"subnet", "subnet %q not found in the network %s", spec.Subnet, network.ID)
	}
	if err != nil || spec.Address == "" || slices.ContainsFunc(pools, func(p pool) bool { return has(p, spec.Address) }) {
		return pools, err
	}
	_, subnets, err := t.networkPools(network)
	if err != nil {
		return nil, err
	}
	around := slices.IndexFunc(subnets, func(p pool) bool { return has(p, spec.Address) })
	if around < 0 || spec.Subnet != "" {
		return nil, invalid(string(ref.Kind), path+"address", "%s cannot be allocated: must be an address of %s", spec.Address, rangesOf(pools))
	}
	for i, p := range pools {
		if p.prefix.Overlaps(subnets[around].prefix) {
			pools[i] = subnets[around]
		}
	}
	return pools, nil
}

// takeFrom hands out an address of each pool: the one that is wanted, if any is of that pool, or else the next.
func (t *txn) takeFrom(pools []pool, wanted []string, owner store.Ref) ([]string, error) {
	addresses := make([]string, len(pools))
	for n, p := range pools {
		var err error
		if i := slices.IndexFunc(wanted, func(text string) bool { return has(p, text) }); i >= 0 {
			addresses[n], err = t.claimFrom(pools, wanted[i], owner)
		} else {
			addresses[n], err = t.allocate(p, owner)
		}
		if err != nil {
			return nil, err
		}
	}
	return addresses, nil
}
