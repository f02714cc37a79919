package openstack_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/floatingips"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// The ids of the external network of IPv4 and of its subnet.
var (
	external4     = service.NamedUUID("network", pool4Name)
	externalSub4  = service.NamedUUID("subnet", pool4Name)
	description   = "Floating IP for Kubernetes external service default/web from cluster kubernetes"
	internalNet   = service.Networks.UUID("net-1")
	defaultRouter = service.Routers.UUID("rt-1")
)

// newFloatingIP makes a floating IP, which may lead to a port.
func (w world) newFloatingIP(opts floatingips.CreateOpts) floatingips.FloatingIP {
	w.Helper()
	if opts.FloatingNetworkID == "" {
		opts.FloatingNetworkID = external4
	}
	return *must[*floatingips.FloatingIP](w)(floatingips.Create(w.Context(), w.neutron(), opts).Extract())
}

func (w world) getFloatingIP(id string) floatingips.FloatingIP {
	w.Helper()
	return *must[*floatingips.FloatingIP](w)(floatingips.Get(w.Context(), w.neutron(), id).Extract())
}

func (w world) listFloatingIPs(opts floatingips.ListOpts) []string {
	w.Helper()
	return ids(all(w, floatingips.List(w.neutron(), opts), floatingips.ExtractFloatingIPs), func(f floatingips.FloatingIP) string { return f.ID })
}

// put sends an update of a floating IP as it stands.
func (w world) put(id, body string) sent {
	w.Helper()
	return w.send(http.MethodPut, "/network/v2.0/floatingips/"+id, body)
}

func TestFloatingIP(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	lb := w.balancer("web")
	i := w.instance(simcloud.InstanceSpec{Name: "node-1"})
	vip, server := service.VIPPorts.UUID(lb.ID), service.ServerPorts.UUIDOfPart(i.ID, 1)

	loose := w.newFloatingIP(floatingips.CreateOpts{SubnetID: externalSub4})
	if loose.ID != service.FloatingIPs.UUID("fip-1") || loose.Status != "DOWN" || loose.PortID != "" || loose.FixedIP != "" || loose.RouterID != "" || loose.FloatingNetworkID != external4 {
		t.Errorf("the floating IP is %+v", loose)
	}
	f := w.newFloatingIP(floatingips.CreateOpts{PortID: vip, Description: description})
	if f.Status != "ACTIVE" || f.PortID != vip || f.FixedIP != lb.VIPs[0].Address || f.RouterID != defaultRouter || f.Description != description {
		t.Errorf("the floating IP is %+v", f)
	}
	if got := w.getFloatingIP(f.ID); got.PortID != vip || got.Description != description {
		t.Errorf("the floating IP is %+v", got)
	}
	core := must[simcloud.FloatingIP](t)(w.native.GetFloatingIP(t.Context(), "fip-2"))
	if core.AttachedTo != (simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: lb.ID}) || core.Name != "Floating-IP-for-Kubernetes-external-service-default-web-from-cluster-kubernetes" {
		t.Errorf("the core's floating IP is %+v", core)
	}
	refused(t, floatingips.Create(t.Context(), n, floatingips.CreateOpts{FloatingNetworkID: external4, PortID: vip}).Err, http.StatusConflict, "FloatingIPPortAlreadyAssociated")
	ofServer := w.newFloatingIP(floatingips.CreateOpts{PortID: server, FixedIP: w.privateOf(i)})
	if ofServer.PortID != server || ofServer.FixedIP != w.privateOf(i) {
		t.Errorf("the floating IP is %+v", ofServer)
	}
	for what, c := range map[string]struct {
		opts floatingips.ListOpts
		want []string
	}{
		"all": {floatingips.ListOpts{}, []string{loose.ID, f.ID, ofServer.ID}}, "port": {floatingips.ListOpts{PortID: vip}, []string{f.ID}},
		"address": {floatingips.ListOpts{FloatingIP: loose.FloatingIP}, []string{loose.ID}}, "status": {floatingips.ListOpts{Status: "ACTIVE"}, []string{f.ID, ofServer.ID}},
		"network": {floatingips.ListOpts{FloatingNetworkID: internalNet}, []string{}}, "router": {floatingips.ListOpts{RouterID: defaultRouter}, []string{f.ID, ofServer.ID}},
		"fixed": {floatingips.ListOpts{FixedIP: w.privateOf(i)}, []string{ofServer.ID}}, "description": {floatingips.ListOpts{Description: description}, []string{f.ID}},
	} {
		same(t, what, w.listFloatingIPs(c.opts), c.want)
	}
	// While it leads to a port, it can be deleted all the same.
	if err := floatingips.Delete(t.Context(), n, f.ID).Err; err != nil {
		t.Fatal(err)
	}
	refused(t, floatingips.Get(t.Context(), n, f.ID).Err, http.StatusNotFound, "FloatingIPNotFound")
	refused(t, floatingips.Delete(t.Context(), n, f.ID).Err, http.StatusNotFound, "Floating IP "+f.ID+" could not be found.")
	if got := must[simcloud.LoadBalancer](t)(w.native.GetLoadBalancer(t.Context(), lb.ID)).VIPs; len(got) != 1 {
		t.Errorf("the VIPs are %+v", got)
	}
	// The floating IP of what is deleted stays.
	must[simcloud.Operation](t)(w.native.DeleteInstance(t.Context(), i.ID))
	if got := w.getFloatingIP(ofServer.ID); got.PortID != "" || got.Status != "DOWN" {
		t.Errorf("the floating IP is %+v", got)
	}
}

// TestFloatingIPUpdate: an empty object detaches a floating IP, other attributes alone do not.
func TestFloatingIPUpdate(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	vip, other := service.VIPPorts.UUID(w.balancer("web").ID), service.VIPPorts.UUID(w.balancer("other").ID)
	f := w.newFloatingIP(floatingips.CreateOpts{Description: "one"})
	attach := func(id, port string) error {
		return floatingips.Update(t.Context(), n, id, floatingips.UpdateOpts{PortID: &port}).Err
	}
	leads := func(id, port string) {
		t.Helper()
		if got := w.getFloatingIP(id); got.PortID != port {
			t.Errorf("%s leads to %q, want %q", id, got.PortID, port)
		}
	}
	for _, detaching := range []string{`{"floatingip":{}}`, `{"floatingip":{"port_id":null}}`, `{"floatingip":{"port_id":null,"description":"two"}}`} {
		if err := attach(f.ID, vip); err != nil {
			t.Fatal(err)
		}
		if err := attach(f.ID, vip); err != nil { // as it is
			t.Fatal(err)
		}
		leads(f.ID, vip)
		if got := w.put(f.ID, `{"floatingip":{"description":"three"}}`); got.status != http.StatusOK || !strings.Contains(got.body, vip) || !strings.Contains(got.body, "three") {
			t.Errorf("a description: %d %s", got.status, got.body)
		}
		if got := w.put(f.ID, `{"floatingip":{"fixed_ip_address":"10.0.0.9"}}`); got.status != http.StatusOK || !strings.Contains(got.body, vip) {
			t.Errorf("a fixed address alone: %d %s", got.status, got.body)
		}
		if got := w.put(f.ID, detaching); got.status != http.StatusOK || strings.Contains(got.body, vip) {
			t.Errorf("%s: %d %s", detaching, got.status, got.body)
		}
		leads(f.ID, "")
		if got := w.put(f.ID, detaching); got.status != http.StatusOK {
			t.Errorf("%s once more: %d %s", detaching, got.status, got.body)
		}
	}
	if got := w.getFloatingIP(f.ID); got.Description != "two" {
		t.Errorf("the description is %q", got.Description)
	}

	second := w.newFloatingIP(floatingips.CreateOpts{PortID: other})
	refused(t, attach(f.ID, other), http.StatusConflict, "FloatingIPPortAlreadyAssociated")
	leads(second.ID, other)
	if err := attach(second.ID, vip); err != nil { // it moves
		t.Fatal(err)
	}
	leads(second.ID, vip)
	refused(t, attach(second.ID, service.VIPPorts.UUID("lb-7")), http.StatusNotFound, "PortNotFound")
	leads(second.ID, vip) // all or nothing
	refused(t, attach(service.FloatingIPs.UUID("fip-7"), vip), http.StatusNotFound, "FloatingIPNotFound")
	if got := w.put(f.ID, `{}`); got.status != http.StatusBadRequest {
		t.Errorf("no floatingip: %d %s", got.status, got.body)
	}
	if got := w.put(f.ID, `{"floatingip":{"colour":"red"}}`); got.status != http.StatusBadRequest || !strings.Contains(got.body, "colour") {
		t.Errorf("an unknown attribute: %d %s", got.status, got.body)
	}
}

// TestFloatingIPOfSecondPort: a floating IP leads to the port of a server that it was attached to, and to no other.
func TestFloatingIPOfSecondPort(t *testing.T) {
	t.Parallel()
	w := open(t)
	other := w.network(simcloud.NetworkSpec{Name: "other", CIDRs: []string{"10.9.0.0/16"}})
	w.instance(simcloud.InstanceSpec{Name: "node-1", Networks: []simcloud.NetworkAttachment{{Network: other.ID}}})
	first, second := service.ServerPorts.UUIDOfPart("i-1", 1), service.ServerPorts.UUIDOfPart("i-1", service.NumberOf(other.ID))
	f := w.newFloatingIP(floatingips.CreateOpts{PortID: second})
	if f.PortID != second || !strings.HasPrefix(f.FixedIP, "10.9.") || f.RouterID != "" {
		t.Errorf("the floating IP is %+v", f)
	}
	moved := must[*floatingips.FloatingIP](t)(floatingips.Update(t.Context(), w.neutron(), f.ID, floatingips.UpdateOpts{PortID: &first}).Extract())
	if moved.PortID != first || !strings.HasPrefix(moved.FixedIP, "10.0.") {
		t.Errorf("the floating IP is %+v", moved)
	}
}

func TestFloatingIPRefusals(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	taken := w.newFloatingIP(floatingips.CreateOpts{})
	six := w.network(simcloud.NetworkSpec{Name: "six", CIDRs: []string{"fd09::/56"}})
	i := w.instance(simcloud.InstanceSpec{Name: "node-1", Network: six.ID})
	server := service.ServerPorts.UUIDOfPart(i.ID, service.NumberOf(six.ID))
	vip := service.VIPPorts.UUID(w.balancer("web").ID)
	for text, c := range map[string]struct {
		status int
		opts   floatingips.CreateOpts
	}{
		`"NetworkNotFound"`:               {http.StatusNotFound, floatingips.CreateOpts{FloatingNetworkID: service.Networks.UUID("net-77")}},
		`Network x could not be found`:    {http.StatusNotFound, floatingips.CreateOpts{FloatingNetworkID: "x"}},
		`is not a valid external network`: {http.StatusBadRequest, floatingips.CreateOpts{FloatingNetworkID: internalNet}},
		`"SubnetNotFound"`:                {http.StatusNotFound, floatingips.CreateOpts{FloatingNetworkID: external4, SubnetID: service.Subnets.UUID("subnet-1")}},
		`"PortNotFound"`:                  {http.StatusNotFound, floatingips.CreateOpts{FloatingNetworkID: external4, PortID: "x"}},
		`"IpAddressInUse"`:                {http.StatusConflict, floatingips.CreateOpts{FloatingNetworkID: external4, FloatingIP: taken.FloatingIP}},
		`floating_ip_address: `:           {http.StatusBadRequest, floatingips.CreateOpts{FloatingNetworkID: external4, FloatingIP: "192.0.2.1"}},
		`does not have an IPv4 address`:   {http.StatusBadRequest, floatingips.CreateOpts{FloatingNetworkID: external4, PortID: server}},
		`does not have fixed ip 10.0.9.9`: {http.StatusBadRequest, floatingips.CreateOpts{FloatingNetworkID: external4, PortID: vip, FixedIP: "10.0.9.9"}},
		`is of a router`:                  {http.StatusBadRequest, floatingips.CreateOpts{FloatingNetworkID: external4, PortID: service.RouterPorts.UUID("rt-1")}},
		`"PolicyNotAuthorized"`:           {http.StatusForbidden, floatingips.CreateOpts{FloatingNetworkID: external4, ProjectID: "someone"}},
	} {
		refused(t, floatingips.Create(t.Context(), n, c.opts).Err, c.status, text)
	}
	if got := w.send(http.MethodPost, "/network/v2.0/floatingips", `{"floatingip":{}}`); got.status != http.StatusBadRequest || !strings.Contains(got.body, "floating_network_id") {
		t.Errorf("without a network: %d %s", got.status, got.body)
	}
	must[simcloud.Result[simcloud.Quota]](t)(w.native.SetQuota(t.Context(), "default.floating_ip", simcloud.QuotaSpec{Limit: 1}))
	refused(t, floatingips.Create(t.Context(), n, floatingips.CreateOpts{FloatingNetworkID: external4}).Err, http.StatusConflict, `"OverQuota"`)
	same(t, "those that are there", w.listFloatingIPs(floatingips.ListOpts{}), []string{taken.ID})
}

// TestFloatingIPWhileBusy: Neutron does not care for the states of Octavia, where the configuration allows that.
func TestFloatingIPWhileBusy(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.Slow(time.Hour), simtest.ManualClock())
	n := w.neutron()
	vip := service.VIPPorts.UUID(w.balancer("web").ID)
	refused(t, floatingips.Create(t.Context(), n, floatingips.CreateOpts{FloatingNetworkID: external4, PortID: vip}).Err, http.StatusConflict, `"Conflict"`)
	w.configure(simcloud.ConfigUpdate{ChangesWhileBusy: &[]simcloud.Kind{simcloud.KindFloatingIP}})
	f := w.newFloatingIP(floatingips.CreateOpts{PortID: vip})
	if p := must[*ports.Port](t)(ports.Get(t.Context(), n, f.PortID).Extract()); p.Status != "ACTIVE" {
		t.Errorf("the port is %s", p.Status)
	}
	if err := floatingips.Delete(t.Context(), n, f.ID).Err; err != nil {
		t.Error(err)
	}
}
