package core

import (
	"fmt"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// placing is a placement that a load balancer is to have.
type placing struct {
	simcloud.LoadBalancerPlacement // with its zone and its families

	path     string // that leads to it in the request
	pools    []pool // that its own addresses are from
	floating simcloud.FloatingIP
}

// placedVIPs hands out the addresses of a new load balancer in its placements.
func (t *txn) placedVIPs(lb simcloud.LoadBalancer, network simcloud.Network, wanted []simcloud.LoadBalancerPlacement) ([]simcloud.VIP, error) {
	places, err := t.placings(lb, network, wanted)
	if err != nil {
		return nil, err
	}
	vips := []simcloud.VIP{}
	for _, p := range places {
		for _, family := range p.Families {
			vip, err := t.placedVIP(lb, p, family)
			if err != nil {
				return nil, err
			}
			vips = append(vips, vip)
		}
	}
	return vips, nil
}

// replacePlacements gives a load balancer other placements, if there are any. Addresses that go are free before others
// are handed out.
func (t *txn) replacePlacements(lb *simcloud.LoadBalancer, wanted *[]simcloud.LoadBalancerPlacement) error {
	if wanted == nil {
		return nil
	}
	if !slices.ContainsFunc(lb.VIPs, lb.Placed) {
		return simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID),
			"it was made without placements: only a load balancer that has some can get others")
	}
	network, err := store.Networks.Get(t.tx, lb.Network)
	if err != nil {
		return err
	}
	places, err := t.placings(*lb, network, *wanted)
	if err != nil {
		return err
	}
	var beside []simcloud.VIP
	kept := map[string]simcloud.VIP{}
	for _, vip := range lb.VIPs {
		i := slices.IndexFunc(places, func(p placing) bool { return p.keeps(*lb, vip) })
		moves := vip.FloatingIP != "" && slices.ContainsFunc(places, func(p placing) bool { return p.FloatingIP == vip.FloatingIP && !p.keeps(*lb, vip) })
		switch {
		case moves: // the placement that names the floating IP gets it below
		case !lb.Placed(vip):
			beside = append(beside, vip)
		case i >= 0:
			kept[keptKey(places[i], vip.Family())] = vip
		default:
			if err := t.vacate(*lb, vip); err != nil {
				return err
			}
		}
	}
	lb.VIPs = []simcloud.VIP{}
	for _, p := range places {
		for _, family := range p.Families {
			vip, ok := kept[keptKey(p, family)]
			if !ok {
				if vip, err = t.placedVIP(*lb, p, family); err != nil {
					return err
				}
			}
			lb.VIPs = append(lb.VIPs, vip)
		}
	}
	lb.VIPs = append(lb.VIPs, beside...)
	return nil
}

func keptKey(p placing, family int) string { return fmt.Sprint(p.path, family) }

// keeps reports whether a load balancer that has a VIP there keeps it in the placement.
func (p placing) keeps(lb simcloud.LoadBalancer, vip simcloud.VIP) bool {
	family := vip.Family()
	if !lb.PlacedAt(vip, p.Subnet, p.Zone) || !slices.Contains(p.Families, family) {
		return false
	}
	if i := p.asked(family); i >= 0 && !spells(p.Addresses[i], vip.Address) {
		return false
	}
	return !p.isFloating(family) || vip.FloatingIP == p.FloatingIP
}

// asked is the place of the address of a family that the placement asks for; -1: it asks for none.
func (p placing) asked(family int) int {
	return slices.IndexFunc(p.Addresses, func(text string) bool { return simcloud.VIP{Address: text}.Family() == family })
}

// isFloating reports whether the address of a family is that of a floating IP.
func (p placing) isFloating(family int) bool {
	return p.FloatingIP != "" && simcloud.VIP{Address: p.floating.Address}.Family() == family
}

// vacate frees an address that a load balancer does not keep.
func (t *txn) vacate(lb simcloud.LoadBalancer, vip simcloud.VIP) error {
	if vip.FloatingIP == "" {
		return t.releaseVIP(lb, vip)
	}
	fip, err := store.FloatingIPs.Get(t.tx, vip.FloatingIP)
	if err != nil {
		return err
	}
	attachTo(&fip, simcloud.Attachment{})
	return store.FloatingIPs.Update(t.tx, t.now, &fip)
}

// placings finds what placements name: subnets, zones and floating IPs.
func (t *txn) placings(lb simcloud.LoadBalancer, network simcloud.Network, wanted []simcloud.LoadBalancerPlacement) ([]placing, error) {
	all := make([]placing, len(wanted))
	for i, w := range wanted {
		p := placing{LoadBalancerPlacement: w, path: fmt.Sprintf("placements[%d].", i)}
		if err := t.findPlace(&p, lb, network); err != nil {
			return nil, err
		}
		if other := slices.IndexFunc(all[:i], func(o placing) bool { return o.Subnet == p.Subnet && o.Zone == p.Zone }); other >= 0 {
			return nil, p.invalid("zone", "%s has the subnet and zone of placements[%d]: must have others", p.Zone, other)
		}
		all[i] = p
	}
	return all, nil
}

// findPlace completes a placement: its zone, its families and where its addresses are from.
func (t *txn) findPlace(p *placing, lb simcloud.LoadBalancer, network simcloud.Network) (err error) {
	if err := t.findZone(p, network); err != nil {
		return err
	}
	if lb.Scheme == simcloud.SchemeInternal {
		return t.findInternal(p, lb, network)
	}
	return t.findPublic(p, lb)
}

// findInternal finds the ranges of the network that a placement of an internal load balancer has addresses from.
func (t *txn) findInternal(p *placing, lb simcloud.LoadBalancer, network simcloud.Network) (err error) {
	if p.FloatingIP != "" {
		return p.invalid("floatingIP", "may only be set for a public load balancer: %s is internal", lb.ID)
	}
	if p.pools, err = t.privatePools(network, p.Subnet); err != nil {
		return err
	}
	if len(p.Families) == 0 {
		for _, own := range p.pools {
			p.Families = append(p.Families, familyOf(own))
		}
	}
	return p.canHave(fmt.Sprintf("the network %s (%v) has no", network.ID, network.CIDRs))
}

// findPublic finds the floating IP and the pools that a placement of a public load balancer has addresses from.
func (t *txn) findPublic(p *placing, lb simcloud.LoadBalancer) (err error) {
	if len(p.Addresses) > 0 {
		return p.invalid("addresses", "may only be set for an internal load balancer: %s gets its addresses from pools", lb.ID)
	}
	if err := t.findFloating(p, lb); err != nil {
		return err
	}
	if p.pools, err = t.floatingPools(); err != nil {
		return err
	}
	switch {
	case len(p.Families) > 0:
	case p.FloatingIP != "":
		p.Families = []int{simcloud.VIP{Address: p.floating.Address}.Family()}
	default:
		p.Families = []int{4}
	}
	return p.canHave("no pool has")
}

// findZone finds the subnet of a placement, and the zone: its own, or that of the subnet.
func (t *txn) findZone(p *placing, network simcloud.Network) error {
	if p.Zone != "" && !store.Zones.Has(t.tx, p.Zone) {
		return p.invalid("zone", "zone %q not found%s", p.Zone, choices(t.tx, store.Zones))
	}
	if p.Subnet == "" {
		return nil
	}
	subnet, err := find(t.tx, store.Subnets, t.caller.Project, p.Subnet)
	switch {
	case simcloud.CodeOf(err) == simcloud.NotFound:
		return p.invalid("subnet", "subnet %q not found in the network %s", p.Subnet, network.ID)
	case err != nil:
		return err
	case subnet.Network != network.ID:
		return p.invalid("subnet", "%s is a subnet of %s: must be one of %s, the network of the load balancer", subnet.ID, subnet.Network, network.ID)
	case p.Zone != "" && subnet.Zone != "" && p.Zone != subnet.Zone:
		return p.invalid("zone", "%s is not the zone of %s: must be %s, or empty", p.Zone, subnet.ID, subnet.Zone)
	case p.Zone == "":
		p.Zone = subnet.Zone
	}
	return nil
}

// findFloating finds the floating IP that a placement names, which leads to nothing else.
func (t *txn) findFloating(p *placing, lb simcloud.LoadBalancer) (err error) {
	if p.FloatingIP == "" {
		return nil
	}
	p.floating, err = find(t.tx, store.FloatingIPs, t.caller.Project, p.FloatingIP)
	switch {
	case simcloud.CodeOf(err) == simcloud.NotFound:
		return p.invalid("floatingIP", "floating IP %q not found", p.FloatingIP)
	case err != nil:
		return err
	case p.floating.AttachedTo.ID != "" && p.floating.AttachedTo.ID != lb.ID:
		return attached(p.floating)
	case !p.isFloatingOf():
		return p.invalid("floatingIP", "%s (%s) is of another family: must be of one of families (%v)", p.FloatingIP, p.floating.Address, p.Families)
	}
	return nil
}

// isFloatingOf reports whether the floating IP is of a family that the placement has.
func (p placing) isFloatingOf() bool {
	return len(p.Families) == 0 || slices.ContainsFunc(p.Families, p.isFloating)
}

// canHave checks that there are addresses of each family, and that those that are asked for are among them.
func (p placing) canHave(without string) error {
	for i, family := range p.Families {
		if firstOf(p.pools, family) < 0 && !p.isFloating(family) {
			return p.invalid(fmt.Sprintf("families[%d]", i), "%s IPv%d", without, family)
		}
	}
	for i, text := range p.Addresses {
		if !slices.ContainsFunc(p.pools, func(own pool) bool { return has(own, text) }) {
			return p.invalid(fmt.Sprintf("addresses[%d]", i), "%s cannot be allocated: must be an address of %s, and not a reserved one", text, rangesOf(p.pools))
		}
	}
	return nil
}

func (p placing) invalid(field, format string, args ...any) error {
	return invalid(string(simcloud.KindLoadBalancer), p.path+field, format, args...)
}

// taken is the error for an address that the placement asks for and something else has.
func (p placing) taken(i int, from pool) error {
	return &simcloud.Error{
		Code: simcloud.AlreadyExists, Resource: string(simcloud.KindLoadBalancer), Message: fmt.Sprintf("the address %s is taken", p.Addresses[i]),
		Fields: []simcloud.FieldError{{
			Field: fmt.Sprintf("%saddresses[%d]", p.path, i), Detail: fmt.Sprintf("%s is taken: must be a free address of %s", p.Addresses[i], from.prefix),
		}},
	}
}

// placedVIP hands out the address of one family in a placement.
func (t *txn) placedVIP(lb simcloud.LoadBalancer, p placing, family int) (vip simcloud.VIP, err error) {
	vip = simcloud.VIP{Subnet: p.Subnet, Zone: p.Zone}
	if p.isFloating(family) {
		vip.Address, vip.FloatingIP = p.floating.Address, p.FloatingIP
		attachTo(&p.floating, simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: lb.ID})
		return vip, store.FloatingIPs.Update(t.tx, t.now, &p.floating)
	}
	owner, own := store.Ref{Kind: simcloud.KindLoadBalancer, ID: lb.ID}, p.pools[firstOf(p.pools, family)]
	if i := p.asked(family); i >= 0 {
		if vip.Address, err = t.claimFrom([]pool{own}, p.Addresses[i], owner); simcloud.CodeOf(err) == simcloud.AlreadyExists {
			err = p.taken(i, own)
		}
	} else {
		vip.Address, err = t.allocate(own, owner)
	}
	if lb.Scheme == simcloud.SchemeInternal {
		vip.Network = lb.Network
	} else {
		vip.Pool = own.name
	}
	return vip, err
}
