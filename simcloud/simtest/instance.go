package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

func testInstances(s suite) {
	s.run("GetInstance/NotFound", func(f *fixture) {
		_, err := f.GetInstance(f.ctx, "i-1")
		f.want(err, simcloud.NotFound)
		f.wantResource(err, "instance/i-1")
	})
	s.run("CreateInstance/Defaults", func(f *fixture) {
		r := must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "node-1"}))
		f.done(r.Operation, "CreateInstance", simcloud.KindInstance, "i-1")
		f.equal("as read", f.getInstance("i-1"), r.Resource)
		got := r.Resource
		f.equal("id", got.ID, simcloud.ID("i-1"))
		f.equal("project", got.Project, simcloud.DefaultProject)
		f.equal("state", got.State, simcloud.InstanceRunning)
		f.equal("hostname", got.Hostname, "node-1")
		f.equal("type, zone, region and network", []simcloud.ID{got.Type, got.Zone, got.Region, got.Network},
			[]simcloud.ID{"small", "zone-a", "region-1", "net-1"})
		f.equal("addresses", len(got.Addresses), 2)
		f.inRange(got.Addresses[0], simcloud.ScopePrivate, "10.0.0.0/16")
		f.inRange(got.Addresses[1], simcloud.ScopePublic, "198.18.0.0/15")
		if got.Created.IsZero() || !got.Created.Equal(got.Updated) {
			f.Errorf("created %s, updated %s", got.Created, got.Updated)
		}
	})
	s.run("CreateInstance/ZonesInTurn", func(f *fixture) {
		var zones []simcloud.ID
		for range 4 {
			zones = append(zones, f.instance("a").Zone)
		}
		f.equal("zones", zones, []simcloud.ID{"zone-a", "zone-b", "zone-c", "zone-a"})
	})
	s.run("CreateInstance/Full", func(f *fixture) {
		network := f.network("10.7.0.0/24", "fd07::/64")
		spec := simcloud.InstanceSpec{
			Name: "a", Hostname: "b.example", Type: "large", Zone: "zone-c", Network: network.ID,
			Labels: map[string]string{"k": "v", "empty": ""}, UserData: "#!", NoPublicAddress: true,
		}
		got := f.instanceOf(spec)
		f.equal("as read", f.getInstance(got.ID), got)
		f.equal("what was asked for",
			[]any{got.Name, got.Hostname, got.Type, got.Zone, got.Network, got.Labels, got.UserData},
			[]any{"a", "b.example", simcloud.ID("large"), simcloud.ID("zone-c"), network.ID, spec.Labels, "#!"})
		f.equal("addresses", len(got.Addresses), 2)
		f.inRange(got.Addresses[0], simcloud.ScopePrivate, "10.7.0.0/24")
		f.inRange(got.Addresses[1], simcloud.ScopePrivate, "fd07::/64")
	})
}

func testInstanceRefusals(s suite) {
	s.run("CreateInstance/NameTwice", func(f *fixture) {
		if a, b := f.instance("a"), f.instance("a"); a.ID == b.ID {
			f.Errorf("both are %s", a.ID)
		}
	})
	s.run("CreateInstance/NameInvalid", func(f *fixture) {
		_, err := f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a b", Hostname: "-"})
		f.wantField(err, "name")
		f.wantField(err, "hostname")
	})
	for field, spec := range map[string]simcloud.InstanceSpec{
		"type":    {Name: "a", Type: "huge"},
		"zone":    {Name: "a", Zone: "zone-z"},
		"network": {Name: "a", Network: "net-9"},
	} {
		s.run("CreateInstance/Unknown/"+field, func(f *fixture) {
			_, err := f.CreateInstance(f.ctx, spec)
			f.wantField(err, field)
			f.equal("the next id", f.instance("b").ID, simcloud.ID("i-1"))
		})
	}
	s.run("CreateInstance/Capacity", func(f *fixture) {
		network := f.network("10.9.0.0/29") // 8 addresses, of which 5 can be had
		for range 5 {
			f.instanceOf(simcloud.InstanceSpec{Name: "a", Network: network.ID})
		}
		_, err := f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a", Network: network.ID})
		f.want(err, simcloud.Capacity)
	})
}

func testInstanceUpdate(s suite) {
	s.run("UpdateInstance/OK", func(f *fixture) {
		before := f.instanceOf(simcloud.InstanceSpec{Name: "a", Labels: map[string]string{"k": "v"}})
		update := simcloud.InstanceUpdate{Name: ptr("b")}
		r := must[simcloud.Result[simcloud.Instance]](f)(f.UpdateInstance(f.ctx, before.ID, update))
		f.equal("name", r.Resource.Name, "b")
		f.equal("hostname stays", r.Resource.Hostname, "a")
		f.equal("labels stay", r.Resource.Labels, before.Labels)
		f.equal("as read", f.getInstance(before.ID), r.Resource)
		f.done(r.Operation, "UpdateInstance", simcloud.KindInstance, before.ID)
		update = simcloud.InstanceUpdate{Labels: &map[string]string{"x": "y"}}
		r = must[simcloud.Result[simcloud.Instance]](f)(f.UpdateInstance(f.ctx, before.ID, update))
		f.equal("labels", r.Resource.Labels, map[string]string{"x": "y"})
		f.equal("found by the new label", instanceIDs(f, simcloud.ListOptions{Selector: "x=y", Name: "b"}), []simcloud.ID{before.ID})
		f.equal("found by the old one", instanceIDs(f, simcloud.ListOptions{Selector: "k"}), []simcloud.ID(nil))
	})
	s.run("UpdateInstance/Invalid", func(f *fixture) {
		_, err := f.UpdateInstance(f.ctx, f.instance("a").ID, simcloud.InstanceUpdate{Name: ptr("")})
		f.wantField(err, "name")
	})
}

func instanceIDs(f *fixture, opts simcloud.ListOptions) []simcloud.ID {
	f.Helper()
	var ids []simcloud.ID
	for _, instance := range must[[]simcloud.Instance](f)(simcloud.ListAll(f.ctx, f.ListInstances, opts)) {
		ids = append(ids, instance.ID)
	}
	return ids
}
