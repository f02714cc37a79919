package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/attributestags"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/portsecurity"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/groups"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// balancer makes a load balancer as Octavia does: with a private address, and able to take floating IPs.
func (w world) balancer(name string) simcloud.LoadBalancer {
	w.Helper()
	return must[simcloud.Result[simcloud.LoadBalancer]](w)(w.native.CreateLoadBalancer(w.Context(), simcloud.LoadBalancerSpec{
		Name: name, Networks: []simcloud.NetworkAttachment{{Network: "net-1"}},
	})).Resource
}

// privateOf is the private IPv4 address of an instance in its own network.
func (w world) privateOf(i simcloud.Instance) string {
	w.Helper()
	for _, a := range i.Addresses {
		if a.Scope == simcloud.ScopePrivate && a.Network == "" {
			return a.Address
		}
	}
	w.Fatalf("%s has no private address", i.ID)
	return ""
}

// listPorts are the ids of the ports that a query asks for.
func (w world) listPorts(opts ports.ListOpts) []string {
	w.Helper()
	return ids(all(w, ports.List(w.neutron(), opts), ports.ExtractPorts), func(p ports.Port) string { return p.ID })
}

// getPort returns a port.
func (w world) getPort(id string) ports.Port {
	w.Helper()
	return *must[*ports.Port](w)(ports.Get(w.Context(), w.neutron(), id).Extract())
}

func TestPorts(t *testing.T) {
	t.Parallel()
	w := open(t)
	other := w.network(simcloud.NetworkSpec{Name: "other", CIDRs: []string{"10.9.0.0/16", "fd09::/56"}})
	sub := must[simcloud.Result[simcloud.Subnet]](t)(w.native.CreateSubnet(t.Context(), simcloud.SubnetSpec{Name: "s", Network: other.ID, CIDR: "10.9.1.0/24"})).Resource
	i := w.instance(simcloud.InstanceSpec{Name: "node-1", Zone: "zone-b", Networks: []simcloud.NetworkAttachment{{Network: other.ID, Subnet: sub.ID}}})
	second := w.instance(simcloud.InstanceSpec{Name: "node-2"})
	lb := w.balancer("web")

	first, attached := service.ServerPorts.UUIDOfPart("i-1", 1), service.ServerPorts.UUIDOfPart("i-1", service.NumberOf(other.ID))
	ofSecond, vip, router := service.ServerPorts.UUIDOfPart(second.ID, 1), service.VIPPorts.UUID(lb.ID), service.RouterPorts.UUID("rt-1")
	same(t, "all", w.listPorts(ports.ListOpts{}), []string{first, attached, ofSecond, vip, router})
	device := service.Servers.UUID(i.ID)
	private, vipAddress := w.privateOf(i), lb.VIPs[0].Address
	for what, c := range map[string]struct {
		opts ports.ListOpts
		want []string
	}{
		"server":                 {ports.ListOpts{DeviceID: device}, []string{first, attached}},
		"server in a network":    {ports.ListOpts{DeviceID: device, NetworkID: service.Networks.UUID(other.ID)}, []string{attached}},
		"server that is gone":    {ports.ListOpts{DeviceID: service.Servers.UUID("i-77")}, []string{}},
		"no device":              {ports.ListOpts{DeviceID: "x"}, []string{}},
		"router":                 {ports.ListOpts{DeviceID: service.Routers.UUID("rt-1")}, []string{router}},
		"router that is gone":    {ports.ListOpts{DeviceID: service.Routers.UUID("rt-7")}, []string{}},
		"load balancer":          {ports.ListOpts{DeviceID: "lb-" + service.LoadBalancers.UUID(lb.ID)}, []string{vip}},
		"load balancer, gone":    {ports.ListOpts{DeviceID: "lb-" + service.LoadBalancers.UUID("lb-7")}, []string{}},
		"zone":                   {ports.ListOpts{DeviceOwner: "compute:zone-b"}, []string{first, attached}},
		"Octavia":                {ports.ListOpts{DeviceOwner: "Octavia"}, []string{vip}},
		"interfaces":             {ports.ListOpts{DeviceOwner: "network:router_interface"}, []string{router}},
		"name":                   {ports.ListOpts{Name: "octavia-lb-" + service.LoadBalancers.UUID(lb.ID)}, []string{vip}},
		"id":                     {ports.ListOpts{ID: ofSecond}, []string{ofSecond}},
		"status":                 {ports.ListOpts{Status: "DOWN"}, []string{}},
		"address":                {ports.ListOpts{FixedIPs: []ports.FixedIPOpts{{IPAddress: private}}}, []string{first}},
		"address in network":     {ports.ListOpts{FixedIPs: []ports.FixedIPOpts{{IPAddress: private}}, NetworkID: service.Networks.UUID(other.ID)}, []string{}},
		"address of VIP":         {ports.ListOpts{FixedIPs: []ports.FixedIPOpts{{IPAddress: vipAddress}}}, []string{vip}},
		"address of gateway":     {ports.ListOpts{FixedIPs: []ports.FixedIPOpts{{IPAddress: "10.0.0.1"}}}, []string{router}},
		"address of no one":      {ports.ListOpts{FixedIPs: []ports.FixedIPOpts{{IPAddress: "10.0.9.9"}}}, []string{}},
		"subnet":                 {ports.ListOpts{FixedIPs: []ports.FixedIPOpts{{SubnetID: service.Subnets.UUID(sub.ID)}}}, []string{attached}},
		"address and subnet":     {ports.ListOpts{FixedIPs: []ports.FixedIPOpts{{IPAddress: private}, {SubnetID: service.Subnets.UUID(sub.ID)}}}, []string{}},
		"part of an address":     {ports.ListOpts{FixedIPs: []ports.FixedIPOpts{{IPAddressSubstr: "10.9."}}}, []string{attached}},
		"security group, no one": {ports.ListOpts{SecurityGroups: []string{service.SecurityGroups.UUID("sg-1")}}, []string{}},
	} {
		same(t, what, w.listPorts(c.opts), c.want)
	}
	if got := w.send(http.MethodGet, "/network/v2.0/ports?fixed_ips=colour%3Dred", ""); got.status != http.StatusBadRequest || !strings.Contains(got.body, "fixed_ips") {
		t.Errorf("an unknown filter: %d %s", got.status, got.body)
	}

	p := w.getPort(first)
	if p.DeviceID != device || p.DeviceOwner != "compute:zone-b" || p.Status != "ACTIVE" || p.MACAddress != service.MAC(i.ID) || p.NetworkID != service.Networks.UUID("net-1") {
		t.Errorf("the port is %+v", p)
	}
	same(t, "fixed IPs", p.FixedIPs, []ports.IP{{SubnetID: service.WholeSubnets.UUID("net-1"), IPAddress: private}})
	// The network has IPv6 too, which is in no subnet.
	whole6 := service.WholeSubnets.UUIDOfPart(other.ID, 1)
	if got := w.getPort(attached).FixedIPs; len(got) != 2 || got[0].SubnetID != service.Subnets.UUID(sub.ID) || !strings.HasPrefix(got[0].IPAddress, "10.9.1.") || got[1].SubnetID != whole6 {
		t.Errorf("the fixed IPs of the other network are %+v", got)
	}
	p = w.getPort(vip)
	if p.Name != "octavia-lb-"+service.LoadBalancers.UUID(lb.ID) || !slices.Equal(p.FixedIPs, []ports.IP{{SubnetID: service.WholeSubnets.UUID("net-1"), IPAddress: vipAddress}}) {
		t.Errorf("the port of the VIP is %+v", p)
	}
	var secure portsecurity.PortSecurityExt
	if err := ports.Get(t.Context(), w.neutron(), first).ExtractInto(&secure); err != nil || !secure.PortSecurityEnabled {
		t.Errorf("port security is %+v, %v", secure, err)
	}
	for _, id := range []string{service.ServerPorts.UUIDOfPart("i-1", 7), service.ServerPorts.UUIDOfPart("i-77", 1), service.VIPPorts.UUID("lb-7"), service.RouterPorts.UUIDOfPart("rt-1", 1), "x", device} {
		refused(t, ports.Get(t.Context(), w.neutron(), id).Err, http.StatusNotFound, "PortNotFound")
	}
}

// TestPortBuilds: the port of a server that is not there yet is not ACTIVE.
func TestPortBuilds(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.Slow(time.Hour), simtest.ManualClock())
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	id := service.ServerPorts.UUIDOfPart("i-1", 1)
	if status := w.getPort(id).Status; status != "BUILD" {
		t.Errorf("the port is %s, want BUILD", status)
	}
	must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Hour)))
	if status := w.getPort(id).Status; status != "ACTIVE" {
		t.Errorf("the port is %s, want ACTIVE", status)
	}
}

// TestPortWhileBusy: Neutron does not ask what Nova does with a server, where the configuration allows that.
func TestPortWhileBusy(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.Slow(time.Hour), simtest.ManualClock())
	i := w.instance(simcloud.InstanceSpec{Name: "node-1"})
	id := service.ServerPorts.UUIDOfPart("i-1", 1)
	opts := ports.UpdateOpts{AllowedAddressPairs: &[]ports.AddressPair{{IPAddress: "10.244.1.0/24"}}}
	refused(t, ports.Update(t.Context(), w.neutron(), id, opts).Err, http.StatusConflict, `"Conflict"`)
	w.configure(simcloud.ConfigUpdate{ChangesWhileBusy: &[]simcloud.Kind{simcloud.KindInstance}})
	if err := ports.Update(t.Context(), w.neutron(), id, opts).Err; err != nil {
		t.Error(err)
	}
	same(t, "the pairs", w.getPort(id).AllowedAddressPairs, []ports.AddressPair{{IPAddress: "10.244.1.0/24", MACAddress: service.MAC(i.ID)}})
}

// TestAllowedAddressPairs: each port of a server has pairs of its own.
func TestAllowedAddressPairs(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	other := w.network(simcloud.NetworkSpec{Name: "other", CIDRs: []string{"10.9.0.0/16"}})
	i := w.instance(simcloud.InstanceSpec{Name: "node-1", Networks: []simcloud.NetworkAttachment{{Network: other.ID}}})
	id, second := service.ServerPorts.UUIDOfPart("i-1", 1), service.ServerPorts.UUIDOfPart("i-1", service.NumberOf(other.ID))
	mac := service.MAC(i.ID)
	set := func(port string, pairs ...ports.AddressPair) error {
		return ports.Update(t.Context(), n, port, ports.UpdateOpts{AllowedAddressPairs: &pairs}).Err
	}
	check := func(port string, want ...ports.AddressPair) {
		t.Helper()
		same(t, "the pairs", w.getPort(port).AllowedAddressPairs, want)
	}
	check(id)
	if err := set(id, ports.AddressPair{IPAddress: "10.244.1.0/24"}, ports.AddressPair{IPAddress: "fd00::/64", MACAddress: "FA:16:3E:00:00:01"}); err != nil {
		t.Fatal(err)
	}
	want := []ports.AddressPair{{IPAddress: "10.244.1.0/24", MACAddress: mac}, {IPAddress: "fd00::/64", MACAddress: "fa:16:3e:00:00:01"}}
	check(id, want...)
	check(second)
	if err := set(second, ports.AddressPair{IPAddress: "10.244.2.0/24"}); err != nil {
		t.Fatal(err)
	}
	check(id, want...)
	check(second, ports.AddressPair{IPAddress: "10.244.2.0/24", MACAddress: mac})
	if err := set(id); err != nil {
		t.Fatal(err)
	}
	check(id)
	check(second, ports.AddressPair{IPAddress: "10.244.2.0/24", MACAddress: mac})

	many := make([]ports.AddressPair, 11)
	for i := range many {
		many[i].IPAddress = "10.244.0." + string(rune('0'+i%10))
	}
	refused(t, set(id, many...), http.StatusBadRequest, "AllowedAddressPairExhausted")
	refused(t, set(id, many[0], many[0]), http.StatusBadRequest, "DuplicateAddressPairInRequest")
	refused(t, set(id, ports.AddressPair{IPAddress: "nowhere"}), http.StatusBadRequest, "InvalidInput")
	refused(t, set(id, ports.AddressPair{IPAddress: "10.0.0.1", MACAddress: "x"}), http.StatusBadRequest, "InvalidInput")
	refused(t, set(service.RouterPorts.UUID("rt-1"), many[0]), http.StatusNotImplemented, "ports of servers alone")
	refused(t, set(service.ServerPorts.UUIDOfPart("i-7", 1), many[0]), http.StatusNotFound, "PortNotFound")
	check(id)

	w.configure(simcloud.ConfigUpdate{DialectVariants: &map[string]string{simcloud.VariantOpenStackExtensions: "no-allowed-address-pairs"}})
	refused(t, set(id, many[0]), http.StatusBadRequest, "extension allowed-address-pairs")
	if body := w.send(http.MethodGet, "/network/v2.0/ports/"+second, "").body; strings.Contains(body, "allowed_address_pairs") {
		t.Errorf("without the extension the port is %s", body)
	}
}

// TestPortSecurityGroups: the groups of a port are those of its server.
func TestPortSecurityGroups(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	i := w.instance(simcloud.InstanceSpec{Name: "node-1"})
	w.instance(simcloud.InstanceSpec{Name: "node-2"})
	a := must[*groups.SecGroup](t)(groups.Create(t.Context(), n, groups.CreateOpts{Name: "a"}).Extract()).ID
	b := must[*groups.SecGroup](t)(groups.Create(t.Context(), n, groups.CreateOpts{Name: "b"}).Extract()).ID
	id := service.ServerPorts.UUIDOfPart("i-1", 1)
	set := func(port string, uuids ...string) error {
		return ports.Update(t.Context(), n, port, ports.UpdateOpts{SecurityGroups: &uuids}).Err
	}
	if err := set(id, b, a, b); err != nil {
		t.Fatal(err)
	}
	same(t, "the groups", w.getPort(id).SecurityGroups, []string{b, a})
	same(t, "the core's groups", must[simcloud.Instance](t)(w.native.GetInstance(t.Context(), i.ID)).SecurityGroups, []simcloud.ID{"sg-2", "sg-1"})
	same(t, "ports of a group", w.listPorts(ports.ListOpts{SecurityGroups: []string{a}}), []string{id})
	refused(t, groups.Delete(t.Context(), n, a).Err, http.StatusConflict, "SecurityGroupInUse")
	refused(t, set(id, service.SecurityGroups.UUID("sg-7")), http.StatusNotFound, "SecurityGroupNotFound")
	refused(t, set(id, "x"), http.StatusNotFound, "Security group x could not be found")
	same(t, "the groups", w.getPort(id).SecurityGroups, []string{b, a})
	if err := set(id); err != nil {
		t.Fatal(err)
	}
	same(t, "no groups", w.getPort(id).SecurityGroups, []string{})
	if err := groups.Delete(t.Context(), n, a).Err; err != nil {
		t.Error(err)
	}
}

func TestPortTags(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	id := service.ServerPorts.UUIDOfPart("i-1", 1)
	for _, tag := range []string{"one", "two", "one"} {
		if err := attributestags.Add(t.Context(), n, "ports", id, tag).ExtractErr(); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "tags", w.getPort(id).Tags, []string{"one", "two"})
	same(t, "by tag", w.listPorts(ports.ListOpts{Tags: "two"}), []string{id})
	if err := attributestags.Delete(t.Context(), n, "ports", id, "one").ExtractErr(); err != nil {
		t.Fatal(err)
	}
	same(t, "tags", w.getPort(id).Tags, []string{"two"})
	refused(t, attributestags.Delete(t.Context(), n, "ports", id, "one").ExtractErr(), http.StatusNotFound, "TagNotFound")
	refused(t, attributestags.Delete(t.Context(), n, "ports", "x", "one").ExtractErr(), http.StatusNotFound, "PortNotFound")
	refused(t, attributestags.Add(t.Context(), n, "ports", id, "a,b").ExtractErr(), http.StatusBadRequest, "comma")
	refused(t, attributestags.Add(t.Context(), n, "ports", id, strings.Repeat("x", 1100)).ExtractErr(), http.StatusBadRequest, "1024 bytes")
}
