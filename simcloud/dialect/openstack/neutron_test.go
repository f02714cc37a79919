package openstack_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/common/extensions"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/apiversions"
	netextensions "github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/external"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/floatingips"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/routers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/mtu"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/portsecurity"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/groups"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/rules"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/subnets"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

var (
	// times are fields that Gophercloud reads in its own way.
	times        = []string{"created_at", "updated_at"}
	networkShape = shape{
		types: []any{networks.Network{}, external.NetworkExternalExt{}, mtu.NetworkMTUExt{}, portsecurity.PortSecurityExt{}}, besides: append(times, "availability_zones"),
	}
	subnetShape     = shape{types: []any{subnets.Subnet{}}, besides: times}
	portShape       = shape{types: []any{ports.Port{}, portsecurity.PortSecurityExt{}}, besides: []string{"binding:vnic_type"}, optional: []string{"allowed_address_pairs"}}
	floatingIPShape = shape{types: []any{floatingips.FloatingIP{}}, besides: times}
	routerShape     = shape{types: []any{routers.Router{}}, besides: append(times, "ha", "availability_zones", "flavor_id")}
	groupShape      = shape{types: []any{groups.SecGroup{}}, besides: append(times, "shared")}
	ruleShape       = shape{types: []any{rules.SecGroupRule{}}, besides: times}
	extensionShape  = shape{types: []any{extensions.Extension{}}, optional: []string{"namespace"}}
	neutronShapes   = map[string]shape{
		"versions": {besides: []string{"id", "status", "links"}}, "resources": {besides: []string{"name", "collection", "links"}},
		"extensions": extensionShape, "extension": extensionShape,
		"networks": networkShape, "network": networkShape, "subnets": subnetShape, "subnet": subnetShape, "ports": portShape, "port": portShape,
		"floatingips": floatingIPShape, "floatingip": floatingIPShape, "routers": routerShape, "router": routerShape,
		"security_groups": groupShape, "security_group": groupShape, "security_group_rules": ruleShape, "security_group_rule": ruleShape,
	}
)

// The pools of floating IPs that a new cloud has.
const (
	pool4Name = "public"
	pool6Name = "public-v6"
)

// neutronError checks an error of Neutron.
func neutronError(parts map[string]json.RawMessage) error {
	var e map[string]string
	if err := json.Unmarshal(parts["NeutronError"], &e); err != nil {
		return err
	}
	if _, detail := e["detail"]; len(parts) != 1 || len(e) != 3 || !detail || e["type"] == "" || e["message"] == "" {
		return errors.New("must have NeutronError with type, message and detail")
	}
	return nil
}

// neutron returns a client of the network service.
func (w world) neutron() *gophercloud.ServiceClient {
	w.Helper()
	return w.clientOf(openstack.NewNetworkV2)
}

// ids are the ids of items, in their order.
func ids[T any](items []T, id func(T) string) []string {
	all := []string{}
	for _, item := range items {
		all = append(all, id(item))
	}
	return all
}

// same fails the test unless two lists are the same.
func same[T comparable](t testing.TB, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestNeutronVersions(t *testing.T) {
	t.Parallel()
	w := open(t)
	root := w.neutron()
	root.ResourceBase = ""
	versions := all(w, apiversions.ListVersions(root), apiversions.ExtractAPIVersions)
	if len(versions) != 1 || versions[0] != (apiversions.APIVersion{Status: "CURRENT", ID: "v2.0"}) {
		t.Errorf("the versions are %v", versions)
	}
	resources := all(w, apiversions.ListVersionResources(root, "v2.0"), apiversions.ExtractVersionResources)
	if !slices.Contains(resources, apiversions.APIVersionResource{Name: "floatingip", Collection: "floatingips"}) {
		t.Errorf("the resources are %v", resources)
	}
	if body := w.send(http.MethodGet, "/network/", "").body; !strings.Contains(body, `"href":"`+w.cloud.URL()+`/openstack/network/v2.0/"`) {
		t.Errorf("the version has no link to itself: %s", body)
	}
}

// TestExtensions: the configuration takes away what clients can do without.
func TestExtensions(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	aliases := func() []string {
		t.Helper()
		return ids(all(w, netextensions.List(n), extensions.ExtractExtensions), func(e extensions.Extension) string { return e.Alias })
	}
	everything := aliases()
	for _, alias := range []string{"extraroute", "extraroute-atomic", "allowed-address-pairs", "router", "security-group", "external-net", "port-security"} {
		if !slices.Contains(everything, alias) {
			t.Errorf("the extensions %v lack %s", everything, alias)
		}
	}
	for _, gone := range []string{"extraroute-atomic", "allowed-address-pairs"} {
		w.configure(simcloud.ConfigUpdate{DialectVariants: &map[string]string{simcloud.VariantOpenStackExtensions: "no-" + gone}})
		same(t, "without "+gone, aliases(), slices.DeleteFunc(slices.Clone(everything), func(a string) bool { return a == gone }))
		if err := netextensions.Get(t.Context(), n, gone).Err; !gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			t.Errorf("get %s: %v, want the status 404", gone, err)
		}
	}
	if e := must[*extensions.Extension](t)(netextensions.Get(t.Context(), n, "router").Extract()); e.Alias != "router" || e.Name == "" {
		t.Errorf("the extension is %+v", e)
	}
}

// network makes a network.
func (w world) network(spec simcloud.NetworkSpec) simcloud.Network {
	w.Helper()
	return must[simcloud.Result[simcloud.Network]](w)(w.native.CreateNetwork(w.Context(), spec)).Resource
}

// configure changes the configuration of the cloud.
func (w world) configure(update simcloud.ConfigUpdate) {
	w.Helper()
	must[simcloud.Config](w)(w.native.UpdateConfig(w.Context(), update))
}

func TestNetworks(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	list := func(opts networks.ListOptsBuilder) []string {
		t.Helper()
		return ids(all(w, networks.List(n, opts), networks.ExtractNetworks), func(n networks.Network) string { return n.ID })
	}
	own, pool4, pool6 := service.Networks.UUID("net-1"), service.NamedUUID("network", pool4Name), service.NamedUUID("network", pool6Name)
	same(t, "all", list(nil), []string{own, pool4, pool6})
	yes, no := true, false
	same(t, "external", list(external.ListOptsExt{ListOptsBuilder: networks.ListOpts{}, External: &yes}), []string{pool4, pool6})
	same(t, "not external", list(external.ListOptsExt{ListOptsBuilder: networks.ListOpts{}, External: &no}), []string{own})
	same(t, "by name", list(networks.ListOpts{Name: pool4Name}), []string{pool4})
	same(t, "by id", list(networks.ListOpts{ID: own}), []string{own})
	same(t, "by project", list(networks.ListOpts{ProjectID: service.ProjectUUID("default")}), []string{own})
	same(t, "by status", list(networks.ListOpts{Status: "DOWN"}), []string{})
	if got := w.send(http.MethodGet, "/network/v2.0/networks?router:external=True", "").body; strings.Contains(got, own) || !strings.Contains(got, pool4) {
		t.Errorf("external, as Python writes it: %s", got)
	}

	type whole struct {
		networks.Network
		external.NetworkExternalExt
		mtu.NetworkMTUExt
	}
	var got whole
	if err := networks.Get(t.Context(), n, own).ExtractInto(&got); err != nil {
		t.Fatal(err)
	}
	whole4 := []string{service.WholeSubnets.UUID("net-1")}
	if got.Name != "default" || got.Status != "ACTIVE" || got.External || got.MTU != 1500 || got.ProjectID != service.ProjectUUID("default") || !slices.Equal(got.Subnets, whole4) {
		t.Errorf("the network is %+v", got)
	}
	got = whole{}
	if err := networks.Get(t.Context(), n, pool4).ExtractInto(&got); err != nil || !got.External || got.Name != pool4Name || len(got.Subnets) != 1 {
		t.Errorf("the external network is %+v, %v", got, err)
	}
	for _, id := range []string{service.Networks.UUID("net-7"), service.Subnets.UUID("subnet-1"), "7"} {
		refused(t, networks.Get(t.Context(), n, id).Err, http.StatusNotFound, "NetworkNotFound")
	}
}

func TestSubnets(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	list := func(opts subnets.ListOpts) []string {
		t.Helper()
		return ids(all(w, subnets.List(n, opts), subnets.ExtractSubnets), func(s subnets.Subnet) string { return s.ID })
	}
	net := w.network(simcloud.NetworkSpec{Name: "dual", CIDRs: []string{"10.9.0.0/16", "fd09::/56"}})
	own, whole4, whole6 := service.Networks.UUID(net.ID), service.WholeSubnets.UUIDOfPart(net.ID, 0), service.WholeSubnets.UUIDOfPart(net.ID, 1)
	same(t, "derived", list(subnets.ListOpts{NetworkID: own}), []string{whole4, whole6})
	pool4 := service.NamedUUID("subnet", pool4Name)
	same(t, "of the external network", list(subnets.ListOpts{NetworkID: service.NamedUUID("network", pool4Name)}), []string{pool4})
	s := must[*subnets.Subnet](t)(subnets.Get(t.Context(), n, whole4).Extract())
	if s.CIDR != net.CIDRs[0] || s.IPVersion != 4 || s.GatewayIP != "10.9.0.1" || !s.EnableDHCP || s.NetworkID != own || s.AllocationPools[0] != (subnets.AllocationPool{Start: "10.9.0.2", End: "10.9.255.254"}) {
		t.Errorf("the subnet is %+v", s)
	}
	if s = must[*subnets.Subnet](t)(subnets.Get(t.Context(), n, whole6).Extract()); s.IPVersion != 6 || s.IPv6AddressMode != "slaac" {
		t.Errorf("the subnet is %+v", s)
	}

	made := must[simcloud.Result[simcloud.Subnet]](t)(w.native.CreateSubnet(t.Context(), simcloud.SubnetSpec{
		Name: "lbs", Network: net.ID, CIDR: "10.9.64.0/24", Labels: map[string]string{"role": "lb", "public": ""},
	})).Resource
	real4 := service.Subnets.UUID(made.ID)
	same(t, "with a real one", list(subnets.ListOpts{NetworkID: own}), []string{real4, whole6})
	same(t, "of the network", must[*networks.Network](t)(networks.Get(t.Context(), n, own).Extract()).Subnets, []string{real4, whole6})
	if s = must[*subnets.Subnet](t)(subnets.Get(t.Context(), n, real4).Extract()); s.Name != "lbs" || s.GatewayIP != "10.9.64.1" || !slices.Equal(s.Tags, []string{"public", "role=lb"}) {
		t.Errorf("the subnet is %+v", s)
	}
	if s = must[*subnets.Subnet](t)(subnets.Get(t.Context(), n, whole4).Extract()); s.CIDR != net.CIDRs[0] {
		t.Errorf("the range outside of subnets is %+v", s)
	}
	for what, opts := range map[string]subnets.ListOpts{
		"name": {Name: "lbs"}, "CIDR": {CIDR: "10.9.64.0/24"}, "gateway": {GatewayIP: "10.9.64.1"}, "tags": {Tags: "public,role=lb"}, "any tag": {TagsAny: "other,public"},
		"no other tags": {NotTags: "other,public", Name: "lbs"},
	} {
		same(t, what, list(opts), []string{real4})
	}
	for what, opts := range map[string]subnets.ListOpts{
		"all tags": {Tags: "public,other"}, "not tags": {NotTags: "public,role=lb", Name: "lbs"}, "not any tag": {NotTagsAny: "other,public", Name: "lbs"}, "other family": {IPVersion: 6, Name: "lbs"},
	} {
		same(t, what, list(opts), []string{})
	}
	for _, id := range []string{service.WholeSubnets.UUIDOfPart(net.ID, 2), service.WholeSubnets.UUID("net-7"), service.Subnets.UUID("subnet-7"), "x"} {
		refused(t, subnets.Get(t.Context(), n, id).Err, http.StatusNotFound, "SubnetNotFound")
	}
}

// TestDerivedSubnetStays: the range of a network is a subnet as long as a port of a server or of a load balancer has an address of it
// beside the subnets of the cloud.
func TestDerivedSubnetStays(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	net := w.network(simcloud.NetworkSpec{Name: "dual", CIDRs: []string{"10.9.0.0/16", "fd09::/56"}})
	node := w.instance(simcloud.InstanceSpec{Name: "node", Network: net.ID})
	lb := must[simcloud.Result[simcloud.LoadBalancer]](t)(w.native.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{
		Name: "lb", Network: net.ID, Scheme: simcloud.SchemeInternal,
	})).Resource
	for _, cidr := range []string{"10.9.200.0/28", "fd09:0:0:ff::/64"} {
		must[simcloud.Result[simcloud.Subnet]](t)(w.native.CreateSubnet(t.Context(), simcloud.SubnetSpec{Name: "s", Network: net.ID, CIDR: cidr}))
	}
	real4, real6 := service.Subnets.UUID("subnet-1"), service.Subnets.UUID("subnet-2")
	whole4, whole6 := service.WholeSubnets.UUIDOfPart(net.ID, 0), service.WholeSubnets.UUIDOfPart(net.ID, 1)
	shown := func(want ...string) {
		t.Helper()
		got := ids(all(w, subnets.List(n, subnets.ListOpts{NetworkID: service.Networks.UUID(net.ID)}), subnets.ExtractSubnets), func(s subnets.Subnet) string { return s.ID })
		same(t, "subnets", slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want)))
	}
	shown(real4, whole4, real6, whole6)
	must[simcloud.Operation](t)(w.native.DeleteInstance(t.Context(), node.ID))
	shown(real4, whole4, real6, whole6) // the load balancer is there
	must[simcloud.Operation](t)(w.native.DeleteLoadBalancer(t.Context(), lb.ID))
	shown(real4, real6)
}

// TestNeutronPages: a list has pages only where a request has a limit, and each leads to the next one with the filters of the first.
func TestNeutronPages(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	for range 4 {
		w.instance(simcloud.InstanceSpec{Name: "node", Zone: "zone-a"})
	}
	whole := ids(all(w, ports.List(n, ports.ListOpts{NetworkID: service.Networks.UUID("net-1"), DeviceOwner: "compute:zone-a"}), ports.ExtractPorts), func(p ports.Port) string { return p.ID })
	everything := ids(all(w, ports.List(n, ports.ListOpts{}), ports.ExtractPorts), func(p ports.Port) string { return p.ID })
	paged := ids(all(w, ports.List(n, ports.ListOpts{Limit: 2}), ports.ExtractPorts), func(p ports.Port) string { return p.ID })
	same(t, "in pages", paged, everything)
	if len(everything) != 5 || w.wire.count("GET /network/v2.0/ports 200") != 5 {
		t.Errorf("there are %d ports, and %d calls", len(everything), w.wire.count("GET /network/v2.0/ports 200"))
	}
	filtered := ids(all(w, ports.List(n, ports.ListOpts{Limit: 1, NetworkID: service.Networks.UUID("net-1"), DeviceOwner: "compute:zone-a"}), ports.ExtractPorts), func(p ports.Port) string { return p.ID })
	same(t, "in pages with filters", filtered, whole)
	first := w.send(http.MethodGet, "/network/v2.0/ports?limit=2", "").body
	if !strings.Contains(first, `"ports_links":[{"rel":"next","href":"`+w.cloud.URL()+`/openstack/network/v2.0/ports?limit=2\u0026marker=`+everything[1]) {
		t.Errorf("the first page is %s", first)
	}
	for _, query := range []string{"limit=-1", "limit=x", "limit=2&marker=x"} {
		if got := w.send(http.MethodGet, "/network/v2.0/ports?"+query, ""); got.status != http.StatusBadRequest {
			t.Errorf("%s: the status is %d, want 400", query, got.status)
		}
	}
}
