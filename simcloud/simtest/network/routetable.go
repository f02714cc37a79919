package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type rtResult = simcloud.Result[simcloud.RouteTable]

func testRouteTables(s suite.Runner) {
	s.Test("GetRouteTable/Default", func(f *suite.Fixture) {
		table := f.MustGetRouteTable("rt-1")
		f.Equal("table", []any{table.Name, table.Network, table.Limit, table.Routes},
			[]any{"default", simcloud.ID("net-1"), simcloud.DefaultRouteLimit, []simcloud.Route{}})
	})
	s.Test("GetRouteTable/NotFound", func(f *suite.Fixture) {
		_, err := f.GetRouteTable(f.Ctx, "rt-9")
		f.Want(err, simcloud.NotFound)
	})
	s.Test("CreateRouteTable/OK", func(f *suite.Fixture) {
		spec := simcloud.RouteTableSpec{Name: "t", Labels: map[string]string{"k": "v"}, Limit: 3}
		r := suite.Must[rtResult](f)(f.CreateRouteTable(f.Ctx, spec))
		f.Done(r.Operation, "CreateRouteTable", simcloud.KindRouteTable, "rt-2")
		f.Equal("as read", f.MustGetRouteTable("rt-2"), r.Resource)
		f.Equal("table", []any{r.Resource.Network, r.Resource.Limit}, []any{simcloud.ID("net-1"), 3})
	})
	s.Test("CreateRouteTable/Invalid", func(f *suite.Fixture) {
		_, err := f.CreateRouteTable(f.Ctx, simcloud.RouteTableSpec{Name: "t", Limit: -1})
		f.WantField(err, "limit")
		_, err = f.CreateRouteTable(f.Ctx, simcloud.RouteTableSpec{Name: "t", Network: "net-9"})
		f.WantField(err, "network")
	})
	s.Test("UpdateRouteTable/OK", func(f *suite.Fixture) {
		update := simcloud.RouteTableUpdate{Name: suite.Ptr("b"), Labels: &map[string]string{"x": "y"}, Limit: suite.Ptr(1)}
		r := suite.Must[rtResult](f)(f.UpdateRouteTable(f.Ctx, "rt-1", update))
		f.Done(r.Operation, "UpdateRouteTable", simcloud.KindRouteTable, "rt-1")
		f.Equal("as read", f.MustGetRouteTable("rt-1"), r.Resource)
		f.Equal("table", []any{r.Resource.Name, r.Resource.Labels, r.Resource.Limit}, []any{"b", map[string]string{"x": "y"}, 1})
	})
	s.Test("UpdateRouteTable/Invalid", func(f *suite.Fixture) {
		_, err := f.UpdateRouteTable(f.Ctx, "rt-1", simcloud.RouteTableUpdate{Limit: suite.Ptr(0)})
		f.WantField(err, "limit")
		f.Route("10.244.0.0/24")
		f.Route("10.244.1.0/24")
		_, err = f.UpdateRouteTable(f.Ctx, "rt-1", simcloud.RouteTableUpdate{Limit: suite.Ptr(1)})
		f.WantField(err, "limit")
	})
	s.Test("DeleteRouteTable/OK", func(f *suite.Fixture) {
		id := f.RouteTable("t").ID
		op := suite.Must[simcloud.Operation](f)(f.DeleteRouteTable(f.Ctx, id))
		f.Done(op, "DeleteRouteTable", simcloud.KindRouteTable, id)
		_, err := f.GetRouteTable(f.Ctx, id)
		f.Want(err, simcloud.NotFound)
	})
	s.TestSlow("CreateRoute/Locks", func(f *suite.Fixture) {
		progressions := map[simcloud.Kind]simcloud.Progression{
			simcloud.KindRouteTable: {Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(suite.OpDuration)},
		}
		spec := simcloud.RouteSpec{Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Address: "10.0.0.9"}}
		r := suite.Must[rtResult](f)(f.CreateRoute(f.Ctx, "rt-1", spec))
		f.Done(r.Operation, "CreateRoute", simcloud.KindRouteTable, "rt-1")
		suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{Progressions: &progressions}))
		spec.Destination = "10.244.1.0/24"
		r = suite.Must[rtResult](f)(f.CreateRoute(f.Ctx, "rt-1", spec))
		f.Equal("state", r.Operation.State, simcloud.OperationRunning)
		f.Equal("operation", r.Resource.Operation, r.Operation.ID)
		_, err := f.DeleteRoute(f.Ctx, "rt-1", r.Resource.Routes[0].ID)
		f.Want(err, simcloud.Locked)
		f.Equal("fired", len(f.Advance(suite.OpDuration).Fired), 1)
		table := f.MustGetRouteTable("rt-1")
		f.Equal("operation afterwards", table.Operation, simcloud.ID(""))
		f.Equal("routes", len(table.Routes), 2)
	})
	s.Test("DeleteRouteTable/InUse", func(f *suite.Fixture) {
		f.Route("10.244.0.0/24")
		_, err := f.DeleteRouteTable(f.Ctx, "rt-1")
		f.Want(err, simcloud.InUse)
	})
}

func testRoutes(s suite.Runner) {
	s.Test("CreateRoute/OK", func(f *suite.Fixture) {
		id := f.Instance("a").ID
		spec := simcloud.RouteSpec{
			Name: "r", Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Instance: id}, Labels: map[string]string{"k": "v"},
		}
		r := suite.Must[rtResult](f)(f.CreateRoute(f.Ctx, "rt-1", spec))
		f.Done(r.Operation, "CreateRoute", simcloud.KindRouteTable, "rt-1")
		f.Equal("as read", f.MustGetRouteTable("rt-1"), r.Resource)
		f.Equal("routes", r.Resource.Routes, []simcloud.Route{{
			ID: "r-1", Name: "r", Destination: "10.244.0.0/24", NextHop: spec.NextHop, State: simcloud.RouteActive, Labels: spec.Labels,
		}})
	})
	s.Test("CreateRoute/OneSpelling", func(f *suite.Fixture) {
		spec := simcloud.RouteSpec{Destination: "FD00:0::/64", NextHop: simcloud.NextHop{Address: "FD00:0:0::1"}}
		route := suite.Must[rtResult](f)(f.CreateRoute(f.Ctx, "rt-1", spec)).Resource.Routes[0]
		f.Equal("route", []string{route.Destination, route.NextHop.Address}, []string{"fd00::/64", "fd00::1"})
		spec.Destination = "fd00::/64"
		_, err := f.CreateRoute(f.Ctx, "rt-1", spec)
		f.Want(err, simcloud.AlreadyExists)
	})
	s.Test("CreateRoute/Invalid", func(f *suite.Fixture) {
		hop := simcloud.NextHop{Address: "10.0.0.9"}
		for field, spec := range map[string]simcloud.RouteSpec{
			"destination":      {Destination: "10.244.0.0", NextHop: hop},
			"nextHop":          {Destination: "10.244.0.0/24"},
			"nextHop.address":  {Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Address: "here"}},
			"nextHop.instance": {Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Instance: "i-9"}},
		} {
			_, err := f.CreateRoute(f.Ctx, "rt-1", spec)
			f.WantField(err, field)
		}
	})
	s.Test("CreateRoute/Taken", func(f *suite.Fixture) {
		f.Route("10.244.0.0/24")
		spec := simcloud.RouteSpec{Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Address: "10.0.0.8"}}
		_, err := f.CreateRoute(f.Ctx, "rt-1", spec)
		f.Want(err, simcloud.AlreadyExists)
	})
	s.Test("CreateRoute/Capacity", func(f *suite.Fixture) {
		suite.Must[rtResult](f)(f.UpdateRouteTable(f.Ctx, "rt-1", simcloud.RouteTableUpdate{Limit: suite.Ptr(1)}))
		f.Route("10.244.0.0/24")
		spec := simcloud.RouteSpec{Destination: "10.244.1.0/24", NextHop: simcloud.NextHop{Address: "10.0.0.8"}}
		_, err := f.CreateRoute(f.Ctx, "rt-1", spec)
		f.Want(err, simcloud.Capacity)
	})
	s.Test("DeleteRoute/OK", func(f *suite.Fixture) {
		first, second := f.Route("10.244.0.0/24"), f.Route("10.244.1.0/24")
		r := suite.Must[rtResult](f)(f.DeleteRoute(f.Ctx, "rt-1", first.ID))
		f.Done(r.Operation, "DeleteRoute", simcloud.KindRouteTable, "rt-1")
		f.Equal("routes", r.Resource.Routes, []simcloud.Route{second})
		f.Equal("as read", f.MustGetRouteTable("rt-1"), r.Resource)
		f.Equal("ids are not used again", f.Route("10.244.0.0/24").ID, simcloud.ID("r-3"))
	})
	s.Test("DeleteRoute/NotFound", func(f *suite.Fixture) {
		_, err := f.DeleteRoute(f.Ctx, "rt-1", "r-1")
		f.Want(err, simcloud.NotFound)
	})
}
