package lb

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// addressing is the addresses that a Service is to be reached at.
type addressing struct {
	Families []family // the primary one first
	// All is whether a family that the cloud does not have is an error. The primary one always is.
	All bool
	// Asked are the addresses asked for, as the cloud writes them, at most one of a family.
	Asked map[family]string
	// Borrowed are floating IPs asked for by id. Their families show when they are read.
	Borrowed []simcloud.ID
	// Pools are where new floating IPs come from; none for the cloud's first of the family.
	Pools map[family]string
}

// wantedAddresses reads the wishes of a Service and holds them against its families.
func wantedAddresses(svc *v1.Service, annotations annotation.Settings) (addressing, error) {
	a := addressing{
		Families: familiesOf(svc), All: needsAllFamilies(svc), Asked: map[family]string{},
		Borrowed: annotations.FloatingIPs,
		Pools:    map[family]string{ipv4: annotations.FloatingIPPool, ipv6: annotations.FloatingIPPoolV6},
	}
	if svc.Spec.LoadBalancerIP != "" {
		address, err := netip.ParseAddr(svc.Spec.LoadBalancerIP)
		if err != nil {
			return a, fmt.Errorf("spec.loadBalancerIP: %q is not an address such as 127.77.0.1", svc.Spec.LoadBalancerIP)
		}
		if err := a.ask("spec.loadBalancerIP", address); err != nil {
			return a, err
		}
	}
	for _, address := range annotations.Addresses {
		if err := a.ask("annotation "+annotation.Addresses, address); err != nil {
			return a, err
		}
	}
	if len(a.Borrowed) > 0 && annotations.Internal {
		return a, fmt.Errorf("annotation %s: an internal load balancer takes no floating IP: ask for an address of its network by %s",
			annotation.FloatingIPs, annotation.Addresses)
	}
	return a, nil
}

// ask adds a wish. One that is said twice is one.
func (a *addressing) ask(from string, address netip.Addr) error {
	f, text := familyOf(address), address.Unmap().String()
	if !slices.Contains(a.Families, f) {
		return fmt.Errorf("%s: %s is %s, and spec.ipFamilies has %s alone", from, text, f, a.Families[0])
	}
	if other, taken := a.Asked[f]; taken && other != text {
		return fmt.Errorf("%s: %s and %s are both %s: at most one address of each family is allowed", from, other, text, f)
	}
	a.Asked[f] = text
	return nil
}

// ofNetwork are the addresses to ask the network of an internal load balancer for.
func (a addressing) ofNetwork(scheme simcloud.Scheme) (all []string) {
	if scheme != simcloud.SchemeInternal {
		return nil
	}
	for _, f := range a.Families {
		if a.Asked[f] != "" {
			all = append(all, a.Asked[f])
		}
	}
	return all
}

// had reports whether an internal load balancer has the addresses asked for: they never change.
func (a addressing) had(lb simcloud.LoadBalancer) bool {
	return !slices.ContainsFunc(a.ofNetwork(lb.Scheme), func(address string) bool {
		return !slices.ContainsFunc(lb.VIPs, func(vip simcloud.VIP) bool { return vip.Address == address })
	})
}

// kind describes, for humans, what only a new load balancer can become.
func (d desired) kind() string {
	if at := d.Addresses.ofNetwork(d.Scheme); len(at) > 0 {
		return fmt.Sprintf("%s at %s", d.Scheme, strings.Join(at, " and "))
	}
	return string(d.Scheme)
}
