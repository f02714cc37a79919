package kind

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/mirror"
)

// routedView is a cloud of three VMs of which one is in another network.
func routedView(tables ...simcloud.RouteTable) mirror.View {
	view := mirror.View{Instances: map[simcloud.ID]simcloud.Instance{}, RouteTables: map[simcloud.ID]simcloud.RouteTable{}}
	for _, vm := range []struct {
		id, network simcloud.ID
		name        string
		addresses   []string
	}{
		{"i-1", "net-1", "a", []string{"10.1.0.1", "fd01::1"}},
		{"i-2", "net-1", "b", []string{"10.1.0.2"}},
		{"i-3", "net-2", "c", []string{"10.2.0.3"}},
	} {
		instance := simcloud.Instance{Meta: simcloud.Meta{ID: vm.id}, Network: vm.network, Hostname: vm.name}
		instance.Addresses = append(instance.Addresses, simcloud.Address{Scope: simcloud.ScopePublic, Address: "198.18.0.1"})
		for _, address := range vm.addresses {
			instance.Addresses = append(instance.Addresses, simcloud.Address{Scope: simcloud.ScopePrivate, Address: address})
		}
		view.Instances[vm.id] = instance
	}
	for _, table := range tables {
		view.RouteTables[table.ID] = table
	}
	return view
}

func tableOf(id, network simcloud.ID, routes ...simcloud.Route) simcloud.RouteTable {
	return simcloud.RouteTable{Meta: simcloud.Meta{ID: id}, Network: network, Routes: routes}
}

func toVM(destination string, id simcloud.ID) simcloud.Route {
	return simcloud.Route{Destination: destination, NextHop: simcloud.NextHop{Instance: id}, State: simcloud.RouteActive}
}

func toAddress(destination, address string) simcloud.Route {
	return simcloud.Route{Destination: destination, NextHop: simcloud.NextHop{Address: address}, State: simcloud.RouteActive}
}

func TestRoutesOf(t *testing.T) {
	t.Parallel()
	gone := toVM("10.244.9.0/24", "i-9")
	gone.State = simcloud.RouteBlackhole
	for name, c := range map[string]struct {
		tables []simcloud.RouteTable
		want   map[string][]route // of a, b, c and bare, which has no VM
	}{
		"none": {nil, map[string][]route{"a": nil, "b": nil, "c": nil, "bare": nil}},
		"to a VM, but not on itself": {
			[]simcloud.RouteTable{tableOf("rt-1", "net-1", toVM("10.244.1.0/24", "i-1"))},
			map[string][]route{"a": nil, "b": {{"10.244.1.0/24", "10.1.0.1"}}, "c": nil, "bare": {{"10.244.1.0/24", "10.1.0.1"}}},
		},
		"to an address, but not on its owner": {
			[]simcloud.RouteTable{tableOf("rt-1", "net-1", toAddress("10.244.2.0/24", "10.1.0.2"))},
			map[string][]route{"a": {{"10.244.2.0/24", "10.1.0.2"}}, "b": nil, "c": nil, "bare": {{"10.244.2.0/24", "10.1.0.2"}}},
		},
		"of both families": {
			[]simcloud.RouteTable{tableOf("rt-1", "net-1", toVM("fd00:10:244:1::/64", "i-1"), toVM("fd00:10:244:2::/64", "i-2"))},
			map[string][]route{"a": nil, "b": {{"fd00:10:244:1::/64", "fd01::1"}}, "c": nil, "bare": {{"fd00:10:244:1::/64", "fd01::1"}}},
		},
		"leads nowhere": {
			[]simcloud.RouteTable{tableOf("rt-1", "net-1", gone)},
			map[string][]route{"a": nil, "b": nil, "c": nil, "bare": nil},
		},
		"of another network": {
			[]simcloud.RouteTable{tableOf("rt-1", "net-2", toAddress("10.244.1.0/24", "10.2.0.9"))},
			map[string][]route{"a": nil, "b": nil, "c": {{"10.244.1.0/24", "10.2.0.9"}}, "bare": {{"10.244.1.0/24", "10.2.0.9"}}},
		},
		"of two tables": {
			[]simcloud.RouteTable{
				tableOf("rt-1", "net-1", toVM("10.244.1.0/24", "i-1")),
				tableOf("rt-2", "net-1", toAddress("10.244.1.0/24", "10.1.0.77")),
			},
			map[string][]route{
				"a": {{"10.244.1.0/24", "10.1.0.77"}}, "b": {{"10.244.1.0/24", "10.1.0.1"}}, "c": nil, "bare": {{"10.244.1.0/24", "10.1.0.1"}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, routesOf(routedView(c.tables...), []string{"a", "b", "c", "bare"}), cmp.AllowUnexported(route{})); diff != "" {
				t.Errorf("routes (-want +got):\n%s", diff)
			}
		})
	}
}
