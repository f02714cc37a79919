package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type poolResult = simcloud.Result[simcloud.FloatingIPPool]

func testFloatingIPPools(s suite.Runner) {
	s.Test("GetFloatingIPPool/Default", func(f *suite.Fixture) {
		for id, cidr := range map[simcloud.ID]string{"public": "127.77.0.0/16", "public-v6": "fd77::/64"} {
			pool := suite.Must[simcloud.FloatingIPPool](f)(f.GetFloatingIPPool(f.Ctx, id))
			f.Equal("range, name and project", []any{pool.CIDR, pool.Name, pool.Project}, []any{cidr, string(id), simcloud.ID("")})
		}
	})
	s.Test("GetFloatingIPPool/NotFound", func(f *suite.Fixture) {
		_, err := f.GetFloatingIPPool(f.Ctx, "private")
		f.Want(err, simcloud.NotFound)
		f.WantResource(err, "floating_ip_pool/private")
	})
	s.Test("CreateFloatingIPPool/OK", func(f *suite.Fixture) {
		spec := simcloud.FloatingIPPoolSpec{Name: "office", CIDR: "192.0.2.0/24", Labels: map[string]string{"k": "v"}}
		r := suite.Must[poolResult](f)(f.CreateFloatingIPPool(f.Ctx, spec))
		f.Done(r.Operation, "CreateFloatingIPPool", simcloud.KindFloatingIPPool, "office")
		f.Equal("pool", []any{r.Resource.ID, r.Resource.CIDR, r.Resource.Labels}, []any{simcloud.ID("office"), spec.CIDR, spec.Labels})
		f.Equal("as read", suite.Must[simcloud.FloatingIPPool](f)(f.GetFloatingIPPool(f.Ctx, "office")), r.Resource)
		fip := f.FloatingIP(simcloud.FloatingIPSpec{Pool: "office"})
		f.Equal("pool of an address", fip.Pool, "office")
		f.InRange(simcloud.Address{Address: fip.Address}, "", spec.CIDR)
	})
	s.Test("CreateFloatingIPPool/Invalid", func(f *suite.Fixture) {
		_, err := f.CreateFloatingIPPool(f.Ctx, simcloud.FloatingIPPoolSpec{Name: "-", CIDR: "192.0.2.1/24"})
		f.WantField(err, "name")
		f.WantField(err, "cidr")
	})
	s.Test("CreateFloatingIPPool/NameTaken", func(f *suite.Fixture) {
		for _, name := range []string{"public", "instances"} {
			_, err := f.CreateFloatingIPPool(f.Ctx, simcloud.FloatingIPPoolSpec{Name: name, CIDR: "192.0.2.0/24"})
			f.Want(err, simcloud.AlreadyExists)
		}
	})
	s.Test("CreateFloatingIPPool/Overlap", func(f *suite.Fixture) {
		for _, cidr := range []string{"127.77.9.0/24", "127.0.0.0/8", "198.18.0.0/24", "fd77::/48", "2001:2::/64"} {
			_, err := f.CreateFloatingIPPool(f.Ctx, simcloud.FloatingIPPoolSpec{Name: "a", CIDR: cidr})
			f.Want(err, simcloud.Conflict)
		}
	})
	s.Test("DeleteFloatingIPPool/OK", func(f *suite.Fixture) {
		op := suite.Must[simcloud.Operation](f)(f.DeleteFloatingIPPool(f.Ctx, "public-v6"))
		f.Done(op, "DeleteFloatingIPPool", simcloud.KindFloatingIPPool, "public-v6")
		_, err := f.GetFloatingIPPool(f.Ctx, "public-v6")
		f.Want(err, simcloud.NotFound)
		_, err = f.CreateFloatingIP(f.Ctx, simcloud.FloatingIPSpec{Name: "a", Family: 6})
		f.WantField(err, "family")
	})
	s.Test("DeleteFloatingIPPool/InUse", func(f *suite.Fixture) {
		fip := f.FloatingIP(simcloud.FloatingIPSpec{})
		_, err := f.DeleteFloatingIPPool(f.Ctx, "public")
		f.Want(err, simcloud.InUse)
		f.WantResource(err, "floating_ip_pool/public")
		suite.Drop(f)(f.DeleteFloatingIP(f.Ctx, fip.ID))
		suite.Drop(f)(f.DeleteFloatingIPPool(f.Ctx, "public"))
	})
	s.Test("DeleteFloatingIPPool/Again", func(f *suite.Fixture) {
		for range 2 { // the second pool of the name starts again
			f.Pool("small", "192.0.2.0/30")
			fip := f.FloatingIP(simcloud.FloatingIPSpec{Pool: "small"})
			_, err := f.CreateFloatingIP(f.Ctx, simcloud.FloatingIPSpec{Name: "a", Pool: "small"})
			f.Want(err, simcloud.Capacity)
			suite.Drop(f)(f.DeleteFloatingIP(f.Ctx, fip.ID))
			suite.Drop(f)(f.DeleteFloatingIPPool(f.Ctx, "small"))
		}
	})
	testPoolChoice(s)
}

// testPoolChoice: which pool a floating IP is from.
func testPoolChoice(s suite.Runner) {
	s.Test("CreateFloatingIP/Pool", func(f *suite.Fixture) {
		f.Pool("second", "192.0.2.0/24")
		for pool, specs := range map[string][]simcloud.FloatingIPSpec{
			"public":    {{}, {Family: 4}, {Address: "127.77.0.9"}, {Pool: "public", Family: 4}},
			"public-v6": {{Family: 6}, {Pool: "public-v6"}, {Address: "fd77::9"}, {Address: "FD77:0::a", Family: 6, Pool: "public-v6"}},
			"second":    {{Pool: "second"}, {Address: "192.0.2.9"}},
		} {
			cidr := suite.Must[simcloud.FloatingIPPool](f)(f.GetFloatingIPPool(f.Ctx, simcloud.ID(pool))).CIDR
			for _, spec := range specs {
				fip := f.FloatingIP(spec)
				f.Equal("pool", fip.Pool, pool)
				f.InRange(simcloud.Address{Address: fip.Address}, "", cidr)
			}
		}
		_, err := f.CreateFloatingIP(f.Ctx, simcloud.FloatingIPSpec{Name: "a", Address: "fd77:0::A"})
		f.Want(err, simcloud.AlreadyExists)
	})
	s.Test("CreateFloatingIP/PoolInvalid", func(f *suite.Fixture) {
		for field, specs := range map[string][]simcloud.FloatingIPSpec{
			"family":  {{Family: 5}, {Family: 6, Pool: "public"}, {Family: 4, Pool: "public-v6"}},
			"address": {{Address: "192.0.2.9"}, {Address: "fd77::9", Pool: "public"}, {Address: "fd77::9", Family: 4}},
		} {
			for _, spec := range specs {
				spec.Name = "a"
				_, err := f.CreateFloatingIP(f.Ctx, spec)
				f.WantField(err, field)
			}
		}
	})
	s.Test("CreateFloatingIP/BothFamilies", func(f *suite.Fixture) {
		to := suite.ToLoadBalancer(f.LoadBalancer(simcloud.LoadBalancerSpec{}).ID)
		four := f.FloatingIP(simcloud.FloatingIPSpec{AttachedTo: to})
		six := f.FloatingIP(simcloud.FloatingIPSpec{AttachedTo: to, Family: 6})
		f.Equal("VIPs", f.MustGetLoadBalancer(to.ID).VIPs,
			[]simcloud.VIP{{Address: four.Address, FloatingIP: four.ID}, {Address: six.Address, FloatingIP: six.ID}})
	})
}
