package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

type rtResult = simcloud.Result[simcloud.RouteTable]

func testRouteTables(s suite) {
	s.run("GetRouteTable/Default", func(f *fixture) {
		table := f.getRouteTable("rt-1")
		f.equal("table", []any{table.Name, table.Network, table.Limit, table.Routes},
			[]any{"default", simcloud.ID("net-1"), simcloud.DefaultRouteLimit, []simcloud.Route{}})
	})
	s.run("GetRouteTable/NotFound", func(f *fixture) {
		_, err := f.GetRouteTable(f.ctx, "rt-9")
		f.want(err, simcloud.NotFound)
	})
	s.run("CreateRouteTable/OK", func(f *fixture) {
		spec := simcloud.RouteTableSpec{Name: "t", Labels: map[string]string{"k": "v"}, Limit: 3}
		r := must[rtResult](f)(f.CreateRouteTable(f.ctx, spec))
		f.done(r.Operation, "CreateRouteTable", simcloud.KindRouteTable, "rt-2")
		f.equal("as read", f.getRouteTable("rt-2"), r.Resource)
		f.equal("table", []any{r.Resource.Network, r.Resource.Limit}, []any{simcloud.ID("net-1"), 3})
	})
	s.run("CreateRouteTable/Invalid", func(f *fixture) {
		_, err := f.CreateRouteTable(f.ctx, simcloud.RouteTableSpec{Name: "t", Limit: -1})
		f.wantField(err, "limit")
		_, err = f.CreateRouteTable(f.ctx, simcloud.RouteTableSpec{Name: "t", Network: "net-9"})
		f.wantField(err, "network")
	})
	s.run("UpdateRouteTable/OK", func(f *fixture) {
		update := simcloud.RouteTableUpdate{Name: ptr("b"), Labels: &map[string]string{"x": "y"}, Limit: ptr(1)}
		r := must[rtResult](f)(f.UpdateRouteTable(f.ctx, "rt-1", update))
		f.done(r.Operation, "UpdateRouteTable", simcloud.KindRouteTable, "rt-1")
		f.equal("as read", f.getRouteTable("rt-1"), r.Resource)
		f.equal("table", []any{r.Resource.Name, r.Resource.Labels, r.Resource.Limit}, []any{"b", map[string]string{"x": "y"}, 1})
	})
	s.run("UpdateRouteTable/Invalid", func(f *fixture) {
		_, err := f.UpdateRouteTable(f.ctx, "rt-1", simcloud.RouteTableUpdate{Limit: ptr(0)})
		f.wantField(err, "limit")
		f.route("10.244.0.0/24")
		f.route("10.244.1.0/24")
		_, err = f.UpdateRouteTable(f.ctx, "rt-1", simcloud.RouteTableUpdate{Limit: ptr(1)})
		f.wantField(err, "limit")
	})
	s.run("DeleteRouteTable/OK", func(f *fixture) {
		id := f.routeTable("t").ID
		op := must[simcloud.Operation](f)(f.DeleteRouteTable(f.ctx, id))
		f.done(op, "DeleteRouteTable", simcloud.KindRouteTable, id)
		_, err := f.GetRouteTable(f.ctx, id)
		f.want(err, simcloud.NotFound)
	})
	s.run("DeleteRouteTable/InUse", func(f *fixture) {
		f.route("10.244.0.0/24")
		_, err := f.DeleteRouteTable(f.ctx, "rt-1")
		f.want(err, simcloud.InUse)
	})
}

func testRoutes(s suite) {
	s.run("CreateRoute/OK", func(f *fixture) {
		id := f.instance("a").ID
		spec := simcloud.RouteSpec{
			Name: "r", Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Instance: id}, Labels: map[string]string{"k": "v"},
		}
		r := must[rtResult](f)(f.CreateRoute(f.ctx, "rt-1", spec))
		f.done(r.Operation, "CreateRoute", simcloud.KindRouteTable, "rt-1")
		f.equal("as read", f.getRouteTable("rt-1"), r.Resource)
		f.equal("routes", r.Resource.Routes, []simcloud.Route{{
			ID: "r-1", Name: "r", Destination: "10.244.0.0/24", NextHop: spec.NextHop, State: simcloud.RouteActive, Labels: spec.Labels,
		}})
	})
	s.run("CreateRoute/OneSpelling", func(f *fixture) {
		spec := simcloud.RouteSpec{Destination: "FD00:0::/64", NextHop: simcloud.NextHop{Address: "FD00:0:0::1"}}
		route := must[rtResult](f)(f.CreateRoute(f.ctx, "rt-1", spec)).Resource.Routes[0]
		f.equal("route", []string{route.Destination, route.NextHop.Address}, []string{"fd00::/64", "fd00::1"})
		spec.Destination = "fd00::/64"
		_, err := f.CreateRoute(f.ctx, "rt-1", spec)
		f.want(err, simcloud.AlreadyExists)
	})
	s.run("CreateRoute/Invalid", func(f *fixture) {
		hop := simcloud.NextHop{Address: "10.0.0.9"}
		for field, spec := range map[string]simcloud.RouteSpec{
			"destination":      {Destination: "10.244.0.0", NextHop: hop},
			"nextHop":          {Destination: "10.244.0.0/24"},
			"nextHop.address":  {Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Address: "here"}},
			"nextHop.instance": {Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Instance: "i-9"}},
		} {
			_, err := f.CreateRoute(f.ctx, "rt-1", spec)
			f.wantField(err, field)
		}
	})
	s.run("CreateRoute/Taken", func(f *fixture) {
		f.route("10.244.0.0/24")
		spec := simcloud.RouteSpec{Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Address: "10.0.0.8"}}
		_, err := f.CreateRoute(f.ctx, "rt-1", spec)
		f.want(err, simcloud.AlreadyExists)
	})
	s.run("CreateRoute/Capacity", func(f *fixture) {
		must[rtResult](f)(f.UpdateRouteTable(f.ctx, "rt-1", simcloud.RouteTableUpdate{Limit: ptr(1)}))
		f.route("10.244.0.0/24")
		spec := simcloud.RouteSpec{Destination: "10.244.1.0/24", NextHop: simcloud.NextHop{Address: "10.0.0.8"}}
		_, err := f.CreateRoute(f.ctx, "rt-1", spec)
		f.want(err, simcloud.Capacity)
	})
	s.run("DeleteRoute/OK", func(f *fixture) {
		first, second := f.route("10.244.0.0/24"), f.route("10.244.1.0/24")
		r := must[rtResult](f)(f.DeleteRoute(f.ctx, "rt-1", first.ID))
		f.done(r.Operation, "DeleteRoute", simcloud.KindRouteTable, "rt-1")
		f.equal("routes", r.Resource.Routes, []simcloud.Route{second})
		f.equal("as read", f.getRouteTable("rt-1"), r.Resource)
		f.equal("ids are not used again", f.route("10.244.0.0/24").ID, simcloud.ID("r-3"))
	})
	s.run("DeleteRoute/NotFound", func(f *fixture) {
		_, err := f.DeleteRoute(f.ctx, "rt-1", "r-1")
		f.want(err, simcloud.NotFound)
	})
}
