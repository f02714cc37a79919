package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

func testPublicFamilies(s suite) {
	s.run("CreateLoadBalancer/PublicFamilies", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{PublicFamilies: []int{6, 4}})
		f.equal("as read", f.getLoadBalancer(lb.ID), lb)
		if len(lb.VIPs) != 2 {
			f.Fatalf("the load balancer has the VIPs %+v, want one of each family", lb.VIPs)
		}
		f.equal("pools", []string{lb.VIPs[0].Pool, lb.VIPs[1].Pool}, []string{"public-v6", "public"})
		for _, vip := range lb.VIPs {
			f.equal("floating IP", vip.FloatingIP, simcloud.ID(""))
			_, err := f.CreateFloatingIP(f.ctx, simcloud.FloatingIPSpec{Name: "taken", Address: vip.Address})
			f.want(err, simcloud.AlreadyExists)
		}
		fips := must[simcloud.Page[simcloud.FloatingIP]](f)(f.ListFloatingIPs(f.ctx, simcloud.ListOptions{}))
		f.equal("floating IPs", len(fips.Items), 0)
	})
	s.run("CreateLoadBalancer/PublicFamiliesBesideFloatingIP", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{PublicFamilies: []int{4}})
		own := lb.VIPs[0]
		fip := f.floatingIP(simcloud.FloatingIPSpec{AttachedTo: toLoadBalancer(lb.ID)})
		f.equal("VIPs", f.getLoadBalancer(lb.ID).VIPs, []simcloud.VIP{own, {Address: fip.Address, FloatingIP: fip.ID}})
		must[simcloud.Result[simcloud.FloatingIP]](f)(f.DetachFloatingIP(f.ctx, fip.ID))
		f.equal("VIPs after the floating IP", f.getLoadBalancer(lb.ID).VIPs, []simcloud.VIP{own})
	})
	s.run("DeleteLoadBalancer/PublicFamilies", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{PublicFamilies: []int{4}})
		_, err := f.DeleteFloatingIPPool(f.ctx, simcloud.ID(lb.VIPs[0].Pool))
		f.want(err, simcloud.InUse)
		must[simcloud.Operation](f)(f.DeleteLoadBalancer(f.ctx, lb.ID))
		fip := f.floatingIP(simcloud.FloatingIPSpec{Address: lb.VIPs[0].Address})
		f.equal("the address", fip.Address, lb.VIPs[0].Address)
	})
	s.run("CreateLoadBalancer/PublicFamiliesInvalid", func(f *fixture) {
		for field, spec := range map[string]simcloud.LoadBalancerSpec{
			"publicFamilies":    {Scheme: simcloud.SchemeInternal, PublicFamilies: []int{4}},
			"publicFamilies[0]": {PublicFamilies: []int{5}},
			"publicFamilies[1]": {PublicFamilies: []int{4, 4}},
		} {
			spec.Name = "lb"
			_, err := f.CreateLoadBalancer(f.ctx, spec)
			f.wantField(err, field)
		}
	})
	s.run("CreateLoadBalancer/PublicFamilyWithoutPool", func(f *fixture) {
		must[simcloud.Operation](f)(f.DeleteFloatingIPPool(f.ctx, "public-v6"))
		_, err := f.CreateLoadBalancer(f.ctx, simcloud.LoadBalancerSpec{Name: "lb", PublicFamilies: []int{4, 6}})
		f.wantField(err, "publicFamilies[1]")
		f.equal("load balancers", len(must[simcloud.Page[simcloud.LoadBalancer]](f)(f.ListLoadBalancers(f.ctx, simcloud.ListOptions{})).Items), 0)
	})
}
