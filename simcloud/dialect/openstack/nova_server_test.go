package openstack_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/availabilityzones"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// nova returns a client of the compute service.
func (w world) nova() *gophercloud.ServiceClient {
	w.Helper()
	return w.clientOf(openstack.NewComputeV2)
}

// server reads the server that an instance is.
func (w world) server(id simcloud.ID) *servers.Server {
	w.Helper()
	return must[*servers.Server](w)(servers.Get(w.Context(), w.nova(), service.Servers.UUID(id)).Extract())
}

// serversOf are the names of the servers of a list.
func (w world) serversOf(opts servers.ListOpts) []string {
	w.Helper()
	var names []string
	for _, s := range all(w, servers.List(w.nova(), opts), servers.ExtractServers) {
		names = append(names, s.Name)
	}
	return names
}

func TestServer(t *testing.T) {
	t.Parallel()
	w := open(t)
	group := must[simcloud.Result[simcloud.SecurityGroup]](t)(w.native.CreateSecurityGroup(t.Context(), simcloud.SecurityGroupSpec{Name: "nodes"})).Resource.ID
	i := w.instance(simcloud.InstanceSpec{Name: "node-1", Labels: map[string]string{"hostname": "h", "a/b": "c"}, SecurityGroups: []simcloud.ID{group}})
	fip := must[simcloud.Result[simcloud.FloatingIP]](t)(w.native.CreateFloatingIP(t.Context(), simcloud.FloatingIPSpec{
		Name: "f", AttachedTo: simcloud.Attachment{Kind: simcloud.KindInstance, ID: i.ID},
	})).Resource
	s := w.server(i.ID)
	if s.ID != "00000000-0000-4001-8000-000000000001" || s.Name != "node-1" || s.Status != "ACTIVE" || s.VmState != "active" || s.TaskState != "" || s.PowerState != servers.RUNNING ||
		s.AvailabilityZone != string(i.Zone) || s.TenantID != service.ProjectUUID("default") || !cmp.Equal(s.Metadata, map[string]string{"hostname": "h", "a/b": "c"}) ||
		s.Created.Unix() != i.Created.Unix() || s.LaunchedAt.IsZero() || !s.TerminatedAt.IsZero() || s.ConfigDrive || len(s.Image) != 0 || s.KeyName != "" || s.Fault.Code != 0 {
		t.Errorf("the server is %+v", s)
	}
	if len(s.SecurityGroups) != 1 || s.SecurityGroups[0]["name"] != "nodes" {
		t.Errorf("the security groups are %v", s.SecurityGroups)
	}
	addresses := map[string]string{}
	for _, a := range s.Addresses["default"].([]any) {
		address := a.(map[string]any)
		addresses[address["addr"].(string)] = fmt.Sprint(address["OS-EXT-IPS:type"], " ", address["version"])
	}
	if want := map[string]string{privateOf(i): "fixed 4", fip.Address: "floating 4"}; addresses[privateOf(i)] != want[privateOf(i)] || addresses[fip.Address] != want[fip.Address] {
		t.Errorf("the addresses are %v, want %v", addresses, want)
	}
	flavor := must[*flavors.Flavor](t)(flavors.Get(t.Context(), w.nova(), s.Flavor["id"].(string)).Extract())
	typ := must[simcloud.InstanceType](t)(w.native.GetInstanceType(t.Context(), i.Type))
	if flavor.Name != typ.Name || flavor.VCPUs != typ.VCPUs || flavor.RAM != typ.MemoryMiB || !flavor.IsPublic || flavor.Swap != 0 {
		t.Errorf("the flavor is %+v, want that of %+v", flavor, typ)
	}
	if err := servers.Delete(t.Context(), w.nova(), s.ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{s.ID, "x", service.Networks.UUID("net-1"), "00000000-0000-4001-8000-000000000009"} {
		refused(t, servers.Get(t.Context(), w.nova(), id).Err, http.StatusNotFound, `{"itemNotFound":{"code":404,"message":"Instance `+id+` could not be found."}}`)
		refused(t, servers.Delete(t.Context(), w.nova(), id).Err, http.StatusNotFound, "itemNotFound")
	}
}

// TestStatesOfServers: each state of an instance is one that Nova has.
func TestStatesOfServers(t *testing.T) {
	t.Parallel()
	for state, want := range map[simcloud.InstanceState]string{
		simcloud.InstanceRunning: "ACTIVE active  RUNNING", simcloud.InstanceStopped: "SHUTOFF stopped  SHUTDOWN_4", simcloud.InstanceSuspended: "SUSPENDED suspended  PAUSED",
		simcloud.InstanceError: "ERROR error  NOSTATE", simcloud.InstancePending: "BUILD building spawning NOSTATE", simcloud.InstanceStopping: "ACTIVE active powering-off RUNNING",
		simcloud.InstanceRebooting: "REBOOT active rebooting RUNNING", simcloud.InstanceRebuilding: "REBUILD active rebuilding RUNNING",
		simcloud.InstanceMigrating: "MIGRATING active migrating RUNNING", simcloud.InstanceTerminating: "ACTIVE active deleting RUNNING",
	} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			w := open(t, simtest.ManualClock(), simtest.Slow(time.Minute))
			must[fault.Rule](t)(w.native.AddFault(t.Context(), fault.Rule{
				Match: fault.Match{Operation: "CreateInstance"}, Effect: fault.Effect{State: &fault.State{To: string(state)}},
			}))
			i := w.instance(simcloud.InstanceSpec{Name: "n"})
			if s := w.server(i.ID); s.Status != "BUILD" || s.TaskState != "spawning" || !s.LaunchedAt.IsZero() {
				t.Errorf("at first the server is %+v", s)
			}
			must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Minute)))
			if now := must[simcloud.Instance](t)(w.native.GetInstance(t.Context(), i.ID)); now.State != state {
				t.Fatalf("the instance is %s", now.State)
			}
			s := w.server(i.ID)
			power := map[servers.PowerState]string{servers.NOSTATE: "NOSTATE", servers.RUNNING: "RUNNING", servers.PAUSED: "PAUSED", servers.SHUTDOWN: "SHUTDOWN_4"}[s.PowerState]
			if got := strings.Join([]string{s.Status, s.VmState, s.TaskState, power}, " "); got != want {
				t.Errorf("the server is %q, want %q", got, want)
			}
			if hasFault := s.Fault.Code == http.StatusInternalServerError && s.Fault.Message != "" && !s.Fault.Created.IsZero(); hasFault != (state == simcloud.InstanceError) {
				t.Errorf("its fault is %+v", s.Fault)
			}
			if got := w.serversOf(servers.ListOpts{Status: s.Status}); !cmp.Equal(got, []string{"n"}) {
				t.Errorf("by its status: got %v", got)
			}
		})
	}
}

// TestDeletedServer: it shows that it is being deleted, and then it is gone.
func TestDeletedServer(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.ManualClock(), simtest.Slow(time.Minute))
	i := w.instance(simcloud.InstanceSpec{Name: "n"})
	must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Minute)))
	if err := servers.Delete(t.Context(), w.nova(), service.Servers.UUID(i.ID)).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if s := w.server(i.ID); s.Status != "ACTIVE" || s.TaskState != "deleting" {
		t.Errorf("the server is %s, %s", s.Status, s.TaskState)
	}
	must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Minute)))
	refused(t, servers.Get(t.Context(), w.nova(), service.Servers.UUID(i.ID)).Err, http.StatusNotFound, "itemNotFound")
	if names := w.serversOf(servers.ListOpts{}); len(names) != 0 {
		t.Errorf("the list has %v", names)
	}
}

// TestListServers: filters, the order and pages.
func TestListServers(t *testing.T) {
	t.Parallel()
	w := open(t)
	types := must[simcloud.Page[simcloud.InstanceType]](t)(w.native.ListInstanceTypes(t.Context(), simcloud.ListOptions{})).Items
	first := w.instance(simcloud.InstanceSpec{Name: "node.a-1", Zone: "zone-a", Type: types[0].ID})
	second := w.instance(simcloud.InstanceSpec{Name: "nodexa-1", Zone: "zone-b", Type: types[1].ID})
	w.instance(simcloud.InstanceSpec{Name: "node.a-12", Zone: "zone-b", Type: types[1].ID})
	flavor := func(s string) string {
		return must[*servers.Server](t)(servers.Get(t.Context(), w.nova(), s).Extract()).Flavor["id"].(string)
	}
	newest := []string{"node.a-12", "nodexa-1", "node.a-1"}
	for what, test := range map[string]struct {
		opts servers.ListOpts
		want []string
	}{
		"all": {servers.ListOpts{}, newest}, "in pages of one": {servers.ListOpts{Limit: 1}, newest}, "in pages of two": {servers.ListOpts{Limit: 2}, newest},
		"one name, as the CCM asks": {servers.ListOpts{Name: `^node\.a-1$`}, []string{"node.a-1"}},
		"with a dot for any":        {servers.ListOpts{Name: `^node.a-1$`}, []string{"nodexa-1", "node.a-1"}},
		"anywhere in it":            {servers.ListOpts{Name: "a-1"}, newest},
		"the beginning":             {servers.ListOpts{Name: "^nodex"}, []string{"nodexa-1"}},
		"the end":                   {servers.ListOpts{Name: "2$"}, []string{"node.a-12"}},
		"either":                    {servers.ListOpts{Name: "12|xa"}, []string{"node.a-12", "nodexa-1"}},
		"none":                      {servers.ListOpts{Name: "^none$"}, nil},
		"status":                    {servers.ListOpts{Status: "active"}, newest},
		"another status":            {servers.ListOpts{Status: "SHUTOFF"}, nil},
		"flavor":                    {servers.ListOpts{Flavor: flavor(service.Servers.UUID(first.ID))}, []string{"node.a-1"}},
		"zone":                      {servers.ListOpts{AvailabilityZone: "zone-b"}, []string{"node.a-12", "nodexa-1"}},
		"address":                   {servers.ListOpts{IP: privateOf(second)}, []string{"nodexa-1"}},
		"behind a marker":           {servers.ListOpts{Marker: service.Servers.UUID(second.ID)}, []string{"node.a-1"}},
		"pages with a filter":       {servers.ListOpts{Limit: 1, AvailabilityZone: "zone-b"}, []string{"node.a-12", "nodexa-1"}},
	} {
		if got := w.serversOf(test.opts); !cmp.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", what, got, test.want)
		}
	}
	var brief []string
	for _, s := range all(w, servers.ListSimple(w.nova(), servers.ListOpts{Name: "xa"}), servers.ExtractServers) {
		brief = append(brief, s.Name+s.Status)
	}
	if !cmp.Equal(brief, []string{"nodexa-1"}) {
		t.Errorf("without details: got %v", brief)
	}
	body := w.send(http.MethodGet, "/compute/v2.1/servers/detail?limit=1&name=node", "").body
	if next := `"servers_links":[{"rel":"next","href":"` + w.cloud.URL() + `/openstack/compute/v2.1/servers/detail?limit=1\u0026marker=`; !strings.Contains(body, next) {
		t.Errorf("%s has no link %s", body, next)
	}
	for _, query := range []string{"name=(", "limit=-1", "limit=x", "marker=x"} {
		if got := w.send(http.MethodGet, "/compute/v2.1/servers/detail?"+query, ""); got.status != http.StatusBadRequest || !strings.Contains(got.body, `{"badRequest":{"code":400,`) {
			t.Errorf("%s: got %d %s", query, got.status, got.body)
		}
	}
}

func TestFlavors(t *testing.T) {
	t.Parallel()
	w := open(t)
	types := must[simcloud.Page[simcloud.InstanceType]](t)(w.native.ListInstanceTypes(t.Context(), simcloud.ListOptions{})).Items
	var names []string
	for _, f := range all(w, flavors.ListDetail(w.nova(), flavors.ListOpts{Limit: 2}), flavors.ExtractFlavors) {
		names = append(names, f.Name)
		if one := must[*flavors.Flavor](t)(flavors.Get(t.Context(), w.nova(), f.ID).Extract()); !cmp.Equal(*one, f) {
			t.Errorf("by its id it is %+v, in the list %+v", one, f)
		}
	}
	if len(names) != len(types) || !slices.Contains(names, types[0].Name) {
		t.Errorf("the flavors are %v", names)
	}
	var list struct {
		Flavors []struct{ ID, Name string } `json:"flavors"`
	}
	if err := json.Unmarshal([]byte(w.send(http.MethodGet, "/compute/v2.1/flavors", "").body), &list); err != nil || len(list.Flavors) != len(types) {
		t.Errorf("without details: %+v, %v", list, err)
	}
	refused(t, flavors.Get(t.Context(), w.nova(), "x").Err, http.StatusNotFound, `{"itemNotFound":{"code":404,"message":"Flavor x could not be found."}}`)
}

func TestNovaVersionsAndZones(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, path := range []string{"/compute/", "/compute", "/compute/v2.1", "/compute/v2.1/"} {
		if got := w.send(http.MethodGet, path, "", "X-Auth-Token", ""); got.status != http.StatusOK || !strings.Contains(got.body, `"id":"v2.1"`) {
			t.Errorf("%s: got %d %s", path, got.status, got.body)
		}
	}
	zones := all(w, availabilityzones.List(w.nova()), availabilityzones.ExtractAvailabilityZones)
	if len(zones) != 3 || zones[0].ZoneName != "zone-a" || !zones[0].ZoneState.Available {
		t.Errorf("the zones are %+v", zones)
	}
	w.answersNova(http.MethodPost, "/compute/v2.1/servers", http.StatusNotImplemented, `{"notImplemented":{"code":501,`)
	w.answersNova(http.MethodGet, "/compute/v2.1/nope", http.StatusNotFound, `{"itemNotFound"`)
	w.answersNova(http.MethodPatch, "/compute/v2.1/servers", http.StatusMethodNotAllowed, "PATCH")
}

func (w world) answersNova(method, path string, status int, text string) {
	w.Helper()
	if got := w.send(method, path, "{}"); got.status != status || !strings.Contains(got.body, text) {
		w.Errorf("%s %s: got %d %s, want %d and %s", method, path, got.status, got.body, status, text)
	}
}

// TestLinksHaveTheHost: links lead to the host that the client knows, also when the answer was given to another client before.
func TestLinksHaveTheHost(t *testing.T) {
	t.Parallel()
	w := open(t)
	first, second := w.instance(simcloud.InstanceSpec{Name: "a"}), w.instance(simcloud.InstanceSpec{Name: "b"})
	for range 2 {
		for _, host := range []string{"one.example:1", "two.example"} {
			for _, i := range []simcloud.Instance{first, second} {
				path := "/openstack/compute/v2.1/servers/" + service.Servers.UUID(i.ID)
				body := w.unjudged(host, path)
				if !strings.Contains(body, `"href":"http://`+host+path+`"`) || !strings.Contains(body, `"name":"`+i.Name+`"`) {
					t.Errorf("%s of %s: got %s", i.Name, host, body)
				}
			}
		}
	}
}
