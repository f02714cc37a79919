package kind

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/mirror"
)

// route is a route on a node.
type route struct {
	to, via string // a CIDR and an address, as the kernel writes them
}

// routesOf are the routes that a cloud gives to the nodes of these names, by
// their names: those of the route tables of the networks that they are in.
func routesOf(view mirror.View, names []string) map[string][]route {
	machines := machinesOf(view)
	all := map[simcloud.ID]bool{}
	for _, name := range names {
		maps.Copy(all, networksOf(machines[name]))
	}
	wanted := map[string][]route{}
	for _, name := range names {
		networks := networksOf(machines[name])
		if len(networks) == 0 {
			networks = all // a machine without a VM is where the others are
		}
		wanted[name] = routesFor(name, networks, view)
	}
	return wanted
}

// machinesOf are the instances by the names of their nodes.
func machinesOf(view mirror.View) map[string][]simcloud.Instance {
	machines := map[string][]simcloud.Instance{}
	for instance := range maps.Values(view.Instances) {
		machines[instance.Hostname] = append(machines[instance.Hostname], instance)
	}
	return machines
}

func networksOf(instances []simcloud.Instance) map[simcloud.ID]bool {
	networks := map[simcloud.ID]bool{}
	for _, instance := range instances {
		networks[instance.Network] = true
	}
	return networks
}

// routesFor are the routes of one node, by destination. Of two tables that
// have the same one the first has it.
func routesFor(name string, networks map[simcloud.ID]bool, view mirror.View) []route {
	taken := map[string]route{}
	for _, id := range slices.Sorted(maps.Keys(view.RouteTables)) {
		table := view.RouteTables[id]
		if !networks[table.Network] {
			continue
		}
		for _, r := range table.Routes {
			made, ok := routeOn(name, r, view.Instances)
			if _, twice := taken[made.to]; ok && !twice {
				taken[made.to] = made
			}
		}
	}
	return slices.SortedFunc(maps.Values(taken), func(a, b route) int { return cmp.Compare(a.to, b.to) })
}

// routeOn is what a cloud's route is on a node; false for one that leads to the
// node itself, or nowhere.
func routeOn(name string, r simcloud.Route, instances map[simcloud.ID]simcloud.Instance) (route, bool) {
	to, err := netip.ParsePrefix(r.Destination)
	if err != nil || r.State != simcloud.RouteActive {
		return route{}, false
	}
	hop := instances[r.NextHop.Instance]
	addresses := privateAddresses(hop)
	if r.NextHop.Instance == "" {
		addresses = addressesIn(r.NextHop.Address)
	}
	i := slices.IndexFunc(addresses, func(a netip.Addr) bool { return a.Is4() == to.Addr().Is4() })
	if i < 0 || hop.Hostname == name || isOwn(name, addresses[i], instances) {
		return route{}, false
	}
	return route{to.Masked().String(), addresses[i].String()}, true
}

// isOwn reports whether an address is that of the VM of a node.
func isOwn(name string, address netip.Addr, instances map[simcloud.ID]simcloud.Instance) bool {
	for instance := range maps.Values(instances) {
		if instance.Hostname == name && slices.Contains(privateAddresses(instance), address) {
			return true
		}
	}
	return false
}

func privateAddresses(instance simcloud.Instance) []netip.Addr {
	var all []netip.Addr
	for _, a := range instance.Addresses {
		if a.Scope == simcloud.ScopePrivate {
			all = append(all, addressesIn(a.Address)...)
		}
	}
	return all
}

// addressesIn is the address that a text is, if it is one.
func addressesIn(text string) []netip.Addr {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return nil
	}
	return []netip.Addr{address}
}
