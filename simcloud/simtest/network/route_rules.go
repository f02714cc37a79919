package network

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// routeRules sets the rules for new routes.
func routeRules(f *suite.Fixture, rules ...simcloud.RouteRule) {
	f.Helper()
	suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{RouteRules: &rules}))
}

// routeTo adds a route to the default table.
func routeTo(f *suite.Fixture, destination string, hop simcloud.NextHop) error {
	_, err := f.CreateRoute(f.Ctx, "rt-1", simcloud.RouteSpec{Destination: destination, NextHop: hop})
	return err
}

func testRouteRules(s suite.Runner) {
	hop := simcloud.NextHop{Address: "10.0.0.9"}
	s.Test("CreateRoute/NoOverlap", func(f *suite.Fixture) {
		f.Route("10.244.0.0/16")
		f.Route("10.244.7.0/24") // without the rule
		suite.Must[simcloud.Result[simcloud.Subnet]](f)(f.CreateSubnet(f.Ctx, simcloud.SubnetSpec{Name: "s", CIDR: "10.0.64.0/24"}))
		routeRules(f, simcloud.RouteNoOverlap)
		for destination, code := range map[string]simcloud.Code{
			"10.244.7.128/25": simcloud.AlreadyExists, "10.0.0.0/8": simcloud.AlreadyExists, "10.0.64.7/32": simcloud.AlreadyExists,
			"10.245.0.0/16": "", "0.0.0.0/0": "", "fd00::/64": "",
		} {
			f.Want(routeTo(f, destination, hop), code)
		}
		_, err := f.CreateSubnet(f.Ctx, simcloud.SubnetSpec{Name: "t", CIDR: "10.0.65.0/24"})
		f.Want(err, "")
		routeRules(f)
		f.Want(routeTo(f, "10.0.66.0/24", hop), "")
		_, err = f.CreateSubnet(f.Ctx, simcloud.SubnetSpec{Name: "u", CIDR: "10.0.66.0/24"})
		f.Want(err, "")
		routeRules(f, simcloud.RouteNoOverlap)
		_, err = f.CreateSubnet(f.Ctx, simcloud.SubnetSpec{Name: "u", CIDR: "10.0.66.128/25"})
		f.Want(err, simcloud.Conflict)
	})
	s.Test("CreateRoute/GatewayInNetwork", func(f *suite.Fixture) {
		routeRules(f, simcloud.RouteGatewayInNetwork)
		network := f.Network("10.9.0.0/24")
		inside, outside := f.Instance("a").ID, f.InstanceOf(simcloud.InstanceSpec{Name: "b", Network: network.ID}).ID
		for i, address := range []string{"10.0.0.2", "10.0.255.255"} {
			f.Want(routeTo(f, fmt.Sprintf("10.244.%d.0/24", i), simcloud.NextHop{Address: address}), "")
		}
		for _, address := range []string{"10.0.0.0", "10.0.0.1", "10.1.0.9", "fd00::9"} {
			f.WantField(routeTo(f, "10.244.9.0/24", simcloud.NextHop{Address: address}), "nextHop.address")
		}
		f.Want(routeTo(f, "10.245.0.0/24", simcloud.NextHop{Instance: inside}), "")
		f.WantField(routeTo(f, "10.245.1.0/24", simcloud.NextHop{Instance: outside}), "nextHop.instance")
	})
	s.Test("CreateRoute/PrivateDestination", func(f *suite.Fixture) {
		routeRules(f, simcloud.RoutePrivateDestination)
		for _, destination := range []string{"10.0.0.0/8", "172.31.0.0/16", "192.168.9.0/24", "0.0.0.0/0", "fd00::/64", "::/0"} {
			f.Want(routeTo(f, destination, hop), "")
		}
		for _, destination := range []string{"198.51.100.0/24", "172.0.0.0/8", "0.0.0.0/1", "2001:db8::/64"} {
			f.WantField(routeTo(f, destination, hop), "destination")
		}
	})
	s.Test("CreateRouteTable/MaxRoutes", func(f *suite.Fixture) {
		suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{MaxRoutes: suite.Ptr(2)}))
		f.Equal("limit", f.RouteTable("t").Limit, 2)
		r := suite.Must[rtResult](f)(f.CreateRouteTable(f.Ctx, simcloud.RouteTableSpec{Name: "u", Limit: 3}))
		f.Equal("limit of a table that says it", r.Resource.Limit, 3)
		f.Equal("limit of a table from before", f.MustGetRouteTable("rt-1").Limit, simcloud.DefaultRouteLimit)
		tables := []simcloud.TopologyRouteTable{{RouteTableSpec: simcloud.RouteTableSpec{Name: "t"}}}
		report := suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, simcloud.Topology{RouteTables: &tables}))
		f.Equal("updated by a topology that does not say it", report.Updated, []string{})
	})
}
