// Package network specifies networks and what leads to instances: subnets, load
// balancers, floating IPs, route tables, and the data plane's reports.
package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// Test runs the subtests of this room.
func Test(s suite.Runner) {
	for _, part := range []func(suite.Runner){
		testNetworks, testSubnets, testFloatingIPPools,
		testLoadBalancers, testLoadBalancerRefusals, testPublicFamilies, testPlacements, testLoadBalancerChanges, testLoadBalancerNetworks, testInstanceNetworks, testPrivateTraffic, testLoadBalancerClasses,
		testListeners, testListenerProtocols, testListenerOptions, testHealthChecks, testTargets, testAddressTargets,
		testFloatingIPs, testPTRs, testRouteTables, testRoutes, testRouteRules, testSecurityGroups, testSecurityGroupRules, testSecurityGroupUsers, testDefaultSecurityGroups,
		testTargetGroups, testGroupTargets, testTargetGroupListeners, testTargetGroupMoves, testTargetGroupParts, testOptions, testAddresses, testReservations, testDataPlane,
	} {
		part(s)
	}
}

func testNetworks(s suite.Runner) {
	s.Test("GetNetwork/Default", func(f *suite.Fixture) {
		network := suite.Must[simcloud.Network](f)(f.GetNetwork(f.Ctx, "net-1"))
		f.Equal("name", network.Name, "default")
		f.Equal("ranges", network.CIDRs, []string{"10.0.0.0/16"})
		f.Equal("state", network.State, simcloud.NetworkAvailable)
	})
	s.Test("GetNetwork/NotFound", func(f *suite.Fixture) {
		for _, id := range []simcloud.ID{"net-9", "net-01", "net-", "net", "i-1", "NET-1", "net-1x", "net--1"} {
			_, err := f.GetNetwork(f.Ctx, id)
			f.Want(err, simcloud.NotFound)
			f.WantResource(err, "network/"+string(id))
		}
	})
	s.Test("CreateNetwork/OK", func(f *suite.Fixture) {
		spec := simcloud.NetworkSpec{Name: "two", CIDRs: []string{"192.168.0.0/24", "fd00::/64"}, Labels: map[string]string{"k": "v"}}
		r := suite.Must[simcloud.Result[simcloud.Network]](f)(f.CreateNetwork(f.Ctx, spec))
		f.Equal("id", r.Resource.ID, simcloud.ID("net-2"))
		f.Equal("project", r.Resource.Project, simcloud.DefaultProject)
		f.Equal("as read", suite.Must[simcloud.Network](f)(f.GetNetwork(f.Ctx, "net-2")), r.Resource)
		f.Done(r.Operation, "CreateNetwork", simcloud.KindNetwork, "net-2")
	})
	s.Test("CreateNetwork/Invalid", func(f *suite.Fixture) {
		_, err := f.CreateNetwork(f.Ctx, simcloud.NetworkSpec{Name: "-", CIDRs: []string{"10.0.0.1/8"}})
		f.WantField(err, "name")
		f.WantField(err, "cidrs[0]")
	})
	s.Test("DeleteNetwork/OK", func(f *suite.Fixture) {
		network := f.Network("10.9.0.0/24")
		op := suite.Must[simcloud.Operation](f)(f.DeleteNetwork(f.Ctx, network.ID))
		f.Done(op, "DeleteNetwork", simcloud.KindNetwork, network.ID)
		_, err := f.GetNetwork(f.Ctx, network.ID)
		f.Want(err, simcloud.NotFound)
	})
	s.Test("DeleteNetwork/InUse", func(f *suite.Fixture) {
		for what, use := range map[string]func(simcloud.ID){
			"instance": func(id simcloud.ID) { f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: id}) },
			"load balancer": func(id simcloud.ID) {
				f.LoadBalancer(simcloud.LoadBalancerSpec{Network: id, Scheme: simcloud.SchemeInternal})
			},
			"route table": func(id simcloud.ID) {
				spec := simcloud.RouteTableSpec{Name: "rt", Network: id}
				suite.Must[simcloud.Result[simcloud.RouteTable]](f)(f.CreateRouteTable(f.Ctx, spec))
			},
		} {
			network := f.Network("10.9.0.0/24")
			use(network.ID)
			if _, err := f.DeleteNetwork(f.Ctx, network.ID); simcloud.CodeOf(err) != simcloud.InUse {
				f.Errorf("with a %s in it: got %v, want InUse", what, err)
			}
		}
	})
}
