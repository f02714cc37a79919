package network

import (
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

func testPTRs(s suite.Runner) {
	s.Test("UpdateLoadBalancer/PTRs", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{PublicFamilies: []int{4, 6}})
		v4, v6 := lb.VIPs[0].Address, lb.VIPs[1].Address
		set := func(names map[string]string) []string {
			f.Helper()
			r := suite.Must[lbResult](f)(f.UpdateLoadBalancer(f.Ctx, lb.ID, simcloud.LoadBalancerUpdate{PTRs: &names}))
			f.Done(r.Operation, "UpdateLoadBalancer", simcloud.KindLoadBalancer, lb.ID)
			f.Equal("as read", f.MustGetLoadBalancer(lb.ID), r.Resource)
			return []string{r.Resource.VIPs[0].PTR, r.Resource.VIPs[1].PTR}
		}
		f.Equal("names", set(map[string]string{v4: "a.example.com", strings.ToUpper(v6): "b.example.com"}), []string{"a.example.com", "b.example.com"})
		f.Equal("without the first", set(map[string]string{v4: ""}), []string{"", "b.example.com"})
		f.Equal("without any", set(map[string]string{v6: ""}), []string{"", ""})
	})
	s.Test("UpdateLoadBalancer/PTRsInvalid", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{PublicFamilies: []int{4}})
		fip := f.FloatingIP(simcloud.FloatingIPSpec{AttachedTo: suite.ToLoadBalancer(lb.ID)})
		internal := f.LoadBalancer(simcloud.LoadBalancerSpec{Name: "inside", Scheme: simcloud.SchemeInternal})
		before := f.MustGetLoadBalancer(lb.ID)
		own, inside := lb.VIPs[0].Address, internal.VIPs[0].Address
		for _, bad := range []struct {
			id            simcloud.ID
			address, name string
			field         string
		}{
			{lb.ID, own, "a_b.example.com", "ptrs[" + own + "]"},
			{lb.ID, own, "example.com.", "ptrs[" + own + "]"},
			{lb.ID, "here", "a.example.com", "ptrs"},
			{lb.ID, "192.0.2.1", "a.example.com", "ptrs[192.0.2.1]"},
			{lb.ID, fip.Address, "a.example.com", "ptrs[" + fip.Address + "]"},
			{internal.ID, inside, "a.example.com", "ptrs[" + inside + "]"},
		} {
			names := map[string]string{bad.address: bad.name}
			_, err := f.UpdateLoadBalancer(f.Ctx, bad.id, simcloud.LoadBalancerUpdate{PTRs: &names})
			f.WantField(err, bad.field)
		}
		f.Equal("afterwards", f.MustGetLoadBalancer(lb.ID), before)
	})
	s.Test("UpdateFloatingIP/PTR", func(f *suite.Fixture) {
		fip := f.FloatingIP(simcloud.FloatingIPSpec{PTR: "a.example.com"})
		f.Equal("name at first", f.MustGetFloatingIP(fip.ID).PTR, "a.example.com")
		for _, name := range []string{"b.example.com", ""} {
			r := suite.Must[simcloud.Result[simcloud.FloatingIP]](f)(f.UpdateFloatingIP(f.Ctx, fip.ID, simcloud.FloatingIPUpdate{PTR: &name}))
			f.Equal("name", r.Resource.PTR, name)
			f.Equal("as read", f.MustGetFloatingIP(fip.ID), r.Resource)
		}
		_, err := f.UpdateFloatingIP(f.Ctx, fip.ID, simcloud.FloatingIPUpdate{PTR: suite.Ptr("a..b")})
		f.WantField(err, "ptr")
		_, err = f.CreateFloatingIP(f.Ctx, simcloud.FloatingIPSpec{Name: "fip", PTR: strings.Repeat("a", 64)})
		f.WantField(err, "ptr")
	})
	s.Test("UpdateInstance/PTRs", func(f *suite.Fixture) {
		before := f.Instance("a")
		private, public := before.Addresses[0].Address, before.Addresses[1].Address
		names := map[string]string{public: "a.example.com"}
		r := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.UpdateInstance(f.Ctx, before.ID, simcloud.InstanceUpdate{PTRs: &names}))
		f.Equal("addresses", r.Resource.Addresses, []simcloud.Address{
			before.Addresses[0], {Scope: simcloud.ScopePublic, Address: public, PTR: "a.example.com"},
		})
		f.Equal("as read", f.MustGetInstance(before.ID), r.Resource)
		names = map[string]string{private: "a.example.com"}
		_, err := f.UpdateInstance(f.Ctx, before.ID, simcloud.InstanceUpdate{PTRs: &names})
		f.WantField(err, "ptrs["+private+"]")
	})
	s.Test("Seed/PTR", func(f *suite.Fixture) {
		fip := simcloud.FloatingIPSpec{Name: "fip", PTR: "a.example.com"}
		seed := func() simcloud.SeedReport {
			return suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, simcloud.Topology{FloatingIPs: &[]simcloud.FloatingIPSpec{fip}}))
		}
		f.Equal("created", seed().Created, []string{"floating_ip/fip"})
		fip.PTR = "b.example.com"
		f.Equal("updated", seed().Updated, []string{"floating_ip/fip"})
		f.Equal("name", f.MustGetFloatingIP("fip-1").PTR, "b.example.com")
	})
}
