package ccm

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// judgeFamilies is an error when a load balancer lacks an address of a family
// that its Service must have. What is only a pity is told by an Event.
func (l *loadBalancers) judgeFamilies(svc *v1.Service, want desired, lb simcloud.LoadBalancer, addresses []string) error {
	ref := simcloud.Ref(simcloud.KindLoadBalancer, lb.ID)
	families := want.Addresses.Families
	missing := slices.DeleteFunc(slices.Clone(families), func(f family) bool {
		return slices.ContainsFunc(addresses, func(address string) bool { return familyOfText(address) == f })
	})
	switch {
	case len(missing) == 0:
	case len(lb.VIPs) == 0:
		return notReady("%s has no address yet", ref)
	case want.Addresses.All || slices.Contains(missing, families[0]):
		return simcloud.Errorf(simcloud.Invalid, ref, "it has no %s address, and the Service needs one", missing[0])
	default:
		l.events.warning(svc, ReasonFamilyMissing, "Load balancer %s has no %s address: the Service is reached by %s alone",
			lb.ID, missing[0], families[0])
	}
	for _, f := range closedFamilies(want) {
		l.events.warning(svc, ReasonFamilyClosed, "The source ranges have no %s range: nobody of that family may connect", f)
	}
	return nil
}

// closedFamilies are the families that the source ranges let nobody in of,
// although they let in somebody of another.
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
