package hcloud_test

import (
	"net"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestProtection: what is protected cannot be deleted until the protection is off.
func TestProtection(t *testing.T) {
	t.Parallel()
	w := open(t)
	on, off := hcloud.Ptr(true), hcloud.Ptr(false)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	lb, server := w.balancer("a"), &hcloud.Server{ID: 1}
	network := got[*hcloud.Network](t)(w.hetz.Network.Create(t.Context(), hcloud.NetworkCreateOpts{Name: "n", IPRange: cidr(t, "10.9.0.0/16")}))
	for name, p := range map[string]struct {
		change func(on *bool) (*hcloud.Action, *hcloud.Response, error)
		remove func() (*hcloud.Response, error)
		shown  func() bool
	}{
		"load balancer": {
			func(on *bool) (*hcloud.Action, *hcloud.Response, error) {
				return w.hetz.LoadBalancer.ChangeProtection(t.Context(), lb, hcloud.LoadBalancerChangeProtectionOpts{Delete: on})
			},
			func() (*hcloud.Response, error) { return w.hetz.LoadBalancer.Delete(t.Context(), lb) },
			func() bool { return w.balancerNow(lb.ID).Protection.Delete },
		},
		"server": {
			func(on *bool) (*hcloud.Action, *hcloud.Response, error) {
				return w.hetz.Server.ChangeProtection(t.Context(), server, hcloud.ServerChangeProtectionOpts{Delete: on, Rebuild: on})
			},
			func() (*hcloud.Response, error) {
				_, res, err := w.hetz.Server.DeleteWithResult(t.Context(), server)
				return res, err
			},
			func() bool {
				p := got[*hcloud.Server](t)(w.hetz.Server.GetByID(t.Context(), 1)).Protection
				return p.Delete && p.Rebuild
			},
		},
		"network": {
			func(on *bool) (*hcloud.Action, *hcloud.Response, error) {
				return w.hetz.Network.ChangeProtection(t.Context(), network, hcloud.NetworkChangeProtectionOpts{Delete: on})
			},
			func() (*hcloud.Response, error) { return w.hetz.Network.Delete(t.Context(), network) },
			func() bool {
				return got[*hcloud.Network](t)(w.hetz.Network.GetByID(t.Context(), network.ID)).Protection.Delete
			},
		},
	} {
		w.does("change_protection")(p.change(on))
		if _, err := p.remove(); !hcloud.IsError(err, hcloud.ErrorCodeProtected) || !p.shown() {
			t.Errorf("%s: deleted while protected: %v", name, err)
		}
		if name == "server" {
			_, _, err := w.hetz.Server.RebuildWithResult(t.Context(), server, hcloud.ServerRebuildOpts{Image: &hcloud.Image{Name: "x"}})
			refused(t, err, hcloud.ErrorCodeProtected)
		}
		w.does("change_protection")(p.change(off))
		if p.shown() {
			t.Errorf("%s: it is protected still", name)
		}
		if _, err := p.remove(); err != nil {
			t.Errorf("%s: deleted without protection: %v", name, err)
		}
	}
}

// TestProtectionsOfServers: one of the two protections does not change alone.
func TestProtectionsOfServers(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	for _, body := range []string{`{"delete":true}`, `{"rebuild":true}`, `{"delete":true,"rebuild":false}`, `{"delete":1}`} {
		w.refuses("POST", "servers/1/actions/change_protection", body, 422, "invalid_input")
	}
	for _, path := range []string{"servers/9", "load_balancers/9", "networks/9"} {
		w.refuses("POST", path+"/actions/change_protection", `{"delete":true}`, 404, "not_found")
	}
}

// TestNetworkUpdate: a network gets another name and labels, and loses a subnet.
func TestNetworkUpdate(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := got[*hcloud.Network](t)(w.hetz.Network.Create(t.Context(), hcloud.NetworkCreateOpts{
		Name: "n", IPRange: cidr(t, "10.9.0.0/16"),
		Subnets: []hcloud.NetworkSubnet{{Type: "cloud", NetworkZone: "region-1", IPRange: cidr(t, "10.9.1.0/24")}},
	}))
	n = got[*hcloud.Network](t)(w.hetz.Network.Update(t.Context(), n, hcloud.NetworkUpdateOpts{Name: "m", Labels: map[string]string{"a": "b"}}))
	if n.Name != "m" || n.Labels["a"] != "b" || n.IPRange.String() != "10.9.0.0/16" || len(n.Subnets) != 1 {
		t.Errorf("updated to %+v", n)
	}
	w.refuses("PUT", "networks/1", `{"labels":{"hetzner.cloud/a":"b"}}`, 422, "invalid_input")
	w.refuses("PUT", "networks/1", `{"expose_routes_to_vswitch":true}`, 422, "unsupported_error")
	w.does("delete_subnet")(w.hetz.Network.DeleteSubnet(t.Context(), n, hcloud.NetworkDeleteSubnetOpts{Subnet: n.Subnets[0]}))
	_, _, err := w.hetz.Network.DeleteSubnet(t.Context(), n, hcloud.NetworkDeleteSubnetOpts{Subnet: n.Subnets[0]})
	refused(t, err, hcloud.ErrorCodeNotFound)
	w.refuses("POST", "networks/1/actions/delete_subnet", `{}`, 422, "invalid_input")
	if now := got[*hcloud.Network](t)(w.hetz.Network.GetByID(t.Context(), n.ID)); len(now.Subnets) != 0 {
		t.Errorf("the subnets are %+v", now.Subnets)
	}
}

// TestNetworkGoesWhole: a network is deleted with its subnets and routes, or with none of them.
func TestNetworkGoesWhole(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := got[*hcloud.Network](t)(w.hetz.Network.Create(t.Context(), hcloud.NetworkCreateOpts{
		Name: "n", IPRange: cidr(t, "10.9.0.0/16"),
		Subnets: []hcloud.NetworkSubnet{{Type: "cloud", NetworkZone: "region-1", IPRange: cidr(t, "10.9.1.0/24")}},
		Routes:  []hcloud.NetworkRoute{{Destination: cidr(t, "10.100.0.0/24"), Gateway: net.ParseIP("10.9.1.5")}},
	}))
	w.does("change_protection")(w.hetz.Network.ChangeProtection(t.Context(), n, hcloud.NetworkChangeProtectionOpts{Delete: hcloud.Ptr(true)}))
	_, err := w.hetz.Network.Delete(t.Context(), n)
	refused(t, err, hcloud.ErrorCodeProtected)
	if now := got[*hcloud.Network](t)(w.hetz.Network.GetByID(t.Context(), n.ID)); len(now.Subnets) != 1 || len(now.Routes) != 1 {
		t.Errorf("after a deletion that was refused it is %+v", now)
	}
	w.does("change_protection")(w.hetz.Network.ChangeProtection(t.Context(), n, hcloud.NetworkChangeProtectionOpts{Delete: hcloud.Ptr(false)}))
	if _, err := w.hetz.Network.Delete(t.Context(), n); err != nil {
		t.Error(err)
	}
}

// TestUsedSubnetStays: a subnet that something is in cannot be deleted.
func TestUsedSubnetStays(t *testing.T) {
	t.Parallel()
	w := open(t)
	subnet := must[simcloud.Result[simcloud.Subnet]](t)(w.native.CreateSubnet(t.Context(), simcloud.SubnetSpec{Name: "s", Network: "net-1", CIDR: "10.0.5.0/24"}))
	w.instance(simcloud.InstanceSpec{Name: "node-1", Subnet: subnet.Resource.ID})
	w.refuses("POST", "networks/1/actions/delete_subnet", `{"ip_range":"10.0.5.0/24"}`, 422, "resource_in_use")
}
