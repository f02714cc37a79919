// Package network specifies networks and what leads to instances: subnets, load
// balancers, floating IPs, route tables, and the data plane's reports.
package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

// testNetwork runs the subtests of this room.
func testNetwork(s suite) {
	for _, part := range []func(suite){
		testNetworks, testSubnets, testFloatingIPPools,
		testLoadBalancers, testLoadBalancerRefusals, testLoadBalancerChanges, testListeners, testTargets,
		testFloatingIPs, testRouteTables, testRoutes, testAddresses, testDataPlane,
	} {
		part(s)
	}
}

func testNetworks(s suite) {
	s.run("GetNetwork/Default", func(f *fixture) {
		network := must[simcloud.Network](f)(f.GetNetwork(f.ctx, "net-1"))
		f.equal("name", network.Name, "default")
		f.equal("ranges", network.CIDRs, []string{"10.0.0.0/16"})
		f.equal("state", network.State, simcloud.NetworkAvailable)
	})
	s.run("GetNetwork/NotFound", func(f *fixture) {
		for _, id := range []simcloud.ID{"net-9", "net-01", "net-", "net", "i-1", "NET-1", "net-1x", "net--1"} {
			_, err := f.GetNetwork(f.ctx, id)
			f.want(err, simcloud.NotFound)
			f.wantResource(err, "network/"+string(id))
		}
	})
	s.run("CreateNetwork/OK", func(f *fixture) {
		spec := simcloud.NetworkSpec{Name: "two", CIDRs: []string{"192.168.0.0/24", "fd00::/64"}, Labels: map[string]string{"k": "v"}}
		r := must[simcloud.Result[simcloud.Network]](f)(f.CreateNetwork(f.ctx, spec))
		f.equal("id", r.Resource.ID, simcloud.ID("net-2"))
		f.equal("project", r.Resource.Project, simcloud.DefaultProject)
		f.equal("as read", must[simcloud.Network](f)(f.GetNetwork(f.ctx, "net-2")), r.Resource)
		f.done(r.Operation, "CreateNetwork", simcloud.KindNetwork, "net-2")
	})
	s.run("CreateNetwork/Invalid", func(f *fixture) {
		_, err := f.CreateNetwork(f.ctx, simcloud.NetworkSpec{Name: "-", CIDRs: []string{"10.0.0.1/8"}})
		f.wantField(err, "name")
		f.wantField(err, "cidrs[0]")
	})
	s.run("DeleteNetwork/OK", func(f *fixture) {
		network := f.network("10.9.0.0/24")
		op := must[simcloud.Operation](f)(f.DeleteNetwork(f.ctx, network.ID))
		f.done(op, "DeleteNetwork", simcloud.KindNetwork, network.ID)
		_, err := f.GetNetwork(f.ctx, network.ID)
		f.want(err, simcloud.NotFound)
	})
	s.run("DeleteNetwork/InUse", func(f *fixture) {
		for what, use := range map[string]func(simcloud.ID){
			"instance": func(id simcloud.ID) { f.instanceOf(simcloud.InstanceSpec{Name: "a", Network: id}) },
			"load balancer": func(id simcloud.ID) {
				f.loadBalancer(simcloud.LoadBalancerSpec{Network: id, Scheme: simcloud.SchemeInternal})
			},
			"route table": func(id simcloud.ID) {
				spec := simcloud.RouteTableSpec{Name: "rt", Network: id}
				must[simcloud.Result[simcloud.RouteTable]](f)(f.CreateRouteTable(f.ctx, spec))
			},
		} {
			network := f.network("10.9.0.0/24")
			use(network.ID)
			if _, err := f.DeleteNetwork(f.ctx, network.ID); simcloud.CodeOf(err) != simcloud.InUse {
				f.Errorf("with a %s in it: got %v, want InUse", what, err)
			}
		}
	})
}
