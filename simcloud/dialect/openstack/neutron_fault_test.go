package openstack_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/floatingips"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/routers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/groups"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// fault adds a rule for one operation, with an effect as JSON.
func (w world) fault(match fault.Match, effect string) {
	w.Helper()
	var e fault.Effect
	if err := json.Unmarshal([]byte(effect), &e); err != nil {
		w.Fatal(err)
	}
	must[fault.Rule](w)(w.native.AddFault(w.Context(), fault.Rule{Match: match, Effect: e}))
}

// noFaults removes all rules.
func (w world) noFaults() {
	w.Helper()
	if err := w.native.ClearFaults(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// TestNeutronErrors: an error of a fault rule is the one that Neutron has for it.
func TestNeutronErrors(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.instance(simcloud.InstanceSpec{Name: "node-1"})
	n := w.neutron()
	port := service.ServerPorts.UUIDOfPart("i-1", 1)
	create := func() error {
		return floatingips.Create(t.Context(), n, floatingips.CreateOpts{FloatingNetworkID: external4}).Err
	}
	getPort := func() error { return ports.Get(t.Context(), n, port).Err }
	addRoute := func() error {
		_, err := w.addRoutes(defaultRouter, routers.Route{DestinationCIDR: "10.244.1.0/24", NextHop: "10.0.0.99"})
		return err
	}
	for _, test := range []struct {
		operation, code string
		call            func() error
		status          int
		want            string
	}{
		{"CreateFloatingIP", "invalid", create, 400, "InvalidInput"},
		{"CreateFloatingIP", "forbidden", create, 403, "PolicyNotAuthorized"},
		{"CreateFloatingIP", "already_exists", create, 409, "IpAddressInUse"},
		{"CreateFloatingIP", "conflict", create, 409, "Conflict"},
		{"CreateFloatingIP", "locked", create, 409, "Conflict"},
		{"CreateFloatingIP", "protected", create, 409, "Conflict"},
		{"CreateFloatingIP", "in_use", create, 409, "InUse"},
		{"CreateFloatingIP", "quota_exceeded", create, 409, "OverQuota"},
		{"CreateFloatingIP", "capacity", create, 409, "IpAddressGenerationFailure"},
		{"CreateFloatingIP", "rate_limited", create, 429, "HTTPTooManyRequests"},
		{"CreateFloatingIP", "unavailable", create, 503, "ServiceUnavailable"},
		{"CreateFloatingIP", "timeout", create, 504, "HTTPGatewayTimeout"},
		{"CreateFloatingIP", "unimplemented", create, 501, "HTTPNotImplemented"},
		{"CreateFloatingIP", "internal", create, 500, "HTTPInternalServerError"},
		{"CreateRoute", "capacity", addRoute, 400, "RoutesExhausted"},
		{"CreateRoute", "not_found", addRoute, 404, "RouterNotFound"},
		{"GetInstance", "not_found", getPort, 404, "PortNotFound"},
		{"openstack:neutron:GetPort", "unavailable", getPort, 503, "ServiceUnavailable"},
	} {
		w.fault(fault.Match{Operation: test.operation}, `{"error": {"code": "`+test.code+`", "message": "because", "retryAfter": "2s"}}`)
		err := test.call()
		refused(t, err, test.status, `"type":"`+test.want+`"`)
		refused(t, err, test.status, `"message":"because"`)
		var unexpected gophercloud.ErrUnexpectedResponseCode
		if errors.As(err, &unexpected) && unexpected.ResponseHeader.Get("Retry-After") != "2" {
			t.Errorf("%s: Retry-After is %q", test.code, unexpected.ResponseHeader.Get("Retry-After"))
		}
		w.noFaults()
	}
}

// TestNeutronFaultsByResource: a rule for one resource meets the requests that name it, and no other.
func TestNeutronFaultsByResource(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	w.instance(simcloud.InstanceSpec{Name: "a"})
	w.instance(simcloud.InstanceSpec{Name: "b", Labels: map[string]string{"team": "x"}})
	w.network(simcloud.NetworkSpec{Name: "other", CIDRs: []string{"10.9.0.0/16"}})
	getPort := func(instance simcloud.ID) error {
		return ports.Get(t.Context(), n, service.ServerPorts.UUIDOfPart(instance, 1)).Err
	}
	getNetwork := func(id simcloud.ID) error { return networks.Get(t.Context(), n, service.Networks.UUID(id)).Err }
	for _, match := range []fault.Match{{Resource: "instance/i-2"}, {Labels: "team=x"}} {
		w.fault(match, `{"error": {"code": "unavailable"}}`)
		refused(t, getPort("i-2"), http.StatusServiceUnavailable, "")
		if err := getPort("i-1"); err != nil {
			t.Errorf("%+v: the other port: %v", match, err)
		}
		w.noFaults()
	}
	w.fault(fault.Match{Resource: "network/net-1"}, `{"error": {"code": "unavailable"}}`)
	refused(t, getNetwork("net-1"), http.StatusServiceUnavailable, "")
	if err := getNetwork("net-2"); err != nil {
		t.Errorf("the other network: %v", err)
	}
	w.noFaults()
	w.fault(fault.Match{Operation: "CreateSecurityGroup", Resource: "web"}, `{"error": {"code": "unavailable"}}`)
	refused(t, groups.Create(t.Context(), n, groups.CreateOpts{Name: "web"}).Err, http.StatusServiceUnavailable, "")
	w.group("other")
	w.noFaults()
	w.fault(fault.Match{Operation: "CreateFloatingIP", Resource: "of-web"}, `{"error": {"code": "unavailable"}}`)
	refused(t, floatingips.Create(t.Context(), n, floatingips.CreateOpts{FloatingNetworkID: external4, Description: "of web"}).Err, http.StatusServiceUnavailable, "")
	w.newFloatingIP(floatingips.CreateOpts{Description: "of others"})
}

// TestNeutronGarbled: what comes in place of an answer is not taken for one.
func TestNeutronGarbled(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	for effect, check := range map[string]func(r *routers.Router, err error) bool{
		`{"garble": {"body": "html"}}`: func(_ *routers.Router, err error) bool {
			return gophercloud.ResponseCodeIs(err, http.StatusBadGateway)
		},
		`{"garble": {"body": "bare-404"}}`: func(_ *routers.Router, err error) bool {
			return gophercloud.ResponseCodeIs(err, http.StatusNotFound)
		},
		`{"garble": {"body": "null"}}`:         func(r *routers.Router, err error) bool { return err == nil && r == nil },
		`{"garble": {"body": "empty"}}`:        func(_ *routers.Router, err error) bool { return err != nil },
		`{"garble": {"body": "truncated"}}`:    func(_ *routers.Router, err error) bool { return err != nil },
		`{"garble": {"body": "unknown-enum"}}`: func(r *routers.Router, err error) bool { return err == nil && r.Status == "unheard-of" },
	} {
		w.fault(fault.Match{Operation: "GetRouteTable"}, effect)
		if r, err := routers.Get(t.Context(), n, defaultRouter).Extract(); !check(r, err) {
			t.Errorf("%s: got %+v, %v", effect, r, err)
		}
		w.noFaults()
	}
}

// TestNeutronListLies: a list leaves out what a fault rule says.
func TestNeutronListLies(t *testing.T) {
	t.Parallel()
	w := open(t)
	for range 4 {
		w.newFloatingIP(floatingips.CreateOpts{})
	}
	w.fault(fault.Match{Operation: "ListFloatingIPs"}, `{"page": {"lie": "short"}}`)
	if n := len(w.listFloatingIPs(floatingips.ListOpts{})); n != 2 {
		t.Errorf("there are %d, want 2", n)
	}
}

// TestNeutronRequests: requests that no client of the library sends.
func TestNeutronRequests(t *testing.T) {
	t.Parallel()
	w := open(t)
	reader := must[simcloud.Result[simcloud.Token]](t)(w.native.CreateToken(t.Context(), simcloud.TokenSpec{Name: "reader", Role: simcloud.RoleReader})).Resource.Secret
	session, _ := w.dial(gophercloud.AuthOptions{ApplicationCredentialID: "simcloud", ApplicationCredentialSecret: reader})
	const fips = "/network/v2.0/floatingips"
	for what, c := range map[string]struct {
		method, path, body, header string
		status                     int
		text                       string
	}{
		"unknown path":     {http.MethodGet, "/network/v2.0/nothing", "", "", http.StatusNotFound, "/v2.0/nothing"},
		"another version":  {http.MethodGet, "/network/v3", "", "", http.StatusNotFound, "HTTPNotFound"},
		"unknown method":   {http.MethodPatch, fips, "", "", http.StatusMethodNotAllowed, "PATCH"},
		"unsupported":      {http.MethodPost, "/network/v2.0/networks", `{"network":{}}`, "", http.StatusNotImplemented, "neutron:CreateNetwork"},
		"unsupported part": {http.MethodPut, "/network/v2.0/routers/" + defaultRouter + "/add_router_interface", `{}`, "", http.StatusNotImplemented, "neutron:AddRouterInterface"},
		"not JSON":         {http.MethodPost, fips, `floatingip`, "", http.StatusBadRequest, "not JSON"},
		"another type":     {http.MethodPost, fips, `{"floatingip":{"description":7}}`, "", http.StatusBadRequest, "description"},
		"too large":        {http.MethodPost, fips, `{"floatingip":{"description":"` + strings.Repeat("x", 2<<20) + `"}}`, "", http.StatusRequestEntityTooLarge, "bytes"},
		"a reader writes":  {http.MethodPost, fips, `{"floatingip":{"floating_network_id":"` + external4 + `"}}`, session.Token(), http.StatusForbidden, "PolicyNotAuthorized"},
		"a reader reads":   {http.MethodGet, fips, "", session.Token(), http.StatusOK, `"floatingips":[]`},
		"no session":       {http.MethodGet, fips, "", "x", http.StatusUnauthorized, "Unauthorized"},
	} {
		token := w.provider.Token()
		if c.header != "" {
			token = c.header
		}
		got := w.send(c.method, c.path, c.body, "X-Auth-Token", token)
		if got.status != c.status || !strings.Contains(got.body, c.text) {
			t.Errorf("%s: %d %.200s, want %d and %s", what, got.status, got.body, c.status, c.text)
		}
	}
}

// TestProjects: what another project has is neither shown nor found.
func TestProjects(t *testing.T) {
	t.Parallel()
	w := open(t)
	f := w.newFloatingIP(floatingips.CreateOpts{})
	g := w.group("web")
	project := must[simcloud.Result[simcloud.Project]](t)(w.native.CreateProject(t.Context(), simcloud.ProjectSpec{Name: "other"})).Resource
	token := must[simcloud.Result[simcloud.Token]](t)(w.native.CreateToken(t.Context(), simcloud.TokenSpec{Name: "other", Role: simcloud.RoleWriter, Project: project.ID})).Resource.Secret
	w.provider, w.wire = w.dial(gophercloud.AuthOptions{ApplicationCredentialID: "simcloud", ApplicationCredentialSecret: token})
	n := w.clientOf(openstack.NewNetworkV2)
	refused(t, floatingips.Get(t.Context(), n, f.ID).Err, http.StatusNotFound, "FloatingIPNotFound")
	refused(t, groups.Get(t.Context(), n, g.ID).Err, http.StatusNotFound, "SecurityGroupNotFound")
	same(t, "floating IPs", w.listFloatingIPs(floatingips.ListOpts{}), []string{})
	own := w.newFloatingIP(floatingips.CreateOpts{ProjectID: service.ProjectUUID(project.ID)})
	if own.ProjectID != service.ProjectUUID(project.ID) || own.TenantID != own.ProjectID {
		t.Errorf("the floating IP is %+v", own)
	}
}
