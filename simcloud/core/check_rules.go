package core

import (
	"cmp"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func (i *inspection) topology() {
	for _, zone := range i.state.Zones {
		i.refers(simcloud.KindZone, zone.Meta, simcloud.KindRegion, zone.Region)
	}
}

func (i *inspection) instances() {
	for _, instance := range i.state.Instances {
		i.refers(simcloud.KindInstance, instance.Meta, simcloud.KindZone, instance.Zone)
		i.refers(simcloud.KindInstance, instance.Meta, simcloud.KindInstanceType, instance.Type)
		i.refers(simcloud.KindInstance, instance.Meta, simcloud.KindNetwork, instance.Network)
		for _, address := range instance.Addresses {
			pool := instancePool
			if address.Scope == simcloud.ScopePrivate {
				pool = string(cmp.Or(address.Network, instance.Network))
			}
			i.has(simcloud.KindInstance, instance.ID, pool, address.Address)
		}
	}
}

func (i *inspection) loadBalancers() {
	for _, lb := range i.state.LoadBalancers {
		i.refers(simcloud.KindLoadBalancer, lb.Meta, simcloud.KindNetwork, lb.Network)
		for n, listener := range lb.Listeners {
			if err := vacant(simcloud.LoadBalancer{Meta: lb.Meta, Listeners: lb.Listeners[:n]}, listener); err != nil {
				i.fail("%s has two listeners on one port: %v", lb.ID, err)
			}
		}
		for _, target := range lb.Targets {
			machine, _ := i.machine(target.Instance, target.Address)
			if want := healthOf(machine, target.Reported); target.Health != want {
				i.fail("%s says that %s is %s: it is %s", lb.ID, target.Key(), target.Health, want)
			}
			i.reach(lb, target)
		}
		for _, vip := range lb.VIPs {
			i.placed(lb, vip)
			if vip.Document != "" {
				i.ofNetwork(lb, vip)
			} else if vip.FloatingIP == "" {
				i.has(simcloud.KindLoadBalancer, lb.ID, cmp.Or(vip.Pool, string(vip.Network)), vip.Address)
				i.ofNetwork(lb, vip)
			} else if !slices.ContainsFunc(i.state.FloatingIPs, func(f simcloud.FloatingIP) bool {
				return f.ID == vip.FloatingIP && f.AttachedTo.ID == lb.ID && f.Address == vip.Address
			}) {
				i.fail("%s listens on %s of %s, which does not lead to it", lb.ID, vip.Address, vip.FloatingIP)
			}
		}
	}
}

func (i *inspection) floatingIPs() {
	for _, fip := range i.state.FloatingIPs {
		i.has(simcloud.KindFloatingIP, fip.ID, fip.Pool, fip.Address)
		if (fip.State == simcloud.FloatingIPAttached) != (fip.AttachedTo.ID != "") {
			i.fail("%s is %s and attached to %q", fip.ID, fip.State, fip.AttachedTo.ID)
		}
		if fip.AttachedTo.ID == "" {
			continue
		}
		i.refers(simcloud.KindFloatingIP, fip.Meta, fip.AttachedTo.Kind, fip.AttachedTo.ID)
		for _, lb := range i.state.LoadBalancers {
			listens := slices.ContainsFunc(lb.VIPs, func(vip simcloud.VIP) bool { return vip.Address == fip.Address && vip.FloatingIP == fip.ID })
			if leads := fip.AttachedTo.ID == lb.ID; leads != listens {
				i.fail("%s leads to %s: %t; it listens there: %t", fip.ID, lb.ID, leads, listens)
			}
		}
	}
}

func (i *inspection) routeTables() {
	for _, table := range i.state.RouteTables {
		i.refers(simcloud.KindRouteTable, table.Meta, simcloud.KindNetwork, table.Network)
		if len(table.Routes) > table.Limit {
			i.fail("%s has %d routes of %d", table.ID, len(table.Routes), table.Limit)
		}
		seen := map[string]bool{}
		for _, route := range table.Routes {
			if seen[route.Destination] {
				i.fail("%s leads to %s twice", table.ID, route.Destination)
			}
			seen[route.Destination] = true
			_, there := i.instance[route.NextHop.Instance]
			if gone := route.NextHop.Instance != "" && !there; gone != (route.State == simcloud.RouteBlackhole) {
				i.fail("route %s is %s, its instance %q is there: %t", route.ID, route.State, route.NextHop.Instance, there)
			}
		}
	}
}

func (i *inspection) operations() {
	for _, op := range i.state.Operations {
		if running(op) != op.Finished.IsZero() {
			i.fail("%s is %s and finished at %s", op.ID, op.State, op.Finished)
		}
		if running(op) && !op.ReadyAt.IsZero() && !op.ReadyAt.After(i.state.Time) {
			i.fail("%s was ready at %s and runs at %s", op.ID, op.ReadyAt, i.state.Time)
		}
	}
}
