package elbv2

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/ec2"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// mapping puts a load balancer into a subnet, with an address there if one is asked for.
type mapping struct {
	Subnet     string `aws:"SubnetId,required"`
	Allocation string `aws:"AllocationId"`
	Private    string `aws:"PrivateIPv4Address"`
}

// labelMappings has the mappings of a load balancer, with spaces between them.
const labelMappings = service.Reserved + "subnet-mappings"

// text is the mapping in the label.
func (m mapping) text() string {
	if at := m.Allocation + m.Private; at != "" {
		return m.Subnet + "/" + at
	}
	return m.Subnet
}

// readMapping is the mapping that text has made.
func readMapping(text string) mapping {
	subnet, at, _ := strings.Cut(text, "/")
	if strings.HasPrefix(at, allocationPrefix) {
		return mapping{Subnet: subnet, Allocation: at}
	}
	return mapping{Subnet: subnet, Private: at}
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
}

// zones are those of a load balancer, with the addresses that were asked for. One that another API has made is in a subnet of
// each zone.
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

// addressIn is the address that a load balancer has by a mapping, while it has it.
func addressIn(lb simcloud.LoadBalancer, m mapping) (address, bool) {
	for _, vip := range lb.VIPs {
		switch {
		case m.Allocation != "" && vip.FloatingIP == m.floatingIP():
			return address{Public: vip.Address, Allocation: m.Allocation}, true
		case m.Private != "" && vip.Address == m.Private:
			return address{Private: vip.Address}, true
		}
	}
	return address{}, false
}

// placed checks the mappings of a new load balancer: subnets of one network, each in another zone, and addresses that
// fit them and the scheme.
func (s shower) placed(mappings []mapping, internal bool) error {
	zones, private := map[string]string{}, 0
	for _, m := range mappings {
		at, _ := s.place(m.Subnet)
		if other, taken := zones[at.Zone]; taken {
			return service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest",
				"A load balancer cannot be attached to multiple subnets in the same Availability Zone: %s and %s are in %s", other, m.Subnet, at.Zone)
		}
		zones[at.Zone] = m.Subnet
		if err := m.fits(at, internal); err != nil {
			return err
		}
		if m.Private != "" {
			private++
		}
	}
	if private > 1 {
		return service.Refuse(simcloud.Unimplemented, "InvalidConfigurationRequest",
			"SubnetMappings have %d values of PrivateIPv4Address: in simcloud an internal load balancer has one IPv4 address", private)
	}
	return nil
}

// fits checks the addresses of a mapping.
func (m mapping) fits(at ec2.Place, internal bool) error {
	switch {
	case m.Allocation != "" && internal:
		return service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "An internal load balancer cannot have an AllocationId: %.40s", m.Allocation)
	case m.Private != "" && !internal:
		return service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "An internet-facing load balancer cannot have a PrivateIPv4Address: %.40s", m.Private)
	case m.Allocation != "" && m.floatingIP() == "":
		return noAllocation(m)
	case m.Private == "":
		return nil
	}
	prefix, errPrefix := netip.ParsePrefix(at.CIDR)
	addr, err := netip.ParseAddr(m.Private)
	if err != nil || !addr.Is4() || addr.String() != m.Private || errPrefix == nil && !prefix.Contains(addr) {
		return service.Refuse(simcloud.Invalid, "ValidationError", "PrivateIPv4Address is %.40q: must be an IPv4 address in %s, the range of %s", m.Private, at.CIDR, m.Subnet)
	}
	return nil
}

func noAllocation(m mapping) error {
	return service.Refuse(simcloud.NotFound, "AllocationIdNotFound", "The allocation ID '%.40s' does not exist", m.Allocation)
}
