package openstack_test

import (
	"net/http"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/loadbalancers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/floatingips"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// TestPortOfItsOwn: a port can exist by itself. It reserves its address, becomes the VIP of a load balancer, cannot be deleted
// meanwhile, and stays when that is gone.
func TestPortOfItsOwn(t *testing.T) {
	t.Parallel()
	l := openLab(t, 1)
	network := service.Networks.UUID("net-1")
	made := must[*ports.Port](t)(ports.Create(t.Context(), l.neutron(), ports.CreateOpts{
		NetworkID: network, Name: "vip of web", FixedIPs: []ports.IP{{SubnetID: subnet4, IPAddress: "10.0.77.7"}},
	}).Extract())
	if made.Name != "vip of web" || made.Status != "DOWN" || len(made.FixedIPs) != 1 || made.FixedIPs[0] != (ports.IP{SubnetID: subnet4, IPAddress: "10.0.77.7"}) || made.NetworkID != network {
		t.Fatalf("the port is %+v", made)
	}
	if listed := l.listPorts(ports.ListOpts{Name: "vip of web"}); len(listed) != 1 || listed[0] != made.ID {
		t.Errorf("listed are %v, want %s", listed, made.ID)
	}
	_, err := ports.Create(t.Context(), l.neutron(), ports.CreateOpts{NetworkID: network, FixedIPs: []ports.IP{{IPAddress: "10.0.77.7"}}}).Extract()
	if !gophercloud.ResponseCodeIs(err, http.StatusConflict) {
		t.Errorf("a second port with the address: %v", err)
	}
	lb := must[*loadbalancers.LoadBalancer](t)(loadbalancers.Create(t.Context(), l.lbaas, loadbalancers.CreateOpts{Name: "web", VipPortID: made.ID}).Extract())
	if lb.VipAddress != "10.0.77.7" || lb.VipPortID != made.ID || lb.VipSubnetID != subnet4 || lb.VipNetworkID != network || l.balancer(lb.ID).VipPortID != made.ID {
		t.Errorf("the load balancer is %+v", lb)
	}
	if used := l.getPort(made.ID); used.DeviceID != "lb-"+lb.ID || used.DeviceOwner != "Octavia" || used.Status != "ACTIVE" {
		t.Errorf("the port is %+v", used)
	}
	if listed := l.listPorts(ports.ListOpts{DeviceID: "lb-" + lb.ID}); len(listed) != 1 || listed[0] != made.ID {
		t.Errorf("the load balancer has the ports %v", listed)
	}
	if err := ports.Delete(t.Context(), l.neutron(), made.ID).ExtractErr(); !gophercloud.ResponseCodeIs(err, http.StatusConflict) {
		t.Errorf("the deletion of a port in use: %v", err)
	}
	l.post("loadbalancers", `{"loadbalancer": {"vip_port_id": "`+made.ID+`"}}`, http.StatusConflict, "")
	pool := must[simcloud.Page[simcloud.FloatingIPPool]](t)(l.native.ListFloatingIPPools(t.Context(), simcloud.ListOptions{})).Items[0]
	fip := must[*floatingips.FloatingIP](t)(floatingips.Create(t.Context(), l.neutron(), floatingips.CreateOpts{
		FloatingNetworkID: service.NamedUUID("network", pool.Name), PortID: made.ID,
	}).Extract())
	if fip.PortID != made.ID || fip.FixedIP != "10.0.77.7" {
		t.Errorf("the floating IP is %+v", fip)
	}
	if err := loadbalancers.Delete(t.Context(), l.lbaas, lb.ID, loadbalancers.DeleteOpts{}).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	name := "kept"
	left := must[*ports.Port](t)(ports.Update(t.Context(), l.neutron(), made.ID, ports.UpdateOpts{Name: &name}).Extract())
	if left.Name != "kept" || left.DeviceID != "" || left.FixedIPs[0].IPAddress != "10.0.77.7" {
		t.Errorf("after the load balancer the port is %+v", left)
	}
	if err := ports.Delete(t.Context(), l.neutron(), made.ID).ExtractErr(); err != nil {
		t.Error(err)
	}
	if _, err := ports.Get(t.Context(), l.neutron(), made.ID).Extract(); !gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
		t.Errorf("a deleted port: %v", err)
	}
}

// TestPortsRefused: what a port cannot have, and whose port cannot be deleted.
func TestPortsRefused(t *testing.T) {
	t.Parallel()
	l := openLab(t, 1)
	network := service.Networks.UUID("net-1")
	for body, want := range map[string]int{
		`{}`: http.StatusBadRequest, `{"port": {}}`: http.StatusBadRequest, `{"port": {"network_id": "x"}}`: http.StatusNotFound,
		`{"port": {"network_id": "` + network + `", "fixed_ips": [{"subnet_id": "x"}]}}`:          http.StatusNotFound,
		`{"port": {"network_id": "` + network + `", "fixed_ips": [{"ip_address": "x"}]}}`:         http.StatusBadRequest,
		`{"port": {"network_id": "` + network + `", "fixed_ips": [{}]}}`:                          http.StatusBadRequest,
		`{"port": {"network_id": "` + network + `", "fixed_ips": [{"ip_address": "192.0.2.1"}]}}`: http.StatusBadRequest,
		`{"port": {"network_id": "` + network + `", "admin_state_up": false}}`:                    http.StatusNotImplemented,
	} {
		if got := l.send(http.MethodPost, "/network/v2.0/ports", body); got.status != want {
			t.Errorf("%s: %d %s, want the status %d", body, got.status, got.body, want)
		}
	}
	if err := ports.Delete(t.Context(), l.neutron(), service.ServerPorts.UUIDOfPart("i-1", 1)).ExtractErr(); !gophercloud.ResponseCodeIs(err, http.StatusNotImplemented) {
		t.Errorf("the deletion of the port of a server: %v", err)
	}
	l.post("loadbalancers", `{"loadbalancer": {"vip_port_id": "3f0e7a52-6c1d-4b8e-9f2a-1d2c3b4a5e6f"}}`, http.StatusNotFound, "not found")
}
