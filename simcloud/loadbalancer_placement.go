package simcloud

// LoadBalancerPlacement is a subnet or a zone in which a load balancer has addresses: one of each family.
type LoadBalancerPlacement struct {
	// Subnet is one of the load balancer's network. An internal load balancer has its address
	// of that family from the range of the subnet, and others from the ranges of the network.
	Subnet ID `json:"subnet,omitempty"`
	// Zone is where the addresses are; empty means the zone of Subnet, if that has one.
	Zone ID `json:"zone,omitempty"`
	// Families are the families, 4 and 6, of the addresses. Without any they are those of
	// the network for an internal load balancer, and 4 for a public one.
	Families []int `json:"families,omitempty"`
	// Addresses asks an internal load balancer's network for certain addresses, at most one
	// of each family; AlreadyExists when one is taken.
	Addresses []string `json:"addresses,omitempty"`
	// FloatingIP is one that a public load balancer listens on here, in place of an address
	// of its own of that family. It is attached to the load balancer; InUse when it is attached already.
	FloatingIP ID `json:"floatingIP,omitempty"`
}

// PlacedAt reports whether a VIP is an address of the load balancer at a placement with that subnet and zone.
func (lb LoadBalancer) PlacedAt(vip VIP, subnet, zone ID) bool {
	return lb.Placed(vip) && vip.Subnet == subnet && vip.Zone == zone
}

// Placed reports whether a VIP is of a placement, and not of a network that is attached beside them.
func (lb LoadBalancer) Placed(vip VIP) bool {
	own := vip.Network == "" || lb.Scheme == SchemeInternal && vip.Network == lb.Network
	return own && (vip.Subnet != "" || vip.Zone != "")
}

// Placements are those that the load balancer has, with the families of its addresses there; in the order of its VIPs.
func (lb LoadBalancer) Placements() []LoadBalancerPlacement {
	var all []LoadBalancerPlacement
	for _, vip := range lb.VIPs {
		if !lb.Placed(vip) {
			continue
		}
		if n := len(all); n == 0 || all[n-1].Subnet != vip.Subnet || all[n-1].Zone != vip.Zone {
			all = append(all, LoadBalancerPlacement{Subnet: vip.Subnet, Zone: vip.Zone})
		}
		at := &all[len(all)-1]
		at.Families = append(at.Families, vip.Family())
		switch {
		case vip.Network != "":
			at.Addresses = append(at.Addresses, vip.Address)
		case vip.FloatingIP != "":
			at.FloatingIP = vip.FloatingIP
		}
	}
	return all
}
