package ccm

import (
	"fmt"
	"net/netip"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// family is an IP family, 4 or 6, as the cloud counts them.
type family int

const (
	ipv4 family = 4
	ipv6 family = 6
)

// String is how a Service writes it.
func (f family) String() string { return fmt.Sprintf("IPv%d", int(f)) }

// familyOf takes an IPv4 address in IPv6's clothes for what it is.
func familyOf(address netip.Addr) family {
	if address.Unmap().Is4() {
		return ipv4
	}
	return ipv6
}

// familyOfText is the family of an address that the cloud has written; 0 if it is none.
func familyOfText(address string) family {
	parsed, err := netip.ParseAddr(address)
	if err != nil {
		return 0
	}
	return familyOf(parsed)
}

// familyOfRange is the family of a CIDR; 0 if it is none.
func familyOfRange(cidr string) family {
	address, _, _ := strings.Cut(cidr, "/")
	return familyOfText(address)
}

// familiesOf are the families of a Service, the primary one first. The API
// server has made them of ipFamilyPolicy and of what the cluster has.
func familiesOf(svc *v1.Service) []family {
	var all []family
	for _, f := range svc.Spec.IPFamilies {
		if f == v1.IPv6Protocol {
			all = append(all, ipv6)
		} else {
			all = append(all, ipv4)
		}
	}
	if len(all) == 0 {
		return []family{ipv4}
	}
	return all
}

// needsAllFamilies is whether one family does not do. A Service that prefers
// both is content with the primary one where the cloud has no more; a new
// primary one cannot be had from a later one, because that never changes.
func needsAllFamilies(svc *v1.Service) bool {
	return svc.Spec.IPFamilyPolicy != nil && *svc.Spec.IPFamilyPolicy == v1.IPFamilyPolicyRequireDualStack
}
