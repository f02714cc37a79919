package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

func testPublicFamilies(s suite.Runner) {
	s.Test("CreateLoadBalancer/PublicFamilies", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{PublicFamilies: []int{6, 4}})
		f.Equal("as read", f.MustGetLoadBalancer(lb.ID), lb)
		if len(lb.VIPs) != 2 {
			f.Fatalf("the load balancer has the VIPs %+v, want one of each family", lb.VIPs)
		}
		f.Equal("pools", []string{lb.VIPs[0].Pool, lb.VIPs[1].Pool}, []string{"public-v6", "public"})
		for _, vip := range lb.VIPs {
			f.Equal("floating IP", vip.FloatingIP, simcloud.ID(""))
			_, err := f.CreateFloatingIP(f.Ctx, simcloud.FloatingIPSpec{Name: "taken", Address: vip.Address})
			f.Want(err, simcloud.AlreadyExists)
		}
		fips := suite.Must[simcloud.Page[simcloud.FloatingIP]](f)(f.ListFloatingIPs(f.Ctx, simcloud.ListOptions{}))
		f.Equal("floating IPs", len(fips.Items), 0)
	})
	s.Test("CreateLoadBalancer/PublicFamiliesBesideFloatingIP", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{PublicFamilies: []int{4}})
		own := lb.VIPs[0]
		fip := f.FloatingIP(simcloud.FloatingIPSpec{AttachedTo: suite.ToLoadBalancer(lb.ID)})
		f.Equal("VIPs", f.MustGetLoadBalancer(lb.ID).VIPs, []simcloud.VIP{own, {Address: fip.Address, FloatingIP: fip.ID}})
		suite.Must[simcloud.Result[simcloud.FloatingIP]](f)(f.DetachFloatingIP(f.Ctx, fip.ID))
		f.Equal("VIPs after the floating IP", f.MustGetLoadBalancer(lb.ID).VIPs, []simcloud.VIP{own})
	})
	s.Test("DeleteLoadBalancer/PublicFamilies", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{PublicFamilies: []int{4}})
		_, err := f.DeleteFloatingIPPool(f.Ctx, simcloud.ID(lb.VIPs[0].Pool))
		f.Want(err, simcloud.InUse)
		suite.Must[simcloud.Operation](f)(f.DeleteLoadBalancer(f.Ctx, lb.ID))
		fip := f.FloatingIP(simcloud.FloatingIPSpec{Address: lb.VIPs[0].Address})
		f.Equal("the address", fip.Address, lb.VIPs[0].Address)
	})
	s.Test("CreateLoadBalancer/PublicFamiliesInvalid", func(f *suite.Fixture) {
		for field, spec := range map[string]simcloud.LoadBalancerSpec{
			"publicFamilies":    {Scheme: simcloud.SchemeInternal, PublicFamilies: []int{4}},
			"publicFamilies[0]": {PublicFamilies: []int{5}},
			"publicFamilies[1]": {PublicFamilies: []int{4, 4}},
		} {
			spec.Name = "lb"
			_, err := f.CreateLoadBalancer(f.Ctx, spec)
			f.WantField(err, field)
		}
	})
	s.Test("CreateLoadBalancer/PublicFamilyWithoutPool", func(f *suite.Fixture) {
		suite.Must[simcloud.Operation](f)(f.DeleteFloatingIPPool(f.Ctx, "public-v6"))
		_, err := f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "lb", PublicFamilies: []int{4, 6}})
		f.WantField(err, "publicFamilies[1]")
		f.Equal("load balancers", len(suite.Must[simcloud.Page[simcloud.LoadBalancer]](f)(f.ListLoadBalancers(f.Ctx, simcloud.ListOptions{})).Items), 0)
	})
}
