package hcloud_test

import (
	"net"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func cidr(t *testing.T, text string) *net.IPNet {
	t.Helper()
	_, prefix, err := net.ParseCIDR(text)
	if err != nil {
		t.Fatal(err)
	}
	return prefix
}

func TestNetworkIsRead(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	n := got[*hcloud.Network](t)(w.hetz.Network.GetByName(t.Context(), "default"))
	if n == nil || n.ID != 1 || n.IPRange.String() != "10.0.0.0/16" || len(n.Servers) != 1 || n.Servers[0].ID != 1 || len(n.Subnets) != 0 {
		t.Fatalf("got %+v", n)
	}
	w.does("add_subnet")(w.hetz.Network.AddSubnet(t.Context(), n, hcloud.NetworkAddSubnetOpts{
		Subnet: hcloud.NetworkSubnet{Type: hcloud.NetworkSubnetTypeCloud, NetworkZone: "region-1", IPRange: cidr(t, "10.0.77.0/24")},
	}))
	n = got[*hcloud.Network](t)(w.hetz.Network.GetByID(t.Context(), 1))
	if len(n.Subnets) != 1 || n.Subnets[0].IPRange.String() != "10.0.77.0/24" || n.Subnets[0].NetworkZone != "region-1" || n.Subnets[0].Gateway.String() != "10.0.0.1" {
		t.Errorf("the subnets are %+v", n.Subnets)
	}
}

func TestNetworkIsMade(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := got[*hcloud.Network](t)(w.hetz.Network.Create(t.Context(), hcloud.NetworkCreateOpts{
		Name: "net", IPRange: cidr(t, "10.8.0.0/13"), Labels: map[string]string{"a": "b"},
		Subnets: []hcloud.NetworkSubnet{{Type: "cloud", NetworkZone: "region-1", IPRange: cidr(t, "10.8.0.0/24")}},
		Routes:  []hcloud.NetworkRoute{{Destination: cidr(t, "10.9.0.0/24"), Gateway: net.ParseIP("10.8.0.5")}},
	}))
	if n.Name != "net" || len(n.Subnets) != 1 || len(n.Routes) != 1 || n.Routes[0].Gateway.String() != "10.8.0.5" || n.Labels["a"] != "b" {
		t.Errorf("made %+v", n)
	}
	w.does("add_subnet")(w.hetz.Network.AddSubnet(t.Context(), n, hcloud.NetworkAddSubnetOpts{Subnet: hcloud.NetworkSubnet{Type: "cloud", NetworkZone: "region-1"}}))
	if now := got[*hcloud.Network](t)(w.hetz.Network.GetByID(t.Context(), n.ID)); len(now.Subnets) != 2 || now.Subnets[1].IPRange.String() != "10.8.1.0/24" {
		t.Errorf("the subnets are %+v", now.Subnets)
	}
	w.does("add_subnet")(w.hetz.Network.AddSubnet(t.Context(), n, hcloud.NetworkAddSubnetOpts{Subnet: hcloud.NetworkSubnet{Type: "server", NetworkZone: "region-1"}}))
	if now := got[*hcloud.Network](t)(w.hetz.Network.GetByID(t.Context(), n.ID)); len(now.Subnets) != 3 || now.Subnets[1].Type != "cloud" || now.Subnets[2].Type != "server" {
		t.Errorf("the types of the subnets are those of %+v", now.Subnets)
	}
	for _, body := range []string{
		`{"name":"a"}`, `{"ip_range":"10.0.0.0/16"}`, `{"name":"a","ip_range":"8.8.0.0/16"}`, `{"name":"a","ip_range":"fd00::/64"}`,
		`{"name":"a","ip_range":"10.0.0.0/16","subnets":[{"type":"cloud","ip_range":"10.0.1.0/24","network_zone":"moon"}]}`,
		`{"name":"a","ip_range":"10.0.0.0/16","subnets":[{"type":"cloud","ip_range":"10.1.1.0/24","network_zone":"region-1"}]}`,
		`{"name":"a","ip_range":"10.0.0.0/16","subnets":[{"type":"cloud","ip_range":"10.0.1.0/24"}]}`,
	} {
		w.refuses("POST", "networks", body, 422, "invalid_input")
	}
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	w := open(t)
	instance := w.instance(simcloud.InstanceSpec{Name: "node-1"})
	gateway := addressOf(instance, simcloud.ScopePrivate)
	n := &hcloud.Network{ID: 1}
	add := func(destination, via string) (*hcloud.Action, *hcloud.Response, error) {
		return w.hetz.Network.AddRoute(t.Context(), n, hcloud.NetworkAddRouteOpts{Route: hcloud.NetworkRoute{Destination: cidr(t, destination), Gateway: net.ParseIP(via)}})
	}
	w.does("add_route")(add("10.244.1.0/24", gateway.String()))
	w.does("add_route")(add("10.244.2.0/24", "10.0.200.200"))
	routes := got[*hcloud.Network](t)(w.hetz.Network.GetByID(t.Context(), 1)).Routes
	if len(routes) != 2 || routes[0].Destination.String() != "10.244.1.0/24" || !routes[0].Gateway.Equal(gateway) || routes[1].Gateway.String() != "10.0.200.200" {
		t.Errorf("the routes are %+v", routes)
	}
	table := must[simcloud.RouteTable](t)(w.native.GetRouteTable(t.Context(), "rt-1"))
	if table.Routes[0].NextHop.Address != gateway.String() || table.Routes[1].NextHop.Address != "10.0.200.200" {
		t.Errorf("the cloud has the routes %+v", table.Routes)
	}
	for destination, via := range map[string]string{
		"10.244.1.0/25": "10.0.0.9", "10.244.0.0/16": "10.0.0.9", // overlap
		"8.8.8.0/24": "10.0.0.9", "2001:db8::/64": "10.0.0.9",
		"10.245.0.0/24": "10.0.0.1", "10.246.0.0/24": "10.1.0.9", "10.247.0.0/24": "172.31.1.1",
	} {
		_, _, err := add(destination, via)
		refused(t, err, hcloud.ErrorCodeInvalidInput)
	}
	must[simcloud.Operation](t)(w.native.DeleteInstance(t.Context(), instance.ID))
	routes = got[*hcloud.Network](t)(w.hetz.Network.GetByID(t.Context(), 1)).Routes
	if len(routes) != 2 || !routes[0].Gateway.Equal(gateway) {
		t.Errorf("when the server is gone the routes are %+v", routes)
	}
	remove := func(via net.IP) (*hcloud.Action, *hcloud.Response, error) {
		return w.hetz.Network.DeleteRoute(t.Context(), n, hcloud.NetworkDeleteRouteOpts{Route: hcloud.NetworkRoute{Destination: cidr(t, "10.244.1.0/24"), Gateway: via}})
	}
	_, _, err := remove(net.ParseIP("10.0.0.77"))
	refused(t, err, hcloud.ErrorCodeNotFound)
	_, _, err = remove(nil)
	refused(t, err, hcloud.ErrorCodeInvalidInput)
	w.does("delete_route")(remove(gateway))
	if routes = got[*hcloud.Network](t)(w.hetz.Network.GetByID(t.Context(), 1)).Routes; len(routes) != 1 {
		t.Errorf("at last the routes are %+v", routes)
	}
}

// TestFirstRoute: a network without route table gets one with its first route, with room for 100.
func TestFirstRoute(t *testing.T) {
	t.Parallel()
	w := open(t)
	made := must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "b", CIDRs: []string{"10.32.0.0/16"}})).Resource
	n := got[*hcloud.Network](t)(w.hetz.Network.GetByName(t.Context(), "b"))
	for i := range 101 {
		destination := &net.IPNet{IP: net.IPv4(10, 244, byte(i), 0), Mask: net.CIDRMask(24, 32)}
		_, _, err := w.hetz.Network.AddRoute(t.Context(), n, hcloud.NetworkAddRouteOpts{Route: hcloud.NetworkRoute{Destination: destination, Gateway: net.ParseIP("10.32.0.9")}})
		switch {
		case i < 100 && err != nil:
			t.Fatalf("route %d: %v", i, err)
		case i == 100:
			refused(t, err, hcloud.ErrorCodeResourceLimitExceeded)
		}
	}
	tables := must[simcloud.Page[simcloud.RouteTable]](t)(w.native.ListRouteTables(t.Context(), simcloud.ListOptions{}))
	if len(tables.Items) != 2 || tables.Items[1].Network != made.ID || len(tables.Items[1].Routes) != 100 {
		t.Errorf("the tables are %+v", tables.Items)
	}
	w.instance(simcloud.InstanceSpec{Name: "node-1", Network: made.ID})
	if _, err := w.hetz.Network.Delete(t.Context(), n); !hcloud.IsError(err, "resource_in_use") {
		t.Errorf("a network with a server is deleted: %v", err)
	}
}
