package lb

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/simcloud"
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

// familyOfText is the family of an address that the cloud has written; 0 if it is not valid.
func familyOfText(address string) family {
	parsed, err := netip.ParseAddr(address)
	if err != nil {
		return 0
	}
	return familyOf(parsed)
}

// familyOfRange is the family of a CIDR; 0 if it is not valid.
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
// both accepts the primary one where the cloud has no more; a new
// primary one cannot be had from a later one, because that never changes.
func needsAllFamilies(svc *v1.Service) bool {
	return svc.Spec.IPFamilyPolicy != nil && *svc.Spec.IPFamilyPolicy == v1.IPFamilyPolicyRequireDualStack
}

// checkFamilies is an error when a load balancer lacks an address of a family
// that its Service must have. What is only a pity is told by an Event.
func (l *Balancers) checkFamilies(svc *v1.Service, want desired, lb simcloud.LoadBalancer, addresses []string) error {
	ref := simcloud.Ref(simcloud.KindLoadBalancer, lb.ID)
	families := want.Addresses.Families
	missing := slices.DeleteFunc(slices.Clone(families), func(f family) bool {
		return slices.ContainsFunc(addresses, func(address string) bool { return familyOfText(address) == f })
	})
	switch {
	case len(missing) == 0:
	case len(lb.VIPs) == 0:
		return call.NotReady("%s has no address yet", ref)
	case want.Addresses.All || slices.Contains(missing, families[0]):
		return simcloud.Errorf(simcloud.Invalid, ref, "it has no %s address, and the Service needs one", missing[0])
	default:
		l.deps.Events.warning(svc, ReasonFamilyMissing, "Load balancer %s has no %s address: the Service is reached by %s alone",
			lb.ID, missing[0], families[0])
	}
	for _, f := range closedFamilies(want) {
		l.deps.Events.warning(svc, ReasonFamilyClosed, "The source ranges have no %s range: no client of that family can connect", f)
	}
	return nil
}

// closedFamilies are the families of which the source ranges admit no client,
// although they admit clients of another.
func closedFamilies(want desired) (closed []family) {
	if len(want.Listeners) == 0 {
		return nil
	}
	allowed := want.Listeners[0].AllowedCIDRs
	for _, f := range want.Addresses.Families {
		if len(allowed) > 0 && !slices.ContainsFunc(allowed, func(cidr string) bool { return familyOfRange(cidr) == f }) {
			closed = append(closed, f)
		}
	}
	return closed
}
