package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

// testUsage: what is used follows what there is.
func testUsage(s suite) {
	s.run("GetQuota/Used", func(f *fixture) {
		topology := map[simcloud.QuotaResource]int{simcloud.QuotaNetworks: 1, simcloud.QuotaRouteTables: 1}
		f.equal("at first", f.usage(), topology)
		a := f.instanceOf(simcloud.InstanceSpec{Name: "a", Type: "medium"})
		f.instance("b")
		lb, fip := f.loadBalancer(simcloud.LoadBalancerSpec{}), f.floatingIP(simcloud.FloatingIPSpec{})
		subnet, network, table := f.subnet("", "10.0.1.0/24"), f.network("10.9.0.0/24"), f.routeTable("t")
		f.equal("with some of each", f.usage(), map[simcloud.QuotaResource]int{
			simcloud.QuotaInstances: 2, simcloud.QuotaVCPUs: 4 + 2, simcloud.QuotaMemoryMiB: 8192 + 4096,
			simcloud.QuotaLoadBalancers: 1, simcloud.QuotaFloatingIPs: 1,
			simcloud.QuotaSubnets: 1, simcloud.QuotaNetworks: 2, simcloud.QuotaRouteTables: 2,
		})
		must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, a.ID))
		f.equal("a stopped instance counts", f.usage()[simcloud.QuotaVCPUs], 6)
		drop(f)(f.DeleteInstance(f.ctx, a.ID))
		drop(f)(f.DeleteInstance(f.ctx, "i-2"))
		drop(f)(f.DeleteLoadBalancer(f.ctx, lb.ID))
		drop(f)(f.DeleteFloatingIP(f.ctx, fip.ID))
		drop(f)(f.DeleteSubnet(f.ctx, subnet.ID))
		drop(f)(f.DeleteNetwork(f.ctx, network.ID))
		drop(f)(f.DeleteRouteTable(f.ctx, table.ID))
		f.equal("in the end", f.usage(), topology)
	})
	s.runSlow("GetQuota/UsedWhileItGoes", func(f *fixture) {
		id := f.instance("a").ID
		f.advance(opDuration)
		drop(f)(f.DeleteInstance(f.ctx, id))
		f.equal("what is terminating counts", f.usage()[simcloud.QuotaInstances], 1)
		f.advance(opDuration)
		f.equal("what is gone does not", f.usage()[simcloud.QuotaInstances], 0)
	})
	s.run("Reset/Usage", func(f *fixture) {
		before := f.usage()
		f.used()
		f.limit(simcloud.QuotaVCPUs, 2)
		if err := f.control().Reset(f.ctx); err != nil {
			f.Fatal(err)
		}
		f.equal("usage", f.usage(), before)
		f.equal("limit", must[simcloud.Quota](f)(f.GetQuota(f.ctx, "default.vcpu")).Limit, simcloud.Unlimited)
		f.equal("limits of the state", must[simcloud.State](f)(f.control().GetState(f.ctx)).Quotas, []simcloud.Quota{})
	})
	s.run("GetState/Quotas", func(f *fixture) {
		f.instance("a")
		q := f.limit(simcloud.QuotaVCPUs, 2)
		f.limit(simcloud.QuotaNetworks, 2)
		f.limit(simcloud.QuotaNetworks, simcloud.Unlimited)
		f.equal("those that limit", must[simcloud.State](f)(f.control().GetState(f.ctx)).Quotas, []simcloud.Quota{q})
	})
}
