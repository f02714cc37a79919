package core

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// Where the public addresses of instances come from: ranges that are reserved
// for benchmarks (RFC 2544, RFC 5180), so that no packet finds a real host.
const (
	PublicCIDR   = "198.18.0.0/15"
	PublicCIDRv6 = "2001:2::/48"
)

// instancePool is the pool of PublicCIDR. A name with a slash, as all others
// have that are not floating IP pools, would be better: files have this one.
const instancePool = "instances"

// publicPools are those of the instances' public addresses. With an IPv6 address an instance
// has the whole network that it is the first of, as at Hetzner, where a client is told
// that network alone. The first network is left out: in files of before, all addresses are of it.
func publicPools() []pool {
	six := newPool(instancePool+"/v6", netip.MustParsePrefix(PublicCIDRv6))
	six.networks = true
	return []pool{newPool(instancePool, netip.MustParsePrefix(PublicCIDR)), six}
}

// publicPoolsFor returns those of the families of which an instance is to have a public address.
func publicPoolsFor(families []int) []pool {
	return slices.DeleteFunc(publicPools(), func(p pool) bool { return !slices.Contains(families, familyOf(p)) })
}

// familyOfText is the family of an address or a range.
func familyOfText(text string) int {
	if strings.Contains(text, ":") {
		return 6
	}
	return 4
}

// publicFamiliesFor are those of which a new instance has a public address: those that it asks for, or else those of its network.
func publicFamiliesFor(spec simcloud.InstanceSpec, network simcloud.Network) []int {
	if spec.NoPublicAddress || len(spec.PublicFamilies) > 0 {
		return spec.PublicFamilies
	}
	var families []int
	for _, cidr := range network.CIDRs {
		families = append(families, familyOfText(cidr))
	}
	return families
}

// familiesOfPublic are those of which an instance has a public address.
func familiesOfPublic(instance simcloud.Instance) []int {
	var families []int
	for _, a := range instance.Addresses {
		if family := familyOfText(a.Address); a.Scope == simcloud.ScopePublic && !slices.Contains(families, family) {
			families = append(families, family)
		}
	}
	return families
}

// addressesFor hands out the addresses of a new instance: of each family of
// its network a private one, of which one may be asked for, and of each of the given families a public one.
func (t *txn) addressesFor(instance simcloud.Instance, network simcloud.Network, wanted string, public []int) ([]simcloud.Address, error) {
	pools, err := t.privatePools(network, instance.Subnet)
	if err != nil {
		return nil, err
	}
	if wanted != "" && !slices.ContainsFunc(pools, func(p pool) bool { return has(p, wanted) }) {
		return nil, invalid(string(simcloud.KindInstance), "privateAddress",
			"%s cannot be allocated: must be an address of %s, and neither reserved nor of another subnet", wanted, rangesOf(pools))
	}
	addresses, err := t.takeAddresses([]simcloud.Address{}, instance.ID, simcloud.ScopePrivate, pools, wanted)
	if err != nil || len(public) == 0 {
		return addresses, err
	}
	return t.takeAddresses(addresses, instance.ID, simcloud.ScopePublic, publicPoolsFor(public))
}

// takeAddresses adds an address of each pool to those of an instance: the one that is wanted, if any is of the pool.
func (t *txn) takeAddresses(
	addresses []simcloud.Address, id simcloud.ID, scope simcloud.AddressScope, pools []pool, wanted ...string,
) ([]simcloud.Address, error) {
	taken, err := t.takeFrom(pools, wanted, store.Ref{Kind: simcloud.KindInstance, ID: id})
	if err != nil {
		return nil, err
	}
	for _, address := range taken {
		addresses = append(addresses, simcloud.Address{Scope: scope, Address: address})
	}
	return addresses, nil
}

// addressFor hands out one more address of an instance: a certain one when the
// spec has it, else the next of the family.
func (t *txn) addressFor(instance simcloud.Instance, spec simcloud.AddressSpec) (simcloud.Address, error) {
	address := simcloud.Address{Scope: spec.Scope}
	if spec.Network != instance.Network {
		address.Network = spec.Network
	}
	network, pools, err := t.furtherPools(instance, spec)
	if err != nil {
		return address, err
	}
	owner := store.Ref{Kind: simcloud.KindInstance, ID: instance.ID}
	i := slices.IndexFunc(pools, func(p pool) bool { return has(p, spec.Address) })
	if spec.Address != "" {
		if address.Address, err = t.claimFrom(pools, spec.Address, owner); err == nil {
			err = hasNot(instance, address.Address)
		}
	} else {
		family := orDefault(spec.Family, 4)
		i = slices.IndexFunc(pools, func(p pool) bool { return p.prefix.Addr().Is4() == (family == 4) })
		if i < 0 {
			return address, invalid(string(simcloud.KindInstance), "family", "the network %s (%v) has no IPv%d", network.ID, network.CIDRs, family)
		}
		address.Address, err = t.allocate(pools[i], owner)
	}
	if err == nil && address.Network != "" {
		address.Subnet = pools[i].subnet
	}
	return address, err
}

// furtherPools returns the network of one more address of an instance, and where it is from. A public address can be of either
// family: the ranges of a network say nothing of those.
func (t *txn) furtherPools(instance simcloud.Instance, spec simcloud.AddressSpec) (simcloud.Network, []pool, error) {
	id := cmp.Or(spec.Network, instance.Network)
	if !instance.AttachedTo(id) {
		return simcloud.Network{}, nil, invalid(string(simcloud.KindInstance), "network",
			"%s is not attached to %q: must be one of %v, or attach it first", instance.ID, id, instance.Networks())
	}
	network, err := store.Networks.Get(t.tx, id)
	if err != nil || spec.Scope == simcloud.ScopePublic {
		return network, publicPools(), err
	}
	subnet := instance.Subnet
	if id != instance.Network {
		i := slices.IndexFunc(instance.Addresses, func(a simcloud.Address) bool { return a.Network == id && a.Subnet != "" })
		if subnet = ""; i >= 0 {
			subnet = instance.Addresses[i].Subnet
		}
	}
	pools, err := t.privatePools(network, subnet)
	return network, pools, err
}

// hasNot answers AlreadyExists when an instance has an address, in whatever
// scope: a network may have the ranges of the public addresses.
func hasNot(instance simcloud.Instance, address string) error {
	if !slices.ContainsFunc(instance.Addresses, func(a simcloud.Address) bool { return a.Address == address }) {
		return nil
	}
	return simcloud.Errorf(simcloud.AlreadyExists, simcloud.Ref(simcloud.KindInstance, instance.ID), "it has the address %s", address)
}

// claimFrom hands out a certain address of the pools, in its one spelling.
func (t *txn) claimFrom(pools []pool, text string, owner store.Ref) (string, error) {
	addr, err := netip.ParseAddr(text)
	i := slices.IndexFunc(pools, func(p pool) bool { return p.usable(addr) })
	if err != nil || i < 0 {
		return "", invalid(string(owner.Kind), "address", "%s cannot be allocated: must be a free address of %s", text, rangesOf(pools))
	}
	return addr.String(), t.claim(pools[i], addr, owner)
}

// rangesOf describes the ranges of pools: "10.0.0.0/16 or fd00::/64".
func rangesOf(pools []pool) string {
	names := make([]string, len(pools))
	for i, p := range pools {
		names[i] = p.prefix.String()
	}
	return strings.Join(names, " or ")
}

// releaseAddress takes an address from an instance.
func (t *txn) releaseAddress(instance simcloud.Instance, address simcloud.Address) error {
	owner := store.Ref{Kind: simcloud.KindInstance, ID: instance.ID}
	if address.Scope == simcloud.ScopePublic {
		return t.releaseFrom(publicPools(), address.Address, owner)
	}
	return t.releasePrivate(cmp.Or(address.Network, instance.Network), address.Address, owner)
}
