package compute

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

func testInstanceAddresses(s suite.Runner) {
	private := simcloud.AddressSpec{Scope: simcloud.ScopePrivate}
	s.Test("AddInstanceAddress/OK", func(f *suite.Fixture) {
		before := f.Instance("a")
		r := suite.Must[instanceResult](f)(f.AddInstanceAddress(f.Ctx, before.ID, private))
		f.Done(r.Operation, "AddInstanceAddress", simcloud.KindInstance, before.ID)
		f.Equal("as read", f.MustGetInstance(before.ID), r.Resource)
		f.Equal("those before", r.Resource.Addresses[:2], before.Addresses)
		f.InRange(r.Resource.Addresses[2], simcloud.ScopePrivate, "10.0.0.0/16")
		got := f.Add(before.ID, simcloud.AddressSpec{Scope: simcloud.ScopePublic, Family: 4})
		f.InRange(got, simcloud.ScopePublic, "198.18.0.0/15")
	})
	s.Test("AddInstanceAddress/Certain", func(f *suite.Fixture) {
		id := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: f.Network("10.7.0.0/24", "fd07::/64").ID}).ID
		for _, c := range []struct{ asked, want string }{{"10.7.0.99", "10.7.0.99"}, {"FD07:0:0::99", "fd07::99"}} {
			f.Equal("address", f.Add(id, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: c.asked}).Address, c.want)
			_, err := f.AddInstanceAddress(f.Ctx, id, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: c.asked})
			f.Want(err, simcloud.AlreadyExists)
		}
		f.InRange(f.Add(id, simcloud.AddressSpec{Scope: simcloud.ScopePublic, Family: 6}), simcloud.ScopePublic, "2001:2::/48")
	})
	s.Test("AddInstanceAddress/Invalid", func(f *suite.Fixture) {
		id := suite.MakeInstance(f)
		for field, spec := range map[string]simcloud.AddressSpec{
			"scope":   {Scope: "cosmic"},
			"family":  {Scope: simcloud.ScopePrivate, Family: 6},
			"address": {Scope: simcloud.ScopePrivate, Address: "192.0.2.1"},
		} {
			_, err := f.AddInstanceAddress(f.Ctx, id, spec)
			f.WantField(err, field)
		}
		for field, spec := range map[string]simcloud.AddressSpec{
			"family":  {Scope: simcloud.ScopePublic, Family: 5},
			"address": {Scope: simcloud.ScopePublic, Address: "198.18.0.9"},
		} {
			_, err := f.AddInstanceAddress(f.Ctx, id, spec)
			f.WantField(err, field)
		}
	})
	s.Test("AddInstanceAddress/Capacity", func(f *suite.Fixture) {
		id := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: f.Network("10.9.0.0/30").ID}).ID // one address
		_, err := f.AddInstanceAddress(f.Ctx, id, private)
		f.Want(err, simcloud.Capacity)
	})
	s.Test("RemoveInstanceAddress/OK", func(f *suite.Fixture) {
		before := f.Instance("a")
		added := f.Add(before.ID, private)
		first, public := before.Addresses[0], before.Addresses[1]
		r := suite.Must[instanceResult](f)(f.RemoveInstanceAddress(f.Ctx, before.ID, simcloud.ID(first.Address)))
		f.Done(r.Operation, "RemoveInstanceAddress", simcloud.KindInstance, before.ID)
		f.Equal("what is left", r.Resource.Addresses, []simcloud.Address{public, added})
		f.Equal("it can be had again", f.Add(before.ID, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: first.Address}), first)
		suite.Must[instanceResult](f)(f.RemoveInstanceAddress(f.Ctx, before.ID, simcloud.ID(public.Address)))
		f.Equal("in the end", f.MustGetInstance(before.ID).Addresses, []simcloud.Address{added, first})
	})
	s.Test("RemoveInstanceAddress/AnySpelling", func(f *suite.Fixture) {
		id := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: f.Network("fd07::/64").ID}).ID
		f.Add(id, simcloud.AddressSpec{Scope: simcloud.ScopePrivate, Address: "fd07::99", Family: 6})
		suite.Must[instanceResult](f)(f.RemoveInstanceAddress(f.Ctx, id, "FD07:0:0:0::99"))
		_, err := f.RemoveInstanceAddress(f.Ctx, id, "fd07::99")
		f.Want(err, simcloud.NotFound)
	})
	s.Test("RemoveInstanceAddress/LastPrivate", func(f *suite.Fixture) {
		instance := f.Instance("a")
		_, err := f.RemoveInstanceAddress(f.Ctx, instance.ID, simcloud.ID(instance.Addresses[0].Address))
		f.Want(err, simcloud.Conflict)
	})
	s.Test("RemoveInstanceAddress/NotFound", func(f *suite.Fixture) {
		id := suite.MakeInstance(f)
		for _, address := range []simcloud.ID{"10.0.255.1", "nonsense"} {
			_, err := f.RemoveInstanceAddress(f.Ctx, id, address)
			f.Want(err, simcloud.NotFound)
			f.WantResource(err, "instance/"+string(id))
		}
	})
}
