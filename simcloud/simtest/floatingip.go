package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

type fipResult = simcloud.Result[simcloud.FloatingIP]

func testFloatingIPs(s suite) {
	s.run("GetFloatingIP/NotFound", func(f *fixture) {
		_, err := f.GetFloatingIP(f.ctx, "fip-1")
		f.want(err, simcloud.NotFound)
	})
	s.run("CreateFloatingIP/OK", func(f *fixture) {
		r := must[fipResult](f)(f.CreateFloatingIP(f.ctx, simcloud.FloatingIPSpec{Name: "fip", Labels: map[string]string{"k": "v"}}))
		f.done(r.Operation, "CreateFloatingIP", simcloud.KindFloatingIP, "fip-1")
		f.equal("as read", f.getFloatingIP("fip-1"), r.Resource)
		f.equal("state and pool", []any{r.Resource.State, r.Resource.Pool}, []any{simcloud.FloatingIPAvailable, "public"})
		f.inRange(simcloud.Address{Address: r.Resource.Address}, "", "127.77.0.0/16")
	})
	s.run("CreateFloatingIP/Address", func(f *fixture) {
		fip := f.floatingIP(simcloud.FloatingIPSpec{Address: "127.77.3.4", Pool: "public"})
		f.equal("address", fip.Address, "127.77.3.4")
		_, err := f.CreateFloatingIP(f.ctx, simcloud.FloatingIPSpec{Name: "b", Address: "127.77.3.4"})
		f.want(err, simcloud.AlreadyExists)
		must[simcloud.Operation](f)(f.DeleteFloatingIP(f.ctx, fip.ID))
		f.equal("free again", f.floatingIP(simcloud.FloatingIPSpec{Address: "127.77.3.4"}).Address, "127.77.3.4")
	})
	s.run("CreateFloatingIP/Invalid", func(f *fixture) {
		for field, spec := range map[string]simcloud.FloatingIPSpec{
			"name":            {Name: ""},
			"pool":            {Name: "a", Pool: "private"},
			"address":         {Name: "a", Address: "10.0.0.1"},
			"attachedTo.kind": {Name: "a", AttachedTo: simcloud.Attachment{Kind: simcloud.KindZone, ID: "zone-a"}},
			"attachedTo.id":   {Name: "a", AttachedTo: toInstance("i-9")},
		} {
			_, err := f.CreateFloatingIP(f.ctx, spec)
			f.wantField(err, field)
		}
		for _, reserved := range []string{"127.77.0.0", "127.77.0.1", "127.77.255.255"} {
			_, err := f.CreateFloatingIP(f.ctx, simcloud.FloatingIPSpec{Name: "a", Address: reserved})
			f.wantField(err, "address")
		}
	})
	s.run("CreateFloatingIP/Attached", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{})
		fip := f.floatingIP(simcloud.FloatingIPSpec{AttachedTo: toLoadBalancer(lb.ID)})
		f.equal("state", fip.State, simcloud.FloatingIPAttached)
		f.equal("VIPs", f.getLoadBalancer(lb.ID).VIPs, []simcloud.VIP{{Address: fip.Address, FloatingIP: fip.ID}})
	})
	s.run("UpdateFloatingIP/OK", func(f *fixture) {
		fip := f.floatingIP(simcloud.FloatingIPSpec{})
		update := simcloud.FloatingIPUpdate{Name: ptr("b"), Labels: &map[string]string{"x": "y"}}
		r := must[fipResult](f)(f.UpdateFloatingIP(f.ctx, fip.ID, update))
		f.done(r.Operation, "UpdateFloatingIP", simcloud.KindFloatingIP, fip.ID)
		f.equal("as read", f.getFloatingIP(fip.ID), r.Resource)
		f.equal("name and labels", []any{r.Resource.Name, r.Resource.Labels}, []any{"b", map[string]string{"x": "y"}})
	})
	s.run("UpdateFloatingIP/Invalid", func(f *fixture) {
		_, err := f.UpdateFloatingIP(f.ctx, f.floatingIP(simcloud.FloatingIPSpec{}).ID, simcloud.FloatingIPUpdate{Name: ptr("-")})
		f.wantField(err, "name")
	})
	s.run("DeleteFloatingIP/OK", func(f *fixture) {
		fip := f.floatingIP(simcloud.FloatingIPSpec{})
		op := must[simcloud.Operation](f)(f.DeleteFloatingIP(f.ctx, fip.ID))
		f.done(op, "DeleteFloatingIP", simcloud.KindFloatingIP, fip.ID)
		_, err := f.GetFloatingIP(f.ctx, fip.ID)
		f.want(err, simcloud.NotFound)
	})
	s.run("DeleteFloatingIP/InUse", func(f *fixture) {
		fip := f.floatingIP(simcloud.FloatingIPSpec{AttachedTo: toInstance(f.instance("a").ID)})
		_, err := f.DeleteFloatingIP(f.ctx, fip.ID)
		f.want(err, simcloud.InUse)
		f.wantResource(err, "floating_ip/"+string(fip.ID))
	})
	testAttachment(s)
}

func testAttachment(s suite) {
	s.run("AttachFloatingIP/LoadBalancer", func(f *fixture) {
		lb, a, b := f.loadBalancer(simcloud.LoadBalancerSpec{}), f.floatingIP(simcloud.FloatingIPSpec{}), f.floatingIP(simcloud.FloatingIPSpec{})
		must[fipResult](f)(f.AttachFloatingIP(f.ctx, b.ID, toLoadBalancer(lb.ID)))
		r := must[fipResult](f)(f.AttachFloatingIP(f.ctx, a.ID, toLoadBalancer(lb.ID)))
		f.done(r.Operation, "AttachFloatingIP", simcloud.KindFloatingIP, a.ID)
		f.equal("as read", f.getFloatingIP(a.ID), r.Resource)
		f.equal("attached to", r.Resource.AttachedTo, toLoadBalancer(lb.ID))
		f.equal("VIPs", f.getLoadBalancer(lb.ID).VIPs,
			[]simcloud.VIP{{Address: b.Address, FloatingIP: b.ID}, {Address: a.Address, FloatingIP: a.ID}})
	})
	s.run("AttachFloatingIP/Instance", func(f *fixture) {
		id, fip := f.instance("a").ID, f.floatingIP(simcloud.FloatingIPSpec{})
		r := must[fipResult](f)(f.AttachFloatingIP(f.ctx, fip.ID, toInstance(id)))
		f.equal("state", r.Resource.State, simcloud.FloatingIPAttached)
	})
	s.run("AttachFloatingIP/InUse", func(f *fixture) {
		a, b := f.instance("a").ID, f.instance("b").ID
		fip := f.floatingIP(simcloud.FloatingIPSpec{AttachedTo: toInstance(a)})
		_, err := f.AttachFloatingIP(f.ctx, fip.ID, toInstance(b))
		f.want(err, simcloud.InUse)
		f.equal("attached to", f.getFloatingIP(fip.ID).AttachedTo, toInstance(a))
	})
	s.run("AttachFloatingIP/Invalid", func(f *fixture) {
		fip := f.floatingIP(simcloud.FloatingIPSpec{})
		internal := f.loadBalancer(simcloud.LoadBalancerSpec{Scheme: simcloud.SchemeInternal})
		for _, to := range []simcloud.Attachment{toInstance("i-9"), toLoadBalancer("lb-9"), toInstance(""), toLoadBalancer(internal.ID)} {
			_, err := f.AttachFloatingIP(f.ctx, fip.ID, to)
			f.wantField(err, "id")
		}
		_, err := f.AttachFloatingIP(f.ctx, fip.ID, simcloud.Attachment{Kind: simcloud.KindNetwork, ID: "net-1"})
		f.wantField(err, "kind")
	})
	s.run("DetachFloatingIP/OK", func(f *fixture) {
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{})
		a := f.floatingIP(simcloud.FloatingIPSpec{AttachedTo: toLoadBalancer(lb.ID)})
		b := f.floatingIP(simcloud.FloatingIPSpec{AttachedTo: toLoadBalancer(lb.ID)})
		r := must[fipResult](f)(f.DetachFloatingIP(f.ctx, a.ID))
		f.done(r.Operation, "DetachFloatingIP", simcloud.KindFloatingIP, a.ID)
		f.equal("as read", f.getFloatingIP(a.ID), r.Resource)
		f.equal("state", []any{r.Resource.State, r.Resource.AttachedTo}, []any{simcloud.FloatingIPAvailable, simcloud.Attachment{}})
		f.equal("VIPs", f.getLoadBalancer(lb.ID).VIPs, []simcloud.VIP{{Address: b.Address, FloatingIP: b.ID}})
	})
}
