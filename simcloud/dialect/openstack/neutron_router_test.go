package openstack_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/extraroutes"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/routers"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// addRoutes adds routes to a router.
func (w world) addRoutes(router string, routes ...routers.Route) ([]routers.Route, error) {
	w.Helper()
	r, err := extraroutes.Add(w.Context(), w.neutron(), router, extraroutes.Opts{Routes: &routes}).Extract()
	if err != nil {
		return nil, err
	}
	return r.Routes, nil
}

// removeRoutes removes routes from a router.
func (w world) removeRoutes(router string, routes ...routers.Route) ([]routers.Route, error) {
	w.Helper()
	r, err := extraroutes.Remove(w.Context(), w.neutron(), router, extraroutes.Opts{Routes: &routes}).Extract()
	if err != nil {
		return nil, err
	}
	return r.Routes, nil
}

// routesOf are the routes of a router.
func (w world) routesOf(router string) []routers.Route {
	w.Helper()
	return must[*routers.Router](w)(routers.Get(w.Context(), w.neutron(), router).Extract()).Routes
}

// hops are the next hops of the routes of the cloud's first table.
func (w world) hops() []simcloud.NextHop {
	w.Helper()
	var hops []simcloud.NextHop
	for _, r := range must[simcloud.RouteTable](w)(w.native.GetRouteTable(w.Context(), "rt-1")).Routes {
		hops = append(hops, r.NextHop)
	}
	return hops
}

func TestRouters(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	r := must[*routers.Router](t)(routers.Get(t.Context(), n, defaultRouter).Extract())
	if r.ID != defaultRouter || r.Status != "ACTIVE" || !r.AdminStateUp || r.GatewayInfo.NetworkID != external4 || !*r.GatewayInfo.EnableSNAT || len(r.Routes) != 0 {
		t.Errorf("the router is %+v", r)
	}
	list := func(opts routers.ListOpts) []string {
		t.Helper()
		return ids(all(w, routers.List(n, opts), routers.ExtractRouters), func(r routers.Router) string { return r.ID })
	}
	same(t, "all", list(routers.ListOpts{}), []string{defaultRouter})
	same(t, "by name", list(routers.ListOpts{Name: r.Name}), []string{defaultRouter})
	same(t, "by another name", list(routers.ListOpts{Name: "x"}), []string{})
	renamed := must[*routers.Router](t)(routers.Update(t.Context(), n, defaultRouter, routers.UpdateOpts{Name: "a router_"}).Extract())
	if core := must[simcloud.RouteTable](t)(w.native.GetRouteTable(t.Context(), "rt-1")); renamed.Name != "a router_" || core.Name != "a-router" || len(renamed.Tags) != 0 {
		t.Errorf("the router is %+v, the route table %+v", renamed, core.Meta)
	}
	if renamed = must[*routers.Router](t)(routers.Update(t.Context(), n, defaultRouter, routers.UpdateOpts{Name: "plain"}).Extract()); renamed.Name != "plain" {
		t.Errorf("the router is %+v", renamed)
	}
	for _, id := range []string{service.Routers.UUID("rt-7"), internalNet, "x"} {
		refused(t, routers.Get(t.Context(), n, id).Err, http.StatusNotFound, "Router "+id+" could not be found.")
	}
}

// TestExtraRoutes: routes are added and removed by both of their fields, and a repetition changes nothing.
func TestExtraRoutes(t *testing.T) {
	t.Parallel()
	w := open(t)
	a, b := w.instance(simcloud.InstanceSpec{Name: "a"}), w.instance(simcloud.InstanceSpec{Name: "b"})
	one, two := routers.Route{DestinationCIDR: "10.244.1.0/24", NextHop: w.privateOf(a)}, routers.Route{DestinationCIDR: "10.244.2.0/24", NextHop: w.privateOf(b)}
	loose := routers.Route{DestinationCIDR: "10.244.3.0/24", NextHop: "10.0.77.77"}
	do := func(what string, change func(string, ...routers.Route) ([]routers.Route, error), routes []routers.Route, want ...routers.Route) {
		t.Helper()
		same(t, what, must[[]routers.Route](t)(change(defaultRouter, routes...)), want)
		same(t, what+", read again", w.routesOf(defaultRouter), want)
	}
	do("add", w.addRoutes, []routers.Route{one}, one)
	do("add once more", w.addRoutes, []routers.Route{one}, one)
	do("add others", w.addRoutes, []routers.Route{two, one, loose}, one, two, loose)
	same(t, "the hops", w.hops(), []simcloud.NextHop{{Address: one.NextHop}, {Address: two.NextHop}, {Address: "10.0.77.77"}})
	do("remove another hop", w.removeRoutes, []routers.Route{{DestinationCIDR: one.DestinationCIDR, NextHop: two.NextHop}}, one, two, loose)
	do("remove", w.removeRoutes, []routers.Route{one, loose}, two)
	do("remove once more", w.removeRoutes, []routers.Route{one}, two)

	// It does not show that the server of a hop is gone.
	must[simcloud.Operation](t)(w.native.DeleteInstance(t.Context(), b.ID))
	same(t, "without the server", w.routesOf(defaultRouter), []routers.Route{two})
	do("remove it", w.removeRoutes, []routers.Route{two})
}

// TestExtraRoutesIPv6: a router has routes of both families.
func TestExtraRoutesIPv6(t *testing.T) {
	t.Parallel()
	w := open(t)
	net := w.network(simcloud.NetworkSpec{Name: "dual", CIDRs: []string{"10.9.0.0/16", "fd09::/56"}})
	table := must[simcloud.Result[simcloud.RouteTable]](t)(w.native.CreateRouteTable(t.Context(), simcloud.RouteTableSpec{Name: "dual", Network: net.ID})).Resource
	i := w.instance(simcloud.InstanceSpec{Name: "a", Network: net.ID})
	router, hop := service.Routers.UUID(table.ID), ""
	for _, a := range i.Addresses {
		if strings.HasPrefix(a.Address, "fd09:") {
			hop = a.Address
		}
	}
	route := routers.Route{DestinationCIDR: "fd00:1::/64", NextHop: hop}
	same(t, "add", must[[]routers.Route](t)(w.addRoutes(router, route)), []routers.Route{route})
	four := routers.Route{DestinationCIDR: "10.244.1.0/24", NextHop: w.privateOf(i)}
	same(t, "add IPv4", must[[]routers.Route](t)(w.addRoutes(router, four)), []routers.Route{route, four})
	must[simcloud.Operation](t)(w.native.DeleteInstance(t.Context(), i.ID))
	same(t, "without the server", w.routesOf(router), []routers.Route{route, four})
}

// TestExtraRouteOfSecondAddress: a route leads to the address that it was made with, which need not be the instance's first.
func TestExtraRouteOfSecondAddress(t *testing.T) {
	t.Parallel()
	w := open(t)
	i := w.instance(simcloud.InstanceSpec{Name: "a"})
	must[simcloud.Result[simcloud.Instance]](t)(w.native.AddInstanceAddress(t.Context(), i.ID, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: "10.0.77.77"}))
	route := routers.Route{DestinationCIDR: "10.244.1.0/24", NextHop: "10.0.77.77"}
	same(t, "added", must[[]routers.Route](t)(w.addRoutes(defaultRouter, route)), []routers.Route{route})
	same(t, "the hop", w.hops(), []simcloud.NextHop{{Address: "10.0.77.77"}})
	same(t, "removed", must[[]routers.Route](t)(w.removeRoutes(defaultRouter, route)), []routers.Route{})
}

// TestRoutesOfOthers: routes that another API has made are shown with the addresses of their instances.
func TestRoutesOfOthers(t *testing.T) {
	t.Parallel()
	w := open(t)
	i := w.instance(simcloud.InstanceSpec{Name: "a"})
	must[simcloud.Result[simcloud.RouteTable]](t)(w.native.CreateRoute(t.Context(), "rt-1", simcloud.RouteSpec{Destination: "10.244.1.0/24", NextHop: simcloud.NextHop{Instance: i.ID}}))
	route := routers.Route{DestinationCIDR: "10.244.1.0/24", NextHop: w.privateOf(i)}
	same(t, "of an instance", w.routesOf(defaultRouter), []routers.Route{route})
	same(t, "added again", must[[]routers.Route](t)(w.addRoutes(defaultRouter, route)), []routers.Route{route})
	must[simcloud.Operation](t)(w.native.DeleteInstance(t.Context(), i.ID))
	same(t, "of no one", w.routesOf(defaultRouter), []routers.Route{})
}

func TestExtraRouteRefusals(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := w.instance(simcloud.InstanceSpec{Name: "a"})
	have := routers.Route{DestinationCIDR: "10.244.1.0/24", NextHop: w.privateOf(a)}
	must[[]routers.Route](t)(w.addRoutes(defaultRouter, have))
	for text, route := range map[string]routers.Route{
		"not connected with router": {DestinationCIDR: "10.244.2.0/24", NextHop: "192.0.2.1"},
		"is used by router":         {DestinationCIDR: "10.244.2.0/24", NextHop: "10.0.0.1"},
		"ECMP":                      {DestinationCIDR: have.DestinationCIDR, NextHop: "10.0.0.99"},
		"10.244.2.1/24":             {DestinationCIDR: "10.244.2.1/24", NextHop: "10.0.0.99"},
		"must be an IP address":     {DestinationCIDR: "10.244.2.0/24", NextHop: "node"},
		"family of the destination": {DestinationCIDR: "fd00::/64", NextHop: "10.0.0.99"},
	} {
		_, err := w.addRoutes(defaultRouter, routers.Route{DestinationCIDR: "10.244.9.0/24", NextHop: "10.0.0.98"}, route)
		refused(t, err, http.StatusBadRequest, text)
	}
	same(t, "all or nothing", w.routesOf(defaultRouter), []routers.Route{have})
	_, err := w.addRoutes(service.Routers.UUID("rt-7"), have)
	refused(t, err, http.StatusNotFound, "RouterNotFound")
	limit := 2
	must[simcloud.Result[simcloud.RouteTable]](t)(w.native.UpdateRouteTable(t.Context(), "rt-1", simcloud.RouteTableUpdate{Limit: &limit}))
	_, err = w.addRoutes(defaultRouter, routers.Route{DestinationCIDR: "10.244.2.0/24", NextHop: "10.0.0.98"}, routers.Route{DestinationCIDR: "10.244.3.0/24", NextHop: "10.0.0.98"})
	refused(t, err, http.StatusBadRequest, "RoutesExhausted")
	_, err = routers.Update(t.Context(), w.neutron(), defaultRouter, routers.UpdateOpts{Routes: &[]routers.Route{
		have, {DestinationCIDR: "10.244.2.0/24", NextHop: "10.0.0.98"}, {DestinationCIDR: "10.244.3.0/24", NextHop: "10.0.0.98"},
	}}).Extract()
	refused(t, err, http.StatusBadRequest, "RoutesExhausted")
	same(t, "all or nothing", w.routesOf(defaultRouter), []routers.Route{have})
	for path, body := range map[string]string{"add_extraroutes": `{}`, "remove_extraroutes": `{}`, "": `{}`} {
		if got := w.send(http.MethodPut, "/network/v2.0/routers/"+defaultRouter+"/"+path, body); got.status != http.StatusBadRequest || !strings.Contains(got.body, "router") {
			t.Errorf("%q: %d %s", path, got.status, got.body)
		}
	}
}

// TestReplaceRoutes: clients of a cloud without extraroute-atomic replace all routes of a router.
func TestReplaceRoutes(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.configure(simcloud.ConfigUpdate{DialectVariants: &map[string]string{simcloud.VariantOpenStackExtensions: "no-extraroute-atomic"}})
	n := w.neutron()
	a := w.instance(simcloud.InstanceSpec{Name: "a"})
	one, two := routers.Route{DestinationCIDR: "10.244.1.0/24", NextHop: w.privateOf(a)}, routers.Route{DestinationCIDR: "10.244.2.0/24", NextHop: "10.0.0.99"}
	for _, change := range []func(string, ...routers.Route) ([]routers.Route, error){w.addRoutes, w.removeRoutes} {
		_, err := change(defaultRouter, one)
		refused(t, err, http.StatusNotFound, "HTTPNotFound")
	}
	replace := func(routes ...routers.Route) {
		t.Helper()
		got := must[*routers.Router](t)(routers.Update(t.Context(), n, defaultRouter, routers.UpdateOpts{Routes: &routes}).Extract())
		same(t, "replaced", got.Routes, routes)
	}
	replace(one, two)
	before := must[simcloud.RouteTable](t)(w.native.GetRouteTable(t.Context(), "rt-1")).Routes
	replace(one)
	if after := must[simcloud.RouteTable](t)(w.native.GetRouteTable(t.Context(), "rt-1")).Routes; after[0].ID != before[0].ID {
		t.Errorf("route %s became %s", before[0].ID, after[0].ID)
	}
	replace(routers.Route{DestinationCIDR: one.DestinationCIDR, NextHop: "10.0.0.77"}, two) // another hop
	replace([]routers.Route{}...)
	if name := must[*routers.Router](t)(routers.Update(t.Context(), n, defaultRouter, routers.UpdateOpts{Name: "x"}).Extract()).Name; name != "x" {
		t.Errorf("the router is %s", name)
	}
}

// TestRoutesTakeTime: a request may change several routes, and while that takes time the router is busy.
func TestRoutesTakeTime(t *testing.T) {
	t.Parallel()
	w := open(t, simtest.ManualClock())
	w.configure(simcloud.ConfigUpdate{Progressions: &map[simcloud.Kind]simcloud.Progression{
		simcloud.KindRouteTable: {Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Hour)},
	}})
	one, two := routers.Route{DestinationCIDR: "10.244.1.0/24", NextHop: "10.0.0.98"}, routers.Route{DestinationCIDR: "10.244.2.0/24", NextHop: "10.0.0.99"}
	same(t, "both at once", must[[]routers.Route](t)(w.addRoutes(defaultRouter, one, two)), []routers.Route{one, two})
	_, err := w.removeRoutes(defaultRouter, one)
	refused(t, err, http.StatusConflict, `"Conflict"`)
	must[simcloud.ClockAdvance](t)(w.native.AdvanceClock(t.Context(), simcloud.Duration(time.Hour)))
	same(t, "later", must[[]routers.Route](t)(w.removeRoutes(defaultRouter, one)), []routers.Route{two})
}
