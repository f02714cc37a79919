package tenancy

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// testUsage: what is used follows what there is.
func testUsage(s suite.Runner) {
	s.Test("GetQuota/Used", func(f *suite.Fixture) {
		topology := map[simcloud.QuotaResource]int{simcloud.QuotaNetworks: 1, simcloud.QuotaRouteTables: 1}
		f.Equal("at first", f.Usage(), topology)
		a := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Type: "medium"})
		f.Instance("b")
		lb, fip := f.LoadBalancer(simcloud.LoadBalancerSpec{}), f.FloatingIP(simcloud.FloatingIPSpec{})
		subnet, network, table := f.Subnet("", "10.0.1.0/24"), f.Network("10.9.0.0/24"), f.RouteTable("t")
		f.Equal("with some of each", f.Usage(), map[simcloud.QuotaResource]int{
			simcloud.QuotaInstances: 2, simcloud.QuotaVCPUs: 4 + 2, simcloud.QuotaMemoryMiB: 8192 + 4096,
			simcloud.QuotaLoadBalancers: 1, simcloud.QuotaFloatingIPs: 1,
			simcloud.QuotaSubnets: 1, simcloud.QuotaNetworks: 2, simcloud.QuotaRouteTables: 2,
		})
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, a.ID))
		f.Equal("a stopped instance counts", f.Usage()[simcloud.QuotaVCPUs], 6)
		suite.Drop(f)(f.DeleteInstance(f.Ctx, a.ID))
		suite.Drop(f)(f.DeleteInstance(f.Ctx, "i-2"))
		suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, lb.ID))
		suite.Drop(f)(f.DeleteFloatingIP(f.Ctx, fip.ID))
		suite.Drop(f)(f.DeleteSubnet(f.Ctx, subnet.ID))
		suite.Drop(f)(f.DeleteNetwork(f.Ctx, network.ID))
		suite.Drop(f)(f.DeleteRouteTable(f.Ctx, table.ID))
		f.Equal("in the end", f.Usage(), topology)
	})
	s.TestSlow("GetQuota/UsedWhileItGoes", func(f *suite.Fixture) {
		id := f.Instance("a").ID
		f.Advance(suite.OpDuration)
		suite.Drop(f)(f.DeleteInstance(f.Ctx, id))
		f.Equal("what is terminating counts", f.Usage()[simcloud.QuotaInstances], 1)
		f.Advance(suite.OpDuration)
		f.Equal("what is gone does not", f.Usage()[simcloud.QuotaInstances], 0)
	})
	s.Test("Reset/Usage", func(f *suite.Fixture) {
		before := f.Usage()
		f.Used()
		f.Limit(simcloud.QuotaVCPUs, 2)
		if err := f.Control().Reset(f.Ctx); err != nil {
			f.Fatal(err)
		}
		f.Equal("usage", f.Usage(), before)
		f.Equal("limit", suite.Must[simcloud.Quota](f)(f.GetQuota(f.Ctx, "default.vcpu")).Limit, simcloud.Unlimited)
		f.Equal("limits of the state", suite.Must[simcloud.State](f)(f.Control().GetState(f.Ctx)).Quotas, []simcloud.Quota{})
	})
	s.Test("GetState/Quotas", func(f *suite.Fixture) {
		f.Instance("a")
		q := f.Limit(simcloud.QuotaVCPUs, 2)
		f.Limit(simcloud.QuotaNetworks, 2)
		f.Limit(simcloud.QuotaNetworks, simcloud.Unlimited)
		f.Equal("those that limit", suite.Must[simcloud.State](f)(f.Control().GetState(f.Ctx)).Quotas, []simcloud.Quota{q})
	})
}
