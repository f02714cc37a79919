package elbv2

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/ec2"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/elb"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// mapping puts a load balancer into a subnet, with an address there if one is asked for.
type mapping struct {
	Subnet     string `aws:"SubnetId,required"`
	Allocation string `aws:"AllocationId"`
	Private    string `aws:"PrivateIPv4Address"`
	IPv6       string `aws:"IPv6Address"`
}

// placed is what requests say of where a load balancer is.
type placed struct {
	IPAddressType string    `aws:"IpAddressType"`
	Mappings      []mapping `aws:"SubnetMappings"`
	Subnets       []string  `aws:"Subnets"`
}

// merge lets the mappings have all subnets.
func (p *placed) merge() {
	for _, id := range p.Subnets {
		p.Mappings = append(p.Mappings, mapping{Subnet: id})
	}
}

// addressType is the one that is asked for.
func (p placed) addressType() string { return cmp.Or(p.IPAddressType, typeIPv4) }

// families are those of the addresses in each subnet.
func (p placed) families() []int {
	if p.addressType() == typeDualStack {
		return []int{4, 6}
	}
	return []int{4}
}

// check checks what a request says by itself; merge has gone before.
func (p placed) check() error {
	switch {
	case p.addressType() != typeIPv4 && p.addressType() != typeDualStack:
		return service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "IpAddressType is %.40q: must be %s or %s", p.IPAddressType, typeIPv4, typeDualStack)
	case len(p.Mappings) == 0:
		return service.Refuse(simcloud.Invalid, "ValidationError", "A subnet must be specified, by Subnets or SubnetMappings")
	case len(p.Subnets) > 0 && len(p.Subnets) < len(p.Mappings):
		return service.Refuse(simcloud.Invalid, "ValidationError", "The request has both Subnets and SubnetMappings: must have one of them")
	default:
		return nil
	}
}

// addressTypeOf is the type of the addresses that a load balancer has.
func addressTypeOf(lb simcloud.LoadBalancer) string {
	if slices.ContainsFunc(lb.VIPs, func(vip simcloud.VIP) bool { return vip.Family() == 6 }) {
		return typeDualStack
	}
	return typeIPv4
}

// maxMappings is for how many zones errors of the cloud name the mapping: more than any region has.
const maxMappings = 16

// labelMappings has the mappings of a load balancer, with spaces between them.
const labelMappings = service.Reserved + "subnet-mappings"

// text is the mapping in the label: subnet, address of version 4 and address of version 6, without slashes at the end.
func (m mapping) text() string {
	return strings.TrimRight(m.Subnet+"/"+m.Allocation+m.Private+"/"+m.IPv6, "/")
}

// readMapping is the mapping that text has made.
func readMapping(text string) mapping {
	subnet, rest, _ := strings.Cut(text, "/")
	at, six, _ := strings.Cut(rest, "/")
	if strings.HasPrefix(at, allocationPrefix) {
		return mapping{Subnet: subnet, Allocation: at, IPv6: six}
	}
	return mapping{Subnet: subnet, Private: at, IPv6: six}
}

// The prefixes of addresses here, and of floating IPs in the cloud.
const (
	allocationPrefix = "eipalloc-"
	floatingPrefix   = "fip-"
)

// floatingIP is that of the mapping; empty for an id of something else.
func (m mapping) floatingIP() simcloud.ID {
	return service.FromNumber(allocationPrefix, m.Allocation, floatingPrefix)
}

// texts are those of mappings.
func texts(mappings []mapping) []string {
	all := make([]string, len(mappings))
	for i, m := range mappings {
		all[i] = m.text()
	}
	return all
}

// zone is where a load balancer is.
type zone struct {
	Name      string    `aws:"ZoneName"`
	Subnet    string    `aws:"SubnetId"`
	Addresses []address `aws:"LoadBalancerAddresses"`
}

type address struct {
	Public     string `aws:"IpAddress"`
	Allocation string `aws:"AllocationId"`
	Private    string `aws:"PrivateIPv4Address"`
	IPv6       string `aws:"IPv6Address"`
}

// zones are those of a load balancer, with the addresses that were asked for. One that another API has made is where its
// placements are; without any it is in a subnet of each zone.
func (s shower) zones(lb simcloud.LoadBalancer) []zone {
	var all []zone
	for word := range strings.FieldsSeq(lb.Labels[labelMappings]) {
		m := readMapping(word)
		z := zone{Subnet: m.Subnet}
		if at, ok := s.place(m.Subnet); ok {
			z.Name = at.Zone
		}
		if has, ok := addressIn(lb, m); ok {
			z.Addresses = []address{has}
		}
		all = append(all, z)
	}
	if len(all) > 0 {
		return all
	}
	for _, p := range lb.Placements() {
		all = append(all, zone{Name: string(p.Zone), Subnet: cmp.Or(string(p.Subnet), ec2.DerivedSubnet(p.Zone, lb.Network))})
	}
	if len(all) > 0 {
		return all
	}
	for _, at := range s.places {
		if at.Network == lb.Network && !slices.ContainsFunc(all, func(z zone) bool { return z.Name == at.Zone }) {
			all = append(all, zone{Name: at.Zone, Subnet: at.Subnet})
		}
	}
	return all
}

func (s shower) place(subnet string) (ec2.Place, bool) {
	i := slices.IndexFunc(s.places, func(at ec2.Place) bool { return at.Subnet == subnet })
	if i < 0 {
		return ec2.Place{}, false
	}
	return s.places[i], true
}

// addressIn are the addresses that a load balancer has by a mapping, while it has them.
func addressIn(lb simcloud.LoadBalancer, m mapping) (has address, ok bool) {
	for _, vip := range lb.VIPs {
		switch {
		case m.Allocation != "" && vip.FloatingIP == m.floatingIP():
			has.Public, has.Allocation = vip.Address, m.Allocation
		case m.Private != "" && vip.Address == m.Private:
			has.Private = vip.Address
		case m.IPv6 != "" && vip.Address == m.IPv6:
			has.IPv6 = vip.Address
		}
	}
	return has, has != address{}
}

// placements are those that mappings ask for, and the network that their subnets are in: subnets of one network, each in another zone,
// and addresses that fit them and the scheme.
func (s shower) placements(c service.Call, in placed, internal bool) (network simcloud.ID, all []simcloud.LoadBalancerPlacement, err error) {
	ids := make([]string, len(in.Mappings))
	for i, m := range in.Mappings {
		ids[i] = m.Subnet
	}
	if network, err = ec2.NetworkOf(c, ids); err != nil {
		return network, nil, elb.OfSubnets(err)
	}
	places, err := ec2.InZones(s.places, ids)
	if err != nil {
		return network, nil, err
	}
	for i, m := range in.Mappings {
		if err := m.fits(places[i], internal, in.addressType()); err != nil {
			return network, nil, err
		}
		placement := places[i].Placement(in.families()...)
		placement.FloatingIP = m.floatingIP()
		for _, asked := range []string{m.Private, m.IPv6} {
			if asked != "" {
				placement.Addresses = append(placement.Addresses, asked)
			}
		}
		all = append(all, placement)
	}
	return network, all, nil
}

// free checks that the addresses of the client lead to nothing else than the load balancer, if it is there already.
func free(c service.Call, id simcloud.ID, mappings []mapping) error {
	for _, m := range mappings {
		if m.Allocation == "" {
			continue
		}
		fip, err := c.Cloud.GetFloatingIP(c.Ctx(), m.floatingIP())
		switch {
		case absent(err):
			return noAllocation(m)
		case err != nil:
			return err
		case fip.AttachedTo.ID != "" && fip.AttachedTo.ID != id:
			return service.Refuse(simcloud.InUse, "ResourceInUse", "The allocation ID '%s' is in use", m.Allocation)
		}
	}
	return nil
}

// fits checks the addresses of a mapping.
func (m mapping) fits(at ec2.Place, internal bool, addressType string) error {
	switch {
	case m.Allocation != "" && internal:
		return service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "An internal load balancer cannot have an AllocationId: %.40s", m.Allocation)
	case m.Private != "" && !internal:
		return service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "An internet-facing load balancer cannot have a PrivateIPv4Address: %.40s", m.Private)
	case m.Allocation != "" && m.floatingIP() == "":
		return noAllocation(m)
	case addressType == typeDualStack && at.IPv6 == "":
		return service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest",
			"IpAddressType is %s: the subnet %s must have an IPv6 CIDR block, which is one of its network", typeDualStack, m.Subnet)
	case m.IPv6 != "" && addressType != typeDualStack:
		return service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "A load balancer with an IPv6Address must have IpAddressType %s: %.60s", typeDualStack, m.IPv6)
	case m.IPv6 != "" && !internal:
		return service.Refuse(simcloud.Unimplemented, "InvalidConfigurationRequest",
			"IPv6Address is %.60s: the IPv6 addresses of an internet-facing load balancer are from a pool in simcloud, and cannot be chosen", m.IPv6)
	case m.Private != "" && !inRange(m.Private, at.CIDR):
		return service.Refuse(simcloud.Invalid, "ValidationError", "PrivateIPv4Address is %.40q: must be an IPv4 address in %s, the range of %s", m.Private, at.CIDR, m.Subnet)
	case m.IPv6 != "" && !inRange(m.IPv6, at.IPv6):
		return service.Refuse(simcloud.Invalid, "ValidationError", "IPv6Address is %.60q: must be an IPv6 address in %s, the range of %s", m.IPv6, at.IPv6, m.Subnet)
	default:
		return nil
	}
}

// inRange reports whether a text is an address in a range, in its one spelling.
func inRange(text, cidr string) bool {
	prefix, err := netip.ParsePrefix(cidr)
	addr, bad := netip.ParseAddr(text)
	return err == nil && bad == nil && addr.String() == text && prefix.Contains(addr)
}

func noAllocation(m mapping) error {
	return service.Refuse(simcloud.NotFound, "AllocationIdNotFound", "The allocation ID '%.40s' does not exist", m.Allocation)
}
