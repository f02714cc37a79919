package compute

import (
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

func testInstances(s suite.Runner) {
	s.Test("GetInstance/NotFound", func(f *suite.Fixture) {
		_, err := f.GetInstance(f.Ctx, "i-1")
		f.Want(err, simcloud.NotFound)
		f.WantResource(err, "instance/i-1")
	})
	s.Test("CreateInstance/Defaults", func(f *suite.Fixture) {
		r := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "node-1"}))
		f.Done(r.Operation, "CreateInstance", simcloud.KindInstance, "i-1")
		f.Equal("as read", f.MustGetInstance("i-1"), r.Resource)
		got := r.Resource
		f.Equal("id", got.ID, simcloud.ID("i-1"))
		f.Equal("project", got.Project, simcloud.DefaultProject)
		f.Equal("state", got.State, simcloud.InstanceRunning)
		f.Equal("hostname", got.Hostname, "node-1")
		f.Equal("type, zone, region and network", []simcloud.ID{got.Type, got.Zone, got.Region, got.Network},
			[]simcloud.ID{"small", "zone-a", "region-1", "net-1"})
		f.Equal("addresses", len(got.Addresses), 2)
		f.InRange(got.Addresses[0], simcloud.ScopePrivate, "10.0.0.0/16")
		f.InRange(got.Addresses[1], simcloud.ScopePublic, "198.18.0.0/15")
		if got.Created.IsZero() || !got.Created.Equal(got.Updated) {
			f.Errorf("created %s, updated %s", got.Created, got.Updated)
		}
	})
	s.Test("CreateInstance/ZonesInTurn", func(f *suite.Fixture) {
		var zones []simcloud.ID
		for range 4 {
			zones = append(zones, f.Instance("a").Zone)
		}
		f.Equal("zones", zones, []simcloud.ID{"zone-a", "zone-b", "zone-c", "zone-a"})
	})
	s.Test("CreateInstance/Full", func(f *suite.Fixture) {
		network := f.Network("10.7.0.0/24", "fd07::/64")
		spec := simcloud.InstanceSpec{
			Name: "a", Hostname: "b.example", Type: "large", Zone: "zone-c", Network: network.ID,
			Labels: map[string]string{"k": "v", "empty": ""}, UserData: "#!", NoPublicAddress: true,
		}
		got := f.InstanceOf(spec)
		f.Equal("as read", f.MustGetInstance(got.ID), got)
		f.Equal("what was asked for",
			[]any{got.Name, got.Hostname, got.Type, got.Zone, got.Network, got.Labels, got.UserData},
			[]any{"a", "b.example", simcloud.ID("large"), simcloud.ID("zone-c"), network.ID, spec.Labels, "#!"})
		f.Equal("addresses", len(got.Addresses), 2)
		f.InRange(got.Addresses[0], simcloud.ScopePrivate, "10.7.0.0/24")
		f.InRange(got.Addresses[1], simcloud.ScopePrivate, "fd07::/64")
	})
}

func testHostnames(s suite.Runner) {
	form := func(f *suite.Fixture, form simcloud.HostnameForm) {
		suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{Hostnames: &form}))
	}
	s.Test("CreateInstance/Hostnames", func(f *suite.Fixture) {
		six := f.Network("fd09::/64")
		form(f, simcloud.HostnamePrivateDNS)
		dns := f.Instance("a")
		f.Equal("private DNS", dns.Hostname, "ip-"+strings.ReplaceAll(dns.Addresses[0].Address, ".", "-")+".region-1.compute.internal")
		f.Equal("asked for", f.InstanceOf(simcloud.InstanceSpec{Name: "a", Hostname: "h"}).Hostname, "h")
		without := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: six.ID})
		f.Equal("private DNS without IPv4", without.Hostname, string(without.ID)+".region-1.compute.internal")
		form(f, simcloud.HostnameResourceID)
		resource := f.Instance("a")
		f.Equal("resource id", resource.Hostname, string(resource.ID)+".region-1.compute.internal")
		form(f, simcloud.HostnameName)
		f.Equal("name", f.Instance("a").Hostname, "a")
		f.Equal("the first one's stays", f.MustGetInstance(dns.ID).Hostname, dns.Hostname)
	})
	s.Test("RecreateInstance/Hostnames", func(f *suite.Fixture) {
		form(f, simcloud.HostnameResourceID)
		given, own := f.Instance("a"), f.InstanceOf(simcloud.InstanceSpec{Name: "b", Hostname: "h"})
		after := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.Ctx, given.ID)).Resource
		f.Equal("the cloud's own", after.Hostname, string(after.ID)+".region-1.compute.internal")
		f.Equal("one that was asked for", suite.Must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.Ctx, own.ID)).Resource.Hostname, "h")
	})
	s.Test("Seed/Hostnames", func(f *suite.Fixture) {
		form(f, simcloud.HostnamePrivateDNS)
		want := simcloud.Topology{Instances: &[]simcloud.TopologyInstance{{InstanceSpec: simcloud.InstanceSpec{Name: "a"}}}}
		suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, want))
		first := f.MustGetInstance("i-1")
		suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, want))
		f.Equal("the instance stays", f.MustGetInstance("i-1"), first)
		(*want.Instances)[0].Hostname = "h"
		suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, want))
		f.Equal("with another hostname it is replaced", f.MustGetInstance("i-2").Hostname, "h")
	})
}

func testInstanceRefusals(s suite.Runner) {
	s.Test("CreateInstance/NameTwice", func(f *suite.Fixture) {
		if a, b := f.Instance("a"), f.Instance("a"); a.ID == b.ID {
			f.Errorf("both are %s", a.ID)
		}
	})
	s.Test("CreateInstance/NameInvalid", func(f *suite.Fixture) {
		_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a b", Hostname: "-"})
		f.WantField(err, "name")
		f.WantField(err, "hostname")
	})
	for field, spec := range map[string]simcloud.InstanceSpec{
		"type":    {Name: "a", Type: "huge"},
		"zone":    {Name: "a", Zone: "zone-z"},
		"network": {Name: "a", Network: "net-9"},
	} {
		s.Test("CreateInstance/Unknown/"+field, func(f *suite.Fixture) {
			_, err := f.CreateInstance(f.Ctx, spec)
			f.WantField(err, field)
			f.Equal("the next id", f.Instance("b").ID, simcloud.ID("i-1"))
		})
	}
	s.Test("CreateInstance/Capacity", func(f *suite.Fixture) {
		network := f.Network("10.9.0.0/29") // 8 addresses, of which 5 can be had
		for range 5 {
			f.InstanceOf(simcloud.InstanceSpec{Name: "a", Network: network.ID})
		}
		_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a", Network: network.ID})
		f.Want(err, simcloud.Capacity)
	})
}

func testInstanceUpdate(s suite.Runner) {
	s.Test("UpdateInstance/OK", func(f *suite.Fixture) {
		before := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Labels: map[string]string{"k": "v"}})
		update := simcloud.InstanceUpdate{Name: suite.Ptr("b")}
		r := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.UpdateInstance(f.Ctx, before.ID, update))
		f.Equal("name", r.Resource.Name, "b")
		f.Equal("hostname stays", r.Resource.Hostname, "a")
		f.Equal("labels stay", r.Resource.Labels, before.Labels)
		f.Equal("as read", f.MustGetInstance(before.ID), r.Resource)
		f.Done(r.Operation, "UpdateInstance", simcloud.KindInstance, before.ID)
		update = simcloud.InstanceUpdate{Labels: &map[string]string{"x": "y"}}
		r = suite.Must[simcloud.Result[simcloud.Instance]](f)(f.UpdateInstance(f.Ctx, before.ID, update))
		f.Equal("labels", r.Resource.Labels, map[string]string{"x": "y"})
		f.Equal("found by the new label", instanceIDs(f, simcloud.ListOptions{Selector: "x=y", Name: "b"}), []simcloud.ID{before.ID})
		f.Equal("found by the old one", instanceIDs(f, simcloud.ListOptions{Selector: "k"}), []simcloud.ID(nil))
	})
	s.Test("UpdateInstance/Invalid", func(f *suite.Fixture) {
		_, err := f.UpdateInstance(f.Ctx, f.Instance("a").ID, simcloud.InstanceUpdate{Name: suite.Ptr("")})
		f.WantField(err, "name")
	})
}

func instanceIDs(f *suite.Fixture, opts simcloud.ListOptions) []simcloud.ID {
	f.Helper()
	var ids []simcloud.ID
	for _, instance := range suite.Must[[]simcloud.Instance](f)(simcloud.ListAll(f.Ctx, f.ListInstances, opts)) {
		ids = append(ids, instance.ID)
	}
	return ids
}
