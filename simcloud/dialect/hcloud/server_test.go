package hcloud_test

import (
	"fmt"
	"net"
	"slices"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestServerIsRead(t *testing.T) {
	t.Parallel()
	w := open(t)
	instance := w.instance(simcloud.InstanceSpec{Name: "node-1", Zone: "zone-b", Type: "medium", Labels: map[string]string{"role": "worker"}})
	s := got[*hcloud.Server](t)(w.hetz.Server.GetByName(t.Context(), "node-1"))
	if s == nil || s.ID != 1 || s.Name != "node-1" || s.Status != hcloud.ServerStatusRunning || s.Labels["role"] != "worker" {
		t.Fatalf("got %+v", s)
	}
	if s.Location.Name != "zone-b" || s.Location.NetworkZone != "region-1" || s.ServerType.Name != "medium" || s.ServerType.Cores != 4 || s.ServerType.Memory != 8 {
		t.Errorf("it is in %+v, of type %+v", s.Location, s.ServerType)
	}
	private, public := addressOf(instance, simcloud.ScopePrivate), addressOf(instance, simcloud.ScopePublic)
	if len(s.PrivateNet) != 1 || s.PrivateNet[0].Network.ID != 1 || !s.PrivateNet[0].IP.Equal(private) || !s.PublicNet.IPv4.IP.Equal(public) {
		t.Errorf("its addresses are %+v and %+v, want %s and %s", s.PublicNet, s.PrivateNet, public, private)
	}
	if again := got[*hcloud.Server](t)(w.hetz.Server.GetByID(t.Context(), 1)); again == nil || again.Name != s.Name || !again.Created.Equal(s.Created) {
		t.Errorf("by id it is %+v", again)
	}
	for _, missing := range []*hcloud.Server{
		got[*hcloud.Server](t)(w.hetz.Server.GetByID(t.Context(), 9)), got[*hcloud.Server](t)(w.hetz.Server.GetByName(t.Context(), "node-9")),
	} {
		if missing != nil {
			t.Errorf("a server that does not exist is %+v", missing)
		}
	}
}

func addressOf(instance simcloud.Instance, scope simcloud.AddressScope) net.IP {
	i := slices.IndexFunc(instance.Addresses, func(a simcloud.Address) bool { return a.Scope == scope })
	if i < 0 {
		return nil
	}
	return net.ParseIP(instance.Addresses[i].Address)
}

// TestServersHaveNetworks: a server is told its IPv6 network, of which it has the first address and no other server has any.
func TestServersHaveNetworks(t *testing.T) {
	t.Parallel()
	w := open(t)
	network := must[simcloud.Result[simcloud.Network]](t)(w.native.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "dual", CIDRs: []string{"10.9.0.0/16", "fd09::/64"}})).Resource
	owners := map[string]int64{}
	for range 10 {
		instance := w.instance(simcloud.InstanceSpec{Name: "a", Network: network.ID})
		addresses := instance.Addresses
		own := net.ParseIP(addresses[len(addresses)-1].Address) // of IPv6, and public
		s := got[*hcloud.Server](t)(w.hetz.Server.GetByID(t.Context(), int64(len(owners)+1)))
		public := s.PublicNet.IPv6
		if public.Network == nil || !public.IP.Equal(public.Network.IP) || public.Network.String() != public.IP.String()+"/64" {
			t.Fatalf("the network of server %d is %+v", s.ID, public)
		}
		first := slices.Clone(public.IP)
		first[len(first)-1] |= 1 // as Hetzner's CCM finds the address
		if !first.Equal(own) {
			t.Errorf("server %d has %s, want the first address of %s", s.ID, own, public.Network)
		}
		if other, taken := owners[public.Network.String()]; taken {
			t.Errorf("servers %d and %d are both in %s", other, s.ID, public.Network)
		}
		owners[public.Network.String()] = s.ID
	}
}

// TestServerPages: a list of 130 servers has three pages of 50, each with the totals.
func TestServerPages(t *testing.T) {
	t.Parallel()
	w := open(t)
	for i := range 130 {
		w.instance(simcloud.InstanceSpec{Name: fmt.Sprintf("node-%d", i)})
	}
	servers := must[[]*hcloud.Server](t)(w.hetz.Server.All(t.Context()))
	if ids := idsOf(servers, func(s *hcloud.Server) int64 { return s.ID }); len(slices.Compact(ids)) != 130 {
		t.Errorf("all pages have %d servers", len(ids))
	}
	for number, want := range map[int]hcloud.Pagination{
		1: {Page: 1, PerPage: 50, NextPage: 2, LastPage: 3, TotalEntries: 130},
		2: {Page: 2, PerPage: 50, PreviousPage: 1, NextPage: 3, LastPage: 3, TotalEntries: 130},
		3: {Page: 3, PerPage: 50, PreviousPage: 2, LastPage: 3, TotalEntries: 130},
		4: {Page: 4, PerPage: 50, PreviousPage: 3, LastPage: 3, TotalEntries: 130},
	} {
		opts := hcloud.ServerListOpts{ListOpts: hcloud.ListOpts{Page: number, PerPage: 51}}
		servers, res, err := w.hetz.Server.List(t.Context(), opts)
		if err != nil || *res.Meta.Pagination != want || len(servers) != max(0, min(50, 130-50*(number-1))) {
			t.Errorf("page %d has %d servers and %+v, %v; want %+v", number, len(servers), res.Meta.Pagination, err, want)
		}
	}
	if link := w.send("GET", "servers?page=2&per_page=50&name=", "").header.Get("Link"); link == "" || !slices.Contains(links(link), "next") {
		t.Errorf("the header Link is %q", link)
	}
	for _, bad := range []string{"page=0", "per_page=-1", "page=x", "sort=colour", "sort=id:up", "label_selector=a>1", "label_selector=((", "page=99999999999999"} {
		if res := w.send("GET", "servers?"+bad, ""); res.status != 422 {
			t.Errorf("%s: %d %s", bad, res.status, res.body)
		}
	}
}

func TestServersAreChosen(t *testing.T) {
	t.Parallel()
	w := open(t)
	for name, labels := range map[string]map[string]string{
		"a": {"env": "prod", "tier": "web"}, "b": {"env": "test", "tier": "web"}, "c": {"env": "dev"}, "d": {},
	} {
		w.instance(simcloud.InstanceSpec{Name: name, Labels: labels})
	}
	for selector, want := range map[string]string{
		"env=prod": "[a]", "env==prod": "[a]", "env!=prod": "[b c d]", "env": "[a b c]", "!env": "[d]",
		"env in (prod,test)": "[a b]", "env notin (prod,test)": "[c d]", "tier=web,env!=prod": "[b]",
	} {
		opts := hcloud.ServerListOpts{ListOpts: hcloud.ListOpts{LabelSelector: selector}, Sort: []string{"name:asc"}}
		if names := namesOf(must[[]*hcloud.Server](t)(w.hetz.Server.AllWithOpts(t.Context(), opts))); names != want {
			t.Errorf("%s: got %s, want %s", selector, names, want)
		}
	}
	opts := hcloud.ServerListOpts{Sort: []string{"name:desc"}}
	if names := namesOf(must[[]*hcloud.Server](t)(w.hetz.Server.AllWithOpts(t.Context(), opts))); names != "[d c b a]" {
		t.Errorf("sorted the other way: %s", names)
	}
	must[simcloud.Result[simcloud.Instance]](t)(w.native.StopInstance(t.Context(), "i-1"))
	opts = hcloud.ServerListOpts{Status: []hcloud.ServerStatus{hcloud.ServerStatusOff}}
	if off := must[[]*hcloud.Server](t)(w.hetz.Server.AllWithOpts(t.Context(), opts)); len(off) != 1 || off[0].ID != 1 || off[0].Status != hcloud.ServerStatusOff {
		t.Errorf("those that are off: %+v", off)
	}
}

func namesOf(servers []*hcloud.Server) string {
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
	}
	return fmt.Sprint(names)
}

// TestServerLife: a server is made, stopped, started and deleted.
func TestServerLife(t *testing.T) {
	t.Parallel()
	w := open(t)
	made := got[hcloud.ServerCreateResult](t)(w.hetz.Server.Create(t.Context(), hcloud.ServerCreateOpts{
		Name: "node-1", ServerType: &hcloud.ServerType{Name: "medium"}, Image: &hcloud.Image{Name: "ubuntu-24.04"},
		Location: &hcloud.Location{Name: "zone-c"}, Labels: map[string]string{"a": "b"}, Networks: []*hcloud.Network{{ID: 1}},
	}))
	s := made.Server
	if s.Name != "node-1" || s.Location.Name != "zone-c" || s.ServerType.Name != "medium" || made.Action.Command != "create_server" || made.Action.Resources[0].ID != s.ID {
		t.Errorf("made %+v by %+v", s, made.Action)
	}
	for _, step := range []struct {
		do      func() (*hcloud.Action, *hcloud.Response, error)
		command string
		status  hcloud.ServerStatus
	}{
		{func() (*hcloud.Action, *hcloud.Response, error) { return w.hetz.Server.Poweroff(t.Context(), s) }, "stop_server", hcloud.ServerStatusOff},
		{func() (*hcloud.Action, *hcloud.Response, error) { return w.hetz.Server.Poweron(t.Context(), s) }, "start_server", hcloud.ServerStatusRunning},
		{func() (*hcloud.Action, *hcloud.Response, error) { return w.hetz.Server.Reboot(t.Context(), s) }, "reboot_server", hcloud.ServerStatusRunning},
		{func() (*hcloud.Action, *hcloud.Response, error) { return w.hetz.Server.Shutdown(t.Context(), s) }, "shutdown_server", hcloud.ServerStatusOff},
		{func() (*hcloud.Action, *hcloud.Response, error) {
			result, res, err := w.hetz.Server.RebuildWithResult(t.Context(), s, hcloud.ServerRebuildOpts{Image: &hcloud.Image{Name: "x"}})
			return result.Action, res, err
		}, "rebuild_server", hcloud.ServerStatusRunning},
	} {
		a := got[*hcloud.Action](t)(step.do())
		if err := w.hetz.Action.WaitFor(t.Context(), a); err != nil || a.Command != step.command {
			t.Errorf("%s: %+v, %v", step.command, a, err)
		}
		if now := got[*hcloud.Server](t)(w.hetz.Server.GetByID(t.Context(), s.ID)); now.Status != step.status {
			t.Errorf("after %s it is %s, want %s", step.command, now.Status, step.status)
		}
	}
	updated := got[*hcloud.Server](t)(w.hetz.Server.Update(t.Context(), s, hcloud.ServerUpdateOpts{Name: "node-2", Labels: map[string]string{}}))
	if updated.Name != "node-2" || len(updated.Labels) != 0 {
		t.Errorf("updated to %+v", updated)
	}
	deleted := got[*hcloud.ServerDeleteResult](t)(w.hetz.Server.DeleteWithResult(t.Context(), s))
	if deleted.Action.Status != hcloud.ActionStatusSuccess {
		t.Errorf("deleted by %+v", deleted.Action)
	}
	if gone := got[*hcloud.Server](t)(w.hetz.Server.GetByID(t.Context(), s.ID)); gone != nil {
		t.Errorf("after its deletion it is %+v", gone)
	}
}

// TestServerRefusals: what the cloud does not have is refused, not ignored.
func TestServerRefusals(t *testing.T) {
	t.Parallel()
	w := open(t)
	for body, want := range map[string]string{
		`{"name":"a","image":1}`:                                                    "invalid_input",
		`{"name":"a","server_type":"small"}`:                                        "invalid_input",
		`{"name":"a","server_type":"huge","image":1}`:                               "invalid_input",
		`{"name":"a","server_type":"small","image":1,"location":"moon"}`:            "invalid_input",
		`{"name":"a","server_type":"small","image":1,"colour":"red"}`:               "invalid_input",
		`{"name":"a","server_type":"small","image":1,"labels":{"a b":""}}`:          "invalid_input",
		`{"name":"a","server_type":"small","image":1,"firewalls":[{"firewall":1}]}`: "unsupported_error",
		`{"name":"a","server_type":"small","image":1,"networks":[1,2]}`:             "invalid_input",
		`{"name":"a","server_type":"small","image":1,"volumes":[1]}`:                "unsupported_error",
		`{"name":"a","server_type":"small","image":1,"automount":true}`:             "unsupported_error",
	} {
		w.refuses("POST", "servers", body, 422, want)
	}
	if servers := must[[]*hcloud.Server](t)(w.hetz.Server.All(t.Context())); len(servers) != 0 {
		t.Errorf("there are %d servers", len(servers))
	}
}
