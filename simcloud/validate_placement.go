package simcloud

import (
	"fmt"
	"net/netip"
	"slices"
)

// placements checks where a load balancer is to have addresses; nothing else in the spec may ask for those.
func (f *fieldErrors) placements(path string, s LoadBalancerSpec) {
	if len(s.Placements) == 0 {
		return
	}
	if len(s.Addresses) > 0 {
		f.add("addresses", "may only be set without placements: ask for an address in its placement")
	}
	if len(s.PublicFamilies) > 0 {
		f.add("publicFamilies", "may only be set without placements: each placement has its families")
	}
	f.places(path, s.Placements)
	for i, p := range s.Placements {
		at := fmt.Sprintf("%s[%d].", path, i)
		if len(p.Addresses) > 0 && s.Scheme != SchemeInternal {
			f.add(at+"addresses", "may only be set when scheme is internal: a public load balancer gets its addresses from pools")
		}
		if p.FloatingIP != "" && s.Scheme == SchemeInternal {
			f.add(at+"floatingIP", "may only be set when scheme is public: an internal load balancer has addresses of its network")
		}
	}
}

// newPlacements checks what takes the place of all placements.
func (f *fieldErrors) newPlacements(path string, all []LoadBalancerPlacement) {
	if len(all) == 0 {
		f.add(path, "must not be empty: a load balancer keeps at least one placement")
	}
	f.places(path, all)
}

// places checks placements by themselves.
func (f *fieldErrors) places(path string, all []LoadBalancerPlacement) {
	type place struct{ subnet, zone ID }
	first, floating := map[place]int{}, map[ID]int{}
	for i, p := range all {
		at := fmt.Sprintf("%s[%d].", path, i)
		if p.Subnet == "" && p.Zone == "" {
			f.add(at+"subnet", "must not be empty without zone: give the id of a subnet or of a zone")
		}
		here := place{p.Subnet, p.Zone}
		if other, taken := first[here]; taken {
			f.add(fmt.Sprintf("%s[%d]", path, i), "has the subnet and zone of %s[%d]: must have others", path, other)
		} else {
			first[here] = i
		}
		if other, taken := floating[p.FloatingIP]; taken && p.FloatingIP != "" {
			f.add(at+"floatingIP", "%s is the floating IP of %s[%d]: must be another one", p.FloatingIP, path, other)
		}
		floating[p.FloatingIP] = i
		f.families(at+"families", p.Families)
		f.perFamily(at+"addresses", p.Addresses)
		for n, text := range p.Addresses {
			addr, err := netip.ParseAddr(text)
			if err == nil && len(p.Families) > 0 && !slices.Contains(p.Families, familyOf(addr)) {
				f.add(fmt.Sprintf("%saddresses[%d]", at, n), "%s is of family %d, which is not one of families", text, familyOf(addr))
			}
		}
	}
}

func familyOf(addr netip.Addr) int {
	if addr.Is4() {
		return 4
	}
	return 6
}

// Family is 4 or 6, the family of the address.
func (v VIP) Family() int {
	addr, err := netip.ParseAddr(v.Address)
	if err != nil {
		return 0
	}
	return familyOf(addr)
}
