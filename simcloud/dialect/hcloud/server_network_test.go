package hcloud_test

import (
	"net"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestServerNetworks: a server can be in several networks, with aliases in each.
func TestServerNetworks(t *testing.T) {
	t.Parallel()
	w := open(t)
	other := must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "b", CIDRs: []string{"10.32.0.0/16"}})).Resource
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	server, n := &hcloud.Server{ID: 1}, &hcloud.Network{ID: 2}
	now := func() *hcloud.Server { return got[*hcloud.Server](t)(w.hetz.Server.GetByID(t.Context(), 1)) }
	attach := func(opts hcloud.ServerAttachToNetworkOpts) (*hcloud.Action, *hcloud.Response, error) {
		opts.Network = n
		return w.hetz.Server.AttachToNetwork(t.Context(), server, opts)
	}
	aliases := func(ips ...net.IP) (*hcloud.Action, *hcloud.Response, error) {
		return w.hetz.Server.ChangeAliasIPs(t.Context(), server, hcloud.ServerChangeAliasIPsOpts{Network: n, AliasIPs: ips})
	}
	_, _, err := aliases()
	refused(t, err, hcloud.ErrorCodeInvalidInput)
	_, _, err = attach(hcloud.ServerAttachToNetworkOpts{IP: net.ParseIP("10.33.0.9")})
	refused(t, err, hcloud.ErrorCodeIPNotAvailable)
	_, _, err = attach(hcloud.ServerAttachToNetworkOpts{IP: net.ParseIP("10.32.0.9"), AliasIPs: []net.IP{net.ParseIP("10.33.0.9")}})
	refused(t, err, hcloud.ErrorCodeIPNotAvailable)
	if nets := now().PrivateNet; len(nets) != 1 {
		t.Fatalf("refused attachments have left the networks %+v", nets)
	}

	w.does("attach_to_network")(attach(hcloud.ServerAttachToNetworkOpts{IP: net.ParseIP("10.32.0.9"), AliasIPs: []net.IP{net.ParseIP("10.32.0.10")}}))
	wantNets := func(aliases ...string) {
		t.Helper()
		nets := now().PrivateNet
		if len(nets) != 2 || nets[0].Network.ID != 1 || nets[1].Network.ID != 2 || nets[1].IP.String() != "10.32.0.9" {
			t.Fatalf("the server is in the networks %+v", nets)
		}
		if len(nets[1].Aliases) != len(aliases) || nets[0].MACAddress == nets[1].MACAddress {
			t.Fatalf("the server is in the second network as %+v, want the aliases %v and another network card", nets[1], aliases)
		}
		for i, alias := range aliases {
			if nets[1].Aliases[i].String() != alias {
				t.Errorf("alias %d is %s, want %s", i, nets[1].Aliases[i], alias)
			}
		}
	}
	wantNets("10.32.0.10")
	w.does("change_alias_ips")(aliases(net.ParseIP("10.32.0.10"), net.ParseIP("10.32.0.11")))
	wantNets("10.32.0.10", "10.32.0.11")
	w.does("change_alias_ips")(aliases(net.ParseIP("10.32.0.11"), net.ParseIP("10.32.0.12")))
	wantNets("10.32.0.11", "10.32.0.12")
	w.does("change_alias_ips")(aliases(net.ParseIP("10.32.0.11"), net.ParseIP("10.32.0.12")))
	wantNets("10.32.0.11", "10.32.0.12")
	if in := got[*hcloud.Network](t)(w.hetz.Network.GetByID(t.Context(), 2)); len(in.Servers) != 1 || in.Servers[0].ID != 1 {
		t.Errorf("the network has the servers %+v", in.Servers)
	}
	_, _, err = attach(hcloud.ServerAttachToNetworkOpts{})
	refused(t, err, hcloud.ErrorCodeServerAlreadyAttached)
	w.refuses("POST", "servers/1/actions/attach_to_network", `{}`, 422, "invalid_input")
	w.refuses("POST", "servers/1/actions/detach_from_network", `{"network":1}`, 422, "unsupported_error")
	w.refuses("POST", "servers/1/actions/detach_from_network", `{"network":9}`, 422, "invalid_input")

	must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "c", CIDRs: []string{"10.32.7.0/24"}}))
	_, _, err = w.hetz.Server.AttachToNetwork(t.Context(), server, hcloud.ServerAttachToNetworkOpts{Network: &hcloud.Network{ID: 3}})
	refused(t, err, hcloud.ErrorCodeNetworksOverlap)

	lb := w.balancer("a")
	w.does("attach_to_network")(w.hetz.LoadBalancer.AttachToNetwork(t.Context(), lb, hcloud.LoadBalancerAttachToNetworkOpts{Network: n}))
	w.does("add_target")(w.hetz.LoadBalancer.AddServerTarget(t.Context(), lb, serverTarget(1, true)))
	must[simcloud.Result[simcloud.RouteTable]](t)(w.native.CreateRouteTable(t.Context(), simcloud.RouteTableSpec{Name: "r", Network: other.ID}))
	must[simcloud.Result[simcloud.RouteTable]](t)(w.native.CreateRoute(t.Context(), "rt-2", simcloud.RouteSpec{
		Destination: "10.244.1.0/24", NextHop: simcloud.NextHop{Instance: "i-1"},
	}))
	if in := got[*hcloud.Network](t)(w.hetz.Network.GetByID(t.Context(), 2)); len(in.Routes) != 1 || in.Routes[0].Gateway.String() != "10.32.0.9" {
		t.Errorf("the network has the routes %+v, want one by the server's address there", in.Routes)
	}
	w.does("detach_from_network")(w.hetz.Server.DetachFromNetwork(t.Context(), server, hcloud.ServerDetachFromNetworkOpts{Network: n}))
	if nets, targets := now().PrivateNet, w.balancerNow(lb.ID).Targets; len(nets) != 1 || nets[0].Network.ID != 1 || len(targets) != 0 {
		t.Errorf("after it was detached: networks %+v, targets %+v", nets, targets)
	}
}

// TestServerInNetworks: a server can be created in several networks.
func TestServerInNetworks(t *testing.T) {
	t.Parallel()
	w := open(t)
	must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "b", CIDRs: []string{"10.32.0.0/16"}}))
	got[hcloud.ServerCreateResult](t)(w.hetz.Server.Create(t.Context(), hcloud.ServerCreateOpts{
		Name: "node-1", ServerType: &hcloud.ServerType{Name: "small"}, Image: &hcloud.Image{Name: "debian-12"},
		Networks: []*hcloud.Network{{ID: 2}, {ID: 1}},
	}))
	nets := got[*hcloud.Server](t)(w.hetz.Server.GetByID(t.Context(), 1)).PrivateNet
	if len(nets) != 2 || nets[0].Network.ID != 2 || nets[1].Network.ID != 1 {
		t.Errorf("the server is in the networks %+v", nets)
	}
}
