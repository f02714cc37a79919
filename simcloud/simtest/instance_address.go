package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

func testInstanceAddresses(s suite) {
	private := simcloud.AddressSpec{Scope: simcloud.ScopePrivate}
	s.run("AddInstanceAddress/OK", func(f *fixture) {
		before := f.instance("a")
		r := must[instanceResult](f)(f.AddInstanceAddress(f.ctx, before.ID, private))
		f.done(r.Operation, "AddInstanceAddress", simcloud.KindInstance, before.ID)
		f.equal("as read", f.getInstance(before.ID), r.Resource)
		f.equal("those before", r.Resource.Addresses[:2], before.Addresses)
		f.inRange(r.Resource.Addresses[2], simcloud.ScopePrivate, "10.0.0.0/16")
		got := f.add(before.ID, simcloud.AddressSpec{Scope: simcloud.ScopePublic, Family: 4})
		f.inRange(got, simcloud.ScopePublic, "198.18.0.0/15")
	})
	s.run("AddInstanceAddress/Certain", func(f *fixture) {
		id := f.instanceOf(simcloud.InstanceSpec{Name: "a", Network: f.network("10.7.0.0/24", "fd07::/64").ID}).ID
		for _, c := range []struct{ asked, want string }{{"10.7.0.99", "10.7.0.99"}, {"FD07:0:0::99", "fd07::99"}} {
			f.equal("address", f.add(id, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: c.asked}).Address, c.want)
			_, err := f.AddInstanceAddress(f.ctx, id, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: c.asked})
			f.want(err, simcloud.AlreadyExists)
		}
		f.inRange(f.add(id, simcloud.AddressSpec{Scope: simcloud.ScopePublic, Family: 6}), simcloud.ScopePublic, "2001:2::/48")
	})
	s.run("AddInstanceAddress/Invalid", func(f *fixture) {
		id := anInstance(f)
		for field, spec := range map[string]simcloud.AddressSpec{
			"scope":   {Scope: "cosmic"},
			"family":  {Scope: simcloud.ScopePrivate, Family: 6},
			"address": {Scope: simcloud.ScopePrivate, Address: "192.0.2.1"},
		} {
			_, err := f.AddInstanceAddress(f.ctx, id, spec)
			f.wantField(err, field)
		}
		for field, spec := range map[string]simcloud.AddressSpec{
			"family":  {Scope: simcloud.ScopePublic, Family: 5},
			"address": {Scope: simcloud.ScopePublic, Address: "198.18.0.9"},
		} {
			_, err := f.AddInstanceAddress(f.ctx, id, spec)
			f.wantField(err, field)
		}
	})
	s.run("AddInstanceAddress/Capacity", func(f *fixture) {
		id := f.instanceOf(simcloud.InstanceSpec{Name: "a", Network: f.network("10.9.0.0/30").ID}).ID // one address
		_, err := f.AddInstanceAddress(f.ctx, id, private)
		f.want(err, simcloud.Capacity)
	})
	s.run("RemoveInstanceAddress/OK", func(f *fixture) {
		before := f.instance("a")
		added := f.add(before.ID, private)
		first, public := before.Addresses[0], before.Addresses[1]
		r := must[instanceResult](f)(f.RemoveInstanceAddress(f.ctx, before.ID, simcloud.ID(first.Address)))
		f.done(r.Operation, "RemoveInstanceAddress", simcloud.KindInstance, before.ID)
		f.equal("what is left", r.Resource.Addresses, []simcloud.Address{public, added})
		f.equal("it can be had again", f.add(before.ID, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: first.Address}), first)
		must[instanceResult](f)(f.RemoveInstanceAddress(f.ctx, before.ID, simcloud.ID(public.Address)))
		f.equal("in the end", f.getInstance(before.ID).Addresses, []simcloud.Address{added, first})
	})
	s.run("RemoveInstanceAddress/AnySpelling", func(f *fixture) {
		id := f.instanceOf(simcloud.InstanceSpec{Name: "a", Network: f.network("fd07::/64").ID}).ID
		f.add(id, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: "fd07::99", Family: 6})
		must[instanceResult](f)(f.RemoveInstanceAddress(f.ctx, id, "FD07:0:0:0::99"))
		_, err := f.RemoveInstanceAddress(f.ctx, id, "fd07::99")
		f.want(err, simcloud.NotFound)
	})
	s.run("RemoveInstanceAddress/LastPrivate", func(f *fixture) {
		instance := f.instance("a")
		_, err := f.RemoveInstanceAddress(f.ctx, instance.ID, simcloud.ID(instance.Addresses[0].Address))
		f.want(err, simcloud.Conflict)
	})
	s.run("RemoveInstanceAddress/NotFound", func(f *fixture) {
		id := anInstance(f)
		for _, address := range []simcloud.ID{"10.0.255.1", "nonsense"} {
			_, err := f.RemoveInstanceAddress(f.ctx, id, address)
			f.want(err, simcloud.NotFound)
			f.wantResource(err, "instance/"+string(id))
		}
	})
}
