package core

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// reserve hands out the addresses that a new document reserves.
func (t *txn) reserve(document simcloud.ID, wanted []simcloud.Reservation) ([]simcloud.Reservation, error) {
	var all []simcloud.Reservation
	for i, want := range wanted {
		path := fmt.Sprintf("reserved[%d].", i)
		p, err := t.reservationPool(want, path)
		if err != nil {
			return nil, err
		}
		owner := store.Ref{Kind: simcloud.KindDocument, ID: document}
		if want.Address == "" {
			want.Address, err = t.allocate(p, owner)
		} else {
			want.Address, err = t.claimFrom([]pool{p}, want.Address, owner)
		}
		if err != nil {
			return nil, err
		}
		want.Subnet, want.Family = p.subnet, familyOf(p)
		all = append(all, want)
	}
	return all, nil
}

// reservationPool is where a reserved address is from; path leads to the reservation in the request.
func (t *txn) reservationPool(want simcloud.Reservation, path string) (pool, error) {
	kind := string(simcloud.KindDocument)
	network, err := find(t.tx, store.Networks, t.caller.Project, want.Network)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return pool{}, invalid(kind, path+"network", "network %q not found", want.Network)
	}
	if err != nil {
		return pool{}, err
	}
	ranges, subnets, err := t.networkPools(network)
	if err != nil {
		return pool{}, err
	}
	pools := slices.Concat(ranges, subnets)
	if want.Subnet == "" && want.Address == "" {
		pools = ranges
	}
	if want.Subnet != "" {
		pools = slices.DeleteFunc(subnets, func(p pool) bool { return p.subnet != want.Subnet })
		if len(pools) == 0 {
			return pool{}, invalid(kind, path+"subnet", "subnet %q not found in the network %s", want.Subnet, network.ID)
		}
	}
	i := slices.IndexFunc(pools, func(p pool) bool {
		return (want.Family == 0 || want.Family == familyOf(p)) && (want.Address == "" || has(p, want.Address))
	})
	switch {
	case i >= 0:
		return pools[i], nil
	case want.Address != "":
		return pool{}, invalid(kind, path+"address", "%s cannot be allocated: must be an address of %s", want.Address, rangesOf(pools))
	default:
		return pool{}, invalid(kind, path+"family", "the network %s (%v) has no IPv%d there", network.ID, network.CIDRs, want.Family)
	}
}

// unreserve frees the addresses of a document that is deleted.
func (t *txn) unreserve(d simcloud.Document) error {
	for _, r := range d.Reserved {
		if err := t.releasePrivate(r.Network, r.Address, store.Ref{Kind: simcloud.KindDocument, ID: d.ID}); err != nil {
			return err
		}
	}
	return nil
}

// useReservation makes the addresses that a document reserves VIPs of a load balancer.
func (t *txn) useReservation(lb *simcloud.LoadBalancer, id simcloud.ID) error {
	if id == "" {
		return nil
	}
	const kind, field = string(simcloud.KindLoadBalancer), "reservation"
	document, err := find(t.tx, store.Documents, t.caller.Project, id)
	switch {
	case simcloud.CodeOf(err) == simcloud.NotFound:
		return invalid(kind, field, "document %q not found", id)
	case err != nil:
		return err
	case len(document.Reserved) == 0:
		return invalid(kind, field, "document %s reserves no address", id)
	}
	users, err := store.LoadBalancers.Referring(t.tx, store.Ref{Kind: simcloud.KindDocument, ID: id})
	if err != nil {
		return err
	}
	if len(users) > 0 {
		return simcloud.Errorf(simcloud.Conflict, simcloud.Ref(simcloud.KindDocument, id), "%s has its addresses", simcloud.Ref(simcloud.KindLoadBalancer, users[0].ID))
	}
	attached := lb.Networks()
	for _, r := range document.Reserved {
		if slices.Contains(attached, r.Network) {
			return simcloud.Errorf(simcloud.Conflict, kind, "it has addresses of the network %s, of which document %s reserves one", r.Network, id)
		}
		lb.VIPs = append(lb.VIPs, simcloud.VIP{Address: r.Address, Network: r.Network, Subnet: r.Subnet, Document: id})
	}
	return nil
}

// reservations checks that load balancers have the reserved addresses that they name, each document for one.
func (i *inspection) reservations() {
	reserved, users := map[simcloud.ID][]simcloud.Reservation{}, map[simcloud.ID]simcloud.ID{}
	for _, d := range i.state.Documents {
		reserved[d.ID] = d.Reserved
		for _, r := range d.Reserved {
			i.refers(simcloud.KindDocument, d.Meta, simcloud.KindNetwork, r.Network)
			i.has(simcloud.KindDocument, d.ID, string(r.Network), r.Address)
			if _, err := netip.ParseAddr(r.Address); err != nil {
				i.fail("%s reserves %q: %v", d.ID, r.Address, err)
			}
		}
	}
	for _, lb := range i.state.LoadBalancers {
		for _, vip := range lb.VIPs {
			if vip.Document == "" {
				continue
			}
			if !slices.ContainsFunc(reserved[vip.Document], func(r simcloud.Reservation) bool { return r.Network == vip.Network && r.Address == vip.Address }) {
				i.fail("%s has %s of %s, which does not reserve it", lb.ID, vip.Address, vip.Document)
			}
			if other, taken := users[vip.Document]; taken && other != lb.ID {
				i.fail("%s and %s both have the addresses of %s", other, lb.ID, vip.Document)
			}
			users[vip.Document] = lb.ID
		}
	}
}
