package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type fipResult = simcloud.Result[simcloud.FloatingIP]

func testFloatingIPs(s suite.Runner) {
	s.Test("GetFloatingIP/NotFound", func(f *suite.Fixture) {
		_, err := f.GetFloatingIP(f.Ctx, "fip-1")
		f.Want(err, simcloud.NotFound)
	})
	s.Test("CreateFloatingIP/OK", func(f *suite.Fixture) {
		r := suite.Must[fipResult](f)(f.CreateFloatingIP(f.Ctx, simcloud.FloatingIPSpec{Name: "fip", Labels: map[string]string{"k": "v"}}))
		f.Done(r.Operation, "CreateFloatingIP", simcloud.KindFloatingIP, "fip-1")
		f.Equal("as read", f.MustGetFloatingIP("fip-1"), r.Resource)
		f.Equal("state and pool", []any{r.Resource.State, r.Resource.Pool}, []any{simcloud.FloatingIPAvailable, "public"})
		f.InRange(simcloud.Address{Address: r.Resource.Address}, "", "127.77.0.0/16")
	})
	s.Test("CreateFloatingIP/Address", func(f *suite.Fixture) {
		fip := f.FloatingIP(simcloud.FloatingIPSpec{Address: "127.77.3.4", Pool: "public"})
		f.Equal("address", fip.Address, "127.77.3.4")
		_, err := f.CreateFloatingIP(f.Ctx, simcloud.FloatingIPSpec{Name: "b", Address: "127.77.3.4"})
		f.Want(err, simcloud.AlreadyExists)
		suite.Must[simcloud.Operation](f)(f.DeleteFloatingIP(f.Ctx, fip.ID))
		f.Equal("free again", f.FloatingIP(simcloud.FloatingIPSpec{Address: "127.77.3.4"}).Address, "127.77.3.4")
	})
	s.Test("CreateFloatingIP/Invalid", func(f *suite.Fixture) {
		for field, spec := range map[string]simcloud.FloatingIPSpec{
			"name":            {Name: ""},
			"pool":            {Name: "a", Pool: "private"},
			"address":         {Name: "a", Address: "10.0.0.1"},
			"attachedTo.kind": {Name: "a", AttachedTo: simcloud.Attachment{Kind: simcloud.KindZone, ID: "zone-a"}},
			"attachedTo.id":   {Name: "a", AttachedTo: suite.ToInstance("i-9")},
		} {
			_, err := f.CreateFloatingIP(f.Ctx, spec)
			f.WantField(err, field)
		}
		for _, reserved := range []string{"127.77.0.0", "127.77.0.1", "127.77.255.255"} {
			_, err := f.CreateFloatingIP(f.Ctx, simcloud.FloatingIPSpec{Name: "a", Address: reserved})
			f.WantField(err, "address")
		}
	})
	s.Test("CreateFloatingIP/Attached", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		fip := f.FloatingIP(simcloud.FloatingIPSpec{AttachedTo: suite.ToLoadBalancer(lb.ID)})
		f.Equal("state", fip.State, simcloud.FloatingIPAttached)
		f.Equal("VIPs", f.MustGetLoadBalancer(lb.ID).VIPs, []simcloud.VIP{{Address: fip.Address, FloatingIP: fip.ID}})
	})
	s.Test("UpdateFloatingIP/OK", func(f *suite.Fixture) {
		fip := f.FloatingIP(simcloud.FloatingIPSpec{})
		update := simcloud.FloatingIPUpdate{Name: suite.Ptr("b"), Labels: &map[string]string{"x": "y"}}
		r := suite.Must[fipResult](f)(f.UpdateFloatingIP(f.Ctx, fip.ID, update))
		f.Done(r.Operation, "UpdateFloatingIP", simcloud.KindFloatingIP, fip.ID)
		f.Equal("as read", f.MustGetFloatingIP(fip.ID), r.Resource)
		f.Equal("name and labels", []any{r.Resource.Name, r.Resource.Labels}, []any{"b", map[string]string{"x": "y"}})
	})
	s.Test("UpdateFloatingIP/Invalid", func(f *suite.Fixture) {
		_, err := f.UpdateFloatingIP(f.Ctx, f.FloatingIP(simcloud.FloatingIPSpec{}).ID, simcloud.FloatingIPUpdate{Name: suite.Ptr("-")})
		f.WantField(err, "name")
	})
	s.Test("DeleteFloatingIP/OK", func(f *suite.Fixture) {
		fip := f.FloatingIP(simcloud.FloatingIPSpec{})
		op := suite.Must[simcloud.Operation](f)(f.DeleteFloatingIP(f.Ctx, fip.ID))
		f.Done(op, "DeleteFloatingIP", simcloud.KindFloatingIP, fip.ID)
		_, err := f.GetFloatingIP(f.Ctx, fip.ID)
		f.Want(err, simcloud.NotFound)
	})
	s.Test("DeleteFloatingIP/InUse", func(f *suite.Fixture) {
		fip := f.FloatingIP(simcloud.FloatingIPSpec{AttachedTo: suite.ToInstance(f.Instance("a").ID)})
		_, err := f.DeleteFloatingIP(f.Ctx, fip.ID)
		f.Want(err, simcloud.InUse)
		f.WantResource(err, "floating_ip/"+string(fip.ID))
	})
	testAttachment(s)
}

func testAttachment(s suite.Runner) {
	s.Test("AttachFloatingIP/LoadBalancer", func(f *suite.Fixture) {
		lb, a, b := f.LoadBalancer(simcloud.LoadBalancerSpec{}), f.FloatingIP(simcloud.FloatingIPSpec{}), f.FloatingIP(simcloud.FloatingIPSpec{})
		suite.Must[fipResult](f)(f.AttachFloatingIP(f.Ctx, b.ID, suite.ToLoadBalancer(lb.ID)))
		r := suite.Must[fipResult](f)(f.AttachFloatingIP(f.Ctx, a.ID, suite.ToLoadBalancer(lb.ID)))
		f.Done(r.Operation, "AttachFloatingIP", simcloud.KindFloatingIP, a.ID)
		f.Equal("as read", f.MustGetFloatingIP(a.ID), r.Resource)
		f.Equal("attached to", r.Resource.AttachedTo, suite.ToLoadBalancer(lb.ID))
		f.Equal("VIPs", f.MustGetLoadBalancer(lb.ID).VIPs,
			[]simcloud.VIP{{Address: b.Address, FloatingIP: b.ID}, {Address: a.Address, FloatingIP: a.ID}})
	})
	s.Test("AttachFloatingIP/Instance", func(f *suite.Fixture) {
		id, fip := f.Instance("a").ID, f.FloatingIP(simcloud.FloatingIPSpec{})
		r := suite.Must[fipResult](f)(f.AttachFloatingIP(f.Ctx, fip.ID, suite.ToInstance(id)))
		f.Equal("state", r.Resource.State, simcloud.FloatingIPAttached)
	})
	s.Test("AttachFloatingIP/InUse", func(f *suite.Fixture) {
		a, b := f.Instance("a").ID, f.Instance("b").ID
		fip := f.FloatingIP(simcloud.FloatingIPSpec{AttachedTo: suite.ToInstance(a)})
		_, err := f.AttachFloatingIP(f.Ctx, fip.ID, suite.ToInstance(b))
		f.Want(err, simcloud.InUse)
		f.Equal("attached to", f.MustGetFloatingIP(fip.ID).AttachedTo, suite.ToInstance(a))
	})
	s.Test("AttachFloatingIP/Invalid", func(f *suite.Fixture) {
		fip := f.FloatingIP(simcloud.FloatingIPSpec{})
		internal := f.LoadBalancer(simcloud.LoadBalancerSpec{Scheme: simcloud.SchemeInternal})
		for _, to := range []simcloud.Attachment{suite.ToInstance("i-9"), suite.ToLoadBalancer("lb-9"), suite.ToInstance(""), suite.ToLoadBalancer(internal.ID)} {
			_, err := f.AttachFloatingIP(f.Ctx, fip.ID, to)
			f.WantField(err, "id")
		}
		_, err := f.AttachFloatingIP(f.Ctx, fip.ID, simcloud.Attachment{Kind: simcloud.KindNetwork, ID: "net-1"})
		f.WantField(err, "kind")
	})
	s.Test("DetachFloatingIP/OK", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{})
		a := f.FloatingIP(simcloud.FloatingIPSpec{AttachedTo: suite.ToLoadBalancer(lb.ID)})
		b := f.FloatingIP(simcloud.FloatingIPSpec{AttachedTo: suite.ToLoadBalancer(lb.ID)})
		r := suite.Must[fipResult](f)(f.DetachFloatingIP(f.Ctx, a.ID))
		f.Done(r.Operation, "DetachFloatingIP", simcloud.KindFloatingIP, a.ID)
		f.Equal("as read", f.MustGetFloatingIP(a.ID), r.Resource)
		f.Equal("state", []any{r.Resource.State, r.Resource.AttachedTo}, []any{simcloud.FloatingIPAvailable, simcloud.Attachment{}})
		f.Equal("VIPs", f.MustGetLoadBalancer(lb.ID).VIPs, []simcloud.VIP{{Address: b.Address, FloatingIP: b.ID}})
	})
	s.TestSlow("AttachFloatingIP/Busy", func(f *suite.Fixture) {
		lb, fip := f.LoadBalancer(simcloud.LoadBalancerSpec{}).ID, f.FloatingIP(simcloud.FloatingIPSpec{}).ID
		_, err := f.AttachFloatingIP(f.Ctx, fip, suite.ToLoadBalancer(lb))
		f.Want(err, simcloud.Locked)
		_, err = f.CreateFloatingIP(f.Ctx, simcloud.FloatingIPSpec{Name: "b", AttachedTo: suite.ToInstance(f.Instance("a").ID)})
		f.Want(err, simcloud.Locked)
	})
	s.TestSlow("UpdateConfig/FloatingIPsChangeWhileBusy", testFloatingIPsWhileBusy)
}

// testFloatingIPsWhileBusy: where the cloud takes it, an operation on what a floating IP leads to locks no floating IP, and goes on.
func testFloatingIPsWhileBusy(f *suite.Fixture) {
	suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{ChangesWhileBusy: &[]simcloud.Kind{simcloud.KindFloatingIP}}))
	lb, instance, a := f.LoadBalancer(simcloud.LoadBalancerSpec{}), f.Instance("a").ID, f.FloatingIP(simcloud.FloatingIPSpec{})
	suite.Must[fipResult](f)(f.AttachFloatingIP(f.Ctx, a.ID, suite.ToLoadBalancer(lb.ID)))
	b := f.FloatingIP(simcloud.FloatingIPSpec{AttachedTo: suite.ToLoadBalancer(lb.ID)})
	c := f.FloatingIP(simcloud.FloatingIPSpec{AttachedTo: suite.ToInstance(instance)})
	suite.Must[fipResult](f)(f.DetachFloatingIP(f.Ctx, a.ID))
	got := f.MustGetLoadBalancer(lb.ID)
	f.Equal("load balancer", []any{got.State, got.Operation, got.VIPs},
		[]any{simcloud.LoadBalancerProvisioning, lb.Operation, []simcloud.VIP{{Address: b.Address, FloatingIP: b.ID}}})
	_, err := f.CreateListener(f.Ctx, lb.ID, suite.TCP(80, 81))
	f.Want(err, simcloud.Locked) // the load balancer itself is as busy as before
	f.Advance(suite.OpDuration)
	f.Equal("in the end", []any{f.MustGetLoadBalancer(lb.ID).State, f.MustGetInstance(instance).State}, []any{simcloud.LoadBalancerActive, simcloud.InstanceRunning})

	suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, lb.ID))
	suite.Drop(f)(f.DeleteInstance(f.Ctx, instance))
	for _, to := range []simcloud.Attachment{suite.ToLoadBalancer(lb.ID), suite.ToInstance(instance)} {
		_, err = f.AttachFloatingIP(f.Ctx, a.ID, to)
		f.Want(err, simcloud.Locked) // it goes
		_, err = f.CreateFloatingIP(f.Ctx, simcloud.FloatingIPSpec{Name: "d", AttachedTo: to})
		f.Want(err, simcloud.Locked)
	}
	suite.Must[fipResult](f)(f.DetachFloatingIP(f.Ctx, b.ID))
	suite.Drop(f)(f.DeleteFloatingIP(f.Ctx, b.ID))
	f.Check()
	f.Advance(suite.OpDuration)
	f.Equal("after the instance", f.MustGetFloatingIP(c.ID).State, simcloud.FloatingIPAvailable)
	f.Check()
}
