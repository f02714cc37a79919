package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

type poolResult = simcloud.Result[simcloud.FloatingIPPool]

func testFloatingIPPools(s suite) {
	s.run("GetFloatingIPPool/Default", func(f *fixture) {
		for id, cidr := range map[simcloud.ID]string{"public": "127.77.0.0/16", "public-v6": "fd77::/64"} {
			pool := must[simcloud.FloatingIPPool](f)(f.GetFloatingIPPool(f.ctx, id))
			f.equal("range, name and project", []any{pool.CIDR, pool.Name, pool.Project}, []any{cidr, string(id), simcloud.ID("")})
		}
	})
	s.run("GetFloatingIPPool/NotFound", func(f *fixture) {
		_, err := f.GetFloatingIPPool(f.ctx, "private")
		f.want(err, simcloud.NotFound)
		f.wantResource(err, "floating_ip_pool/private")
	})
	s.run("CreateFloatingIPPool/OK", func(f *fixture) {
		spec := simcloud.FloatingIPPoolSpec{Name: "office", CIDR: "192.0.2.0/24", Labels: map[string]string{"k": "v"}}
		r := must[poolResult](f)(f.CreateFloatingIPPool(f.ctx, spec))
		f.done(r.Operation, "CreateFloatingIPPool", simcloud.KindFloatingIPPool, "office")
		f.equal("pool", []any{r.Resource.ID, r.Resource.CIDR, r.Resource.Labels}, []any{simcloud.ID("office"), spec.CIDR, spec.Labels})
		f.equal("as read", must[simcloud.FloatingIPPool](f)(f.GetFloatingIPPool(f.ctx, "office")), r.Resource)
		fip := f.floatingIP(simcloud.FloatingIPSpec{Pool: "office"})
		f.equal("pool of an address", fip.Pool, "office")
		f.inRange(simcloud.Address{Address: fip.Address}, "", spec.CIDR)
	})
	s.run("CreateFloatingIPPool/Invalid", func(f *fixture) {
		_, err := f.CreateFloatingIPPool(f.ctx, simcloud.FloatingIPPoolSpec{Name: "-", CIDR: "192.0.2.1/24"})
		f.wantField(err, "name")
		f.wantField(err, "cidr")
	})
	s.run("CreateFloatingIPPool/NameTaken", func(f *fixture) {
		for _, name := range []string{"public", "instances"} {
			_, err := f.CreateFloatingIPPool(f.ctx, simcloud.FloatingIPPoolSpec{Name: name, CIDR: "192.0.2.0/24"})
			f.want(err, simcloud.AlreadyExists)
		}
	})
	s.run("CreateFloatingIPPool/Overlap", func(f *fixture) {
		for _, cidr := range []string{"127.77.9.0/24", "127.0.0.0/8", "198.18.0.0/24", "fd77::/48", "2001:2::/64"} {
			_, err := f.CreateFloatingIPPool(f.ctx, simcloud.FloatingIPPoolSpec{Name: "a", CIDR: cidr})
			f.want(err, simcloud.Conflict)
		}
	})
	s.run("DeleteFloatingIPPool/OK", func(f *fixture) {
		op := must[simcloud.Operation](f)(f.DeleteFloatingIPPool(f.ctx, "public-v6"))
		f.done(op, "DeleteFloatingIPPool", simcloud.KindFloatingIPPool, "public-v6")
		_, err := f.GetFloatingIPPool(f.ctx, "public-v6")
		f.want(err, simcloud.NotFound)
		_, err = f.CreateFloatingIP(f.ctx, simcloud.FloatingIPSpec{Name: "a", Family: 6})
		f.wantField(err, "family")
	})
	s.run("DeleteFloatingIPPool/InUse", func(f *fixture) {
		fip := f.floatingIP(simcloud.FloatingIPSpec{})
		_, err := f.DeleteFloatingIPPool(f.ctx, "public")
		f.want(err, simcloud.InUse)
		f.wantResource(err, "floating_ip_pool/public")
		drop(f)(f.DeleteFloatingIP(f.ctx, fip.ID))
		drop(f)(f.DeleteFloatingIPPool(f.ctx, "public"))
	})
	s.run("DeleteFloatingIPPool/Again", func(f *fixture) {
		for range 2 { // the second pool of the name starts again
			f.pool("small", "192.0.2.0/30")
			fip := f.floatingIP(simcloud.FloatingIPSpec{Pool: "small"})
			_, err := f.CreateFloatingIP(f.ctx, simcloud.FloatingIPSpec{Name: "a", Pool: "small"})
			f.want(err, simcloud.Capacity)
			drop(f)(f.DeleteFloatingIP(f.ctx, fip.ID))
			drop(f)(f.DeleteFloatingIPPool(f.ctx, "small"))
		}
	})
	testPoolChoice(s)
}

// testPoolChoice: which pool a floating IP is from.
func testPoolChoice(s suite) {
	s.run("CreateFloatingIP/Pool", func(f *fixture) {
		f.pool("second", "192.0.2.0/24")
		for pool, specs := range map[string][]simcloud.FloatingIPSpec{
			"public":    {{}, {Family: 4}, {Address: "127.77.0.9"}, {Pool: "public", Family: 4}},
			"public-v6": {{Family: 6}, {Pool: "public-v6"}, {Address: "fd77::9"}, {Address: "FD77:0::a", Family: 6, Pool: "public-v6"}},
			"second":    {{Pool: "second"}, {Address: "192.0.2.9"}},
		} {
			cidr := must[simcloud.FloatingIPPool](f)(f.GetFloatingIPPool(f.ctx, simcloud.ID(pool))).CIDR
			for _, spec := range specs {
				fip := f.floatingIP(spec)
				f.equal("pool", fip.Pool, pool)
				f.inRange(simcloud.Address{Address: fip.Address}, "", cidr)
			}
		}
		_, err := f.CreateFloatingIP(f.ctx, simcloud.FloatingIPSpec{Name: "a", Address: "fd77:0::A"})
		f.want(err, simcloud.AlreadyExists)
	})
	s.run("CreateFloatingIP/PoolInvalid", func(f *fixture) {
		for field, specs := range map[string][]simcloud.FloatingIPSpec{
			"family":  {{Family: 5}, {Family: 6, Pool: "public"}, {Family: 4, Pool: "public-v6"}},
			"address": {{Address: "192.0.2.9"}, {Address: "fd77::9", Pool: "public"}, {Address: "fd77::9", Family: 4}},
		} {
			for _, spec := range specs {
				spec.Name = "a"
				_, err := f.CreateFloatingIP(f.ctx, spec)
				f.wantField(err, field)
			}
		}
	})
	s.run("CreateFloatingIP/BothFamilies", func(f *fixture) {
		to := toLoadBalancer(f.loadBalancer(simcloud.LoadBalancerSpec{}).ID)
		four := f.floatingIP(simcloud.FloatingIPSpec{AttachedTo: to})
		six := f.floatingIP(simcloud.FloatingIPSpec{AttachedTo: to, Family: 6})
		f.equal("VIPs", f.getLoadBalancer(to.ID).VIPs,
			[]simcloud.VIP{{Address: four.Address, FloatingIP: four.ID}, {Address: six.Address, FloatingIP: six.ID}})
	})
}
