package core

import (
	"context"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// ListSubnets lists subnets.
func (c *Cloud) ListSubnets(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Subnet], error) {
	return list(ctx, c, store.Subnets, opts, ofProject, []string{simcloud.NetworkAvailable})
}

// GetSubnet returns one subnet.
func (c *Cloud) GetSubnet(ctx context.Context, id simcloud.ID) (simcloud.Subnet, error) {
	return get(ctx, c, store.Subnets, id)
}

// CreateSubnet makes a subnet. From then on its addresses are for what is in
// the subnet; the network hands out the others.
func (m mutations) CreateSubnet(ctx context.Context, spec simcloud.SubnetSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Subnet], error) {
	req := request{verb: "CreateSubnet", spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (r simcloud.Result[simcloud.Subnet], err error) {
		network, err := t.networkFor(simcloud.KindSubnet, spec.Network)
		if err != nil {
			return r, err
		}
		if spec.Zone != "" && !store.Zones.Has(t.tx, spec.Zone) {
			return r, invalid(string(simcloud.KindSubnet), "zone", "zone %q not found%s", spec.Zone, choices(t.tx, store.Zones))
		}
		if err := t.clearOfRoutes(network.ID, spec.CIDR); err != nil {
			return r, err
		}
		if err := t.carve(network, spec.CIDR); err != nil {
			return r, err
		}
		subnet := simcloud.Subnet{Network: network.ID, CIDR: spec.CIDR, Zone: spec.Zone, State: simcloud.NetworkAvailable}
		if subnet.Meta, err = newMeta(t, store.Subnets, spec.Name, spec.Labels); err != nil {
			return r, err
		}
		return insert(t, store.Subnets, subnet)
	})
}

// carve takes the range of a new subnet out of its network.
func (t *txn) carve(network simcloud.Network, cidr string) error {
	part, err := netip.ParsePrefix(cidr)
	if err != nil {
		return err
	}
	ranges, subnets, err := t.networkPools(network)
	if err != nil {
		return err
	}
	around := slices.IndexFunc(ranges, func(p pool) bool {
		return p.prefix.Contains(part.Addr()) && p.prefix.Bits() <= part.Bits()
	})
	if around < 0 {
		return invalid(string(simcloud.KindSubnet), "cidr", "%s is outside of the network %s: must be a part of %s", part, network.ID, rangesOf(ranges))
	}
	for _, other := range subnets {
		if other.prefix.Overlaps(part) {
			return simcloud.Errorf(simcloud.Conflict, string(simcloud.KindSubnet), "%s overlaps the subnet %s (%s)", part, other.name, other.prefix)
		}
	}
	return t.cede(ranges[around], part, simcloud.KindSubnet)
}

// UpdateSubnet changes the name and the labels.
func (m mutations) UpdateSubnet(
	ctx context.Context, id simcloud.ID, update simcloud.SubnetUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Subnet], error) {
	req := request{verb: "UpdateSubnet", ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (r simcloud.Result[simcloud.Subnet], err error) {
		before, err := getForUpdate(t, store.Subnets, id)
		if err != nil {
			return r, err
		}
		after := before
		if err := rename(t, store.Subnets, &after.Meta, update.Name, update.Labels); err != nil {
			return r, err
		}
		return replace(t, store.Subnets, before, after)
	})
}

// DeleteSubnet removes a subnet that nothing is in, and gives its range back to the network.
func (m mutations) DeleteSubnet(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteSubnet", ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (simcloud.Operation, error) {
		subnet, err := getForUpdate(t, store.Subnets, id)
		if err != nil {
			return simcloud.Operation{}, err
		}
		op, err := removeUnused(t, store.Subnets, id)
		if err != nil {
			return op, err
		}
		return op, t.dissolve(subnet)
	})
}

// dissolve lets the network of a subnet that is gone hand out its addresses.
func (t *txn) dissolve(subnet simcloud.Subnet) error {
	part, err := netip.ParsePrefix(subnet.CIDR)
	if err != nil {
		return err
	}
	if err := t.forget(subnetPool(subnet.Network, subnet.ID, part)); err != nil {
		return err
	}
	network, err := store.Networks.Get(t.tx, subnet.Network)
	if err != nil {
		return err
	}
	ranges, _, err := t.networkPools(network)
	if err != nil {
		return err
	}
	for _, p := range ranges {
		if !p.prefix.Overlaps(part) {
			continue
		}
		if err := t.rewind(p); err != nil {
			return err
		}
	}
	return nil
}

// placeFor finds the network of a new instance, and its subnet if it is to be
// in one: the spec can name either, or ask for an address of the subnet.
func (t *txn) placeFor(spec simcloud.InstanceSpec) (network simcloud.Network, subnet simcloud.Subnet, err error) {
	if spec.Subnet == "" {
		if network, err = t.networkFor(simcloud.KindInstance, spec.Network); err != nil {
			return network, subnet, err
		}
		if spec.Subnet, err = t.subnetAround(network, spec.PrivateAddress); err != nil || spec.Subnet == "" {
			return network, subnet, err
		}
	}
	subnet, err = find(t.tx, store.Subnets, t.caller.Project, spec.Subnet)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		err = invalid(string(simcloud.KindInstance), "subnet", "subnet %q not found", spec.Subnet)
	}
	if err != nil {
		return network, subnet, err
	}
	if spec.Network != "" && spec.Network != subnet.Network {
		return network, subnet, invalid(string(simcloud.KindInstance), "subnet", "%s is a subnet of %s, not of %s", subnet.ID, subnet.Network, spec.Network)
	}
	if err := reaches(subnet, spec.Zone); err != nil {
		return network, subnet, err
	}
	network, err = t.networkFor(simcloud.KindInstance, subnet.Network)
	return network, subnet, err
}

// subnetAround is the subnet of a network that can hand out an address; empty when none can.
func (t *txn) subnetAround(network simcloud.Network, address string) (simcloud.ID, error) {
	if address == "" {
		return "", nil
	}
	_, subnets, err := t.networkPools(network)
	i := slices.IndexFunc(subnets, func(p pool) bool { return has(p, address) })
	if err != nil || i < 0 {
		return "", err
	}
	return subnets[i].subnet, nil
}

// reaches reports why no instance of a zone can be in a subnet; no zone is any that it can be in.
func reaches(subnet simcloud.Subnet, zone simcloud.ID) error {
	if subnet.Zone == "" || zone == "" || subnet.Zone == zone {
		return nil
	}
	return invalid(string(simcloud.KindInstance), "subnet", "%s is a subnet of %s: it takes no instance of %s", subnet.ID, subnet.Zone, zone)
}
