package neutron

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// subnet is a subnet of the cloud, a range of a network that has no subnets, or the range of a pool of floating IPs.
type subnet struct {
	standard
	Name              string           `json:"name"`
	NetworkID         string           `json:"network_id"`
	CIDR              string           `json:"cidr"`
	IPVersion         int              `json:"ip_version"`
	GatewayIP         string           `json:"gateway_ip"`
	EnableDHCP        bool             `json:"enable_dhcp"`
	AllocationPools   []allocationPool `json:"allocation_pools"`
	DNSNameservers    []string         `json:"dns_nameservers"`
	DNSPublishFixedIP bool             `json:"dns_publish_fixed_ip"`
	HostRoutes        []extraRoute     `json:"host_routes"`
	ServiceTypes      []string         `json:"service_types"`
	IPv6AddressMode   *string          `json:"ipv6_address_mode"`
	IPv6RAMode        *string          `json:"ipv6_ra_mode"`
	SubnetPoolID      *string          `json:"subnetpool_id"`
	SegmentID         *string          `json:"segment_id"`
}

// allocationPool is a range of addresses that are handed out.
type allocationPool struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

// plan is what the networks of the project consist of.
type plan struct {
	networks []simcloud.Network
	subnets  []simcloud.Subnet
	// inUse are the subnets that something has an address of, by their ids. It is known where there are subnets.
	inUse map[string]bool
}

func planOf(c service.Call) (p plan, err error) {
	if p.networks, err = service.All(c, c.Cloud.ListNetworks); err != nil {
		return p, err
	}
	if p.subnets, err = service.All(c, c.Cloud.ListSubnets); err != nil || len(p.subnets) == 0 {
		return p, err
	}
	return p, p.findUse(c)
}

// findUse finds the subnets that instances, load balancers and ports have addresses of.
func (p *plan) findUse(c service.Call) error {
	instances, err := service.All(c, c.Cloud.ListInstances)
	if err != nil {
		return err
	}
	balancers, err := service.All(c, c.Cloud.ListLoadBalancers)
	if err != nil {
		return err
	}
	documents, err := service.All(c, c.Cloud.ListDocuments)
	if err != nil {
		return err
	}
	p.inUse = map[string]bool{}
	for _, d := range documents {
		for _, r := range d.Reserved {
			p.inUse[p.subnetAt(r.Network, r.Address)] = true
		}
	}
	for _, i := range instances {
		for _, a := range i.Addresses {
			if a.Scope == simcloud.ScopePrivate {
				p.inUse[p.subnetAt(cmp.Or(a.Network, i.Network), a.Address)] = true
			}
		}
	}
	for _, lb := range balancers {
		for _, vip := range lb.VIPs {
			if vip.Network != "" {
				p.inUse[p.subnetAt(vip.Network, vip.Address)] = true
			}
		}
	}
	return nil
}

// subnetsOf are the subnets of a network: for each of its ranges those that are in it, and the range itself where there are none
// or where something has an address beside them.
func (p plan) subnetsOf(n simcloud.Network) []subnet {
	var all, beside []subnet // those of ranges that have subnets come last, so that the others keep their places
	for i, cidr := range n.CIDRs {
		within := p.within(n.ID, cidr)
		for _, s := range within {
			all = append(all, newSubnet(service.Subnets.UUID(s.ID), service.Networks.UUID(n.ID), s.CIDR, s.Meta))
		}
		switch whole := wholeSubnet(n, i); {
		case len(within) == 0:
			all = append(all, whole)
		case p.inUse[whole.ID]:
			beside = append(beside, whole)
		}
	}
	return append(all, beside...)
}

// within are the subnets of a network that are in a range of it.
func (p plan) within(network simcloud.ID, cidr string) []simcloud.Subnet {
	prefix, err := netip.ParsePrefix(cidr)
	return slices.DeleteFunc(slices.Clone(p.subnets), func(s simcloud.Subnet) bool {
		other, errOther := netip.ParsePrefix(s.CIDR)
		return err != nil || errOther != nil || s.Network != network || !prefix.Overlaps(other)
	})
}

// wholeSubnet is the subnet that a range of a network stands for.
func wholeSubnet(n simcloud.Network, i int) subnet {
	return newSubnet(service.WholeSubnets.UUIDOfPart(n.ID, uint64(i)), service.Networks.UUID(n.ID), n.CIDRs[i], n.Meta)
}

// poolSubnet is the one subnet of the external network that a pool is.
func poolSubnet(pool simcloud.FloatingIPPool) subnet {
	return newSubnet(service.NamedUUID("subnet", pool.Name), poolNetwork(pool.Name), pool.CIDR, pool.Meta)
}

func newSubnet(uuid, network, cidr string, m simcloud.Meta) subnet {
	s := subnet{
		standard: standardOf(uuid, m), Name: nameOf(m), NetworkID: network, CIDR: cidr, EnableDHCP: true,
		DNSNameservers: []string{}, HostRoutes: []extraRoute{}, ServiceTypes: []string{}, AllocationPools: []allocationPool{},
	}
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil { // the cloud has no such range
		return s
	}
	gateway := prefix.Masked().Addr().Next() // the cloud does not hand it out
	s.GatewayIP, s.IPVersion = gateway.String(), versionOf(prefix.Addr())
	if s.IPVersion == ipv6 {
		slaac := "slaac"
		s.IPv6AddressMode, s.IPv6RAMode = &slaac, &slaac
	}
	if first, last := gateway.Next(), lastOf(prefix); first.Less(last) {
		s.AllocationPools = append(s.AllocationPools, allocationPool{first.String(), last.String()})
	}
	return s
}

// The versions of IP.
const (
	ipv4 = 4
	ipv6 = 6
)

func versionOf(addr netip.Addr) int {
	if addr.Is6() {
		return ipv6
	}
	return ipv4
}

// lastOf is the last address of a range that is handed out: of IPv4 the one before the last.
func lastOf(prefix netip.Prefix) netip.Addr {
	raw := prefix.Addr().AsSlice()
	for i := range raw {
		host := min(8, max(0, 8*(i+1)-prefix.Bits()))
		raw[i] |= byte(1<<host - 1)
	}
	last, _ := netip.AddrFromSlice(raw)
	if last.Is4() {
		return last.Prev()
	}
	return last
}

// allSubnets are those of the project's networks, and then those of the external ones.
func allSubnets(c service.Call) ([]subnet, error) {
	p, err := planOf(c)
	if err != nil {
		return nil, err
	}
	pools, err := service.All(c, c.Cloud.ListFloatingIPPools)
	if err != nil {
		return nil, err
	}
	var all []subnet
	for _, n := range p.networks {
		all = append(all, p.subnetsOf(n)...)
	}
	for _, pool := range pools {
		all = append(all, poolSubnet(pool))
	}
	return all, nil
}

func subnetFilters() filters[subnet] {
	return filters[subnet]{
		"name":        one(func(s subnet) string { return s.Name }),
		"network_id":  one(func(s subnet) string { return s.NetworkID }),
		"cidr":        one(func(s subnet) string { return s.CIDR }),
		"ip_version":  one(func(s subnet) string { return strconv.Itoa(s.IPVersion) }),
		"gateway_ip":  one(func(s subnet) string { return s.GatewayIP }),
		"enable_dhcp": one(func(s subnet) string { return strconv.FormatBool(s.EnableDHCP) }),
	}
}

// getSubnet answers one subnet. A range of a network is found also when there are subnets in it: addresses outside of
// them are of that range.
func getSubnet(c service.Call) (any, error) {
	if id, part := service.WholeSubnets.IDOfPart(c.UUID); id != "" {
		n, err := c.Cloud.GetNetwork(c.Ctx(), id)
		if err != nil {
			return nil, err
		}
		if part < uint64(len(n.CIDRs)) {
			return map[string]any{"subnet": wholeSubnet(n, int(part))}, nil //nolint:gosec // it is below a length
		}
	}
	all, err := allSubnets(c)
	return found(c, "subnet", all, err)
}

// subnetAt is the id of the subnet of an address of a network: the one that has it, or else the range of the network.
func (p plan) subnetAt(network simcloud.ID, address string) string {
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	for _, s := range p.subnets {
		if s.Network == network && inRange(s.CIDR, addr) {
			return service.Subnets.UUID(s.ID)
		}
	}
	for _, n := range p.networks {
		for i, cidr := range n.CIDRs {
			if n.ID == network && inRange(cidr, addr) {
				return service.WholeSubnets.UUIDOfPart(n.ID, uint64(i))
			}
		}
	}
	return ""
}

func inRange(cidr string, addr netip.Addr) bool {
	prefix, err := netip.ParsePrefix(cidr)
	return err == nil && prefix.Contains(addr)
}
