package rules

import (
	"errors"
	"fmt"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// seedWith makes the cloud what a topology says.
func seedWith(f *suite.Fixture, topology simcloud.Topology) simcloud.SeedReport {
	f.Helper()
	return suite.Must[simcloud.SeedReport](f)(f.Control().Seed(f.Ctx, topology))
}

// wantNoChange fails the test unless a second time changes nothing.
func wantNoChange(f *suite.Fixture, topology simcloud.Topology) {
	f.Helper()
	before := stateOf(f)
	report := seedWith(f, topology)
	f.Equal("a second report", report, simcloud.SeedReport{
		Created: []string{}, Updated: []string{}, Deleted: []string{}, Unchanged: report.Unchanged,
	})
	after := stateOf(f)
	after.Time = before.Time
	f.Equal("state after a second time", after, before)
}

// standardTopology is the default topology as a Topology.
func standardTopology() simcloud.Topology {
	zone := func(name string) simcloud.TopologyZone { return simcloud.TopologyZone{Name: name} }
	return simcloud.Topology{
		Regions: &[]simcloud.TopologyRegion{{
			RegionSpec: simcloud.RegionSpec{Name: "region-1"},
			Zones:      []simcloud.TopologyZone{zone("zone-a"), zone("zone-b"), zone("zone-c")},
		}},
		InstanceTypes: &[]simcloud.InstanceTypeSpec{
			{Name: "small", VCPUs: 2, MemoryMiB: 4096}, {Name: "medium", VCPUs: 4, MemoryMiB: 8192}, {Name: "large", VCPUs: 8, MemoryMiB: 16384},
		},
		FloatingIPPools: &[]simcloud.FloatingIPPoolSpec{{Name: "public", CIDR: "127.77.0.0/16"}, {Name: "public-v6", CIDR: "fd77::/64"}},
		Networks:        &[]simcloud.TopologyNetwork{{NetworkSpec: simcloud.NetworkSpec{Name: "default", CIDRs: []string{"10.0.0.0/16"}}}},
		RouteTables:     &[]simcloud.TopologyRouteTable{{RouteTableSpec: simcloud.RouteTableSpec{Name: "default"}}},
		SSHKeys:         &[]simcloud.SSHKeySpec{},
		SecurityGroups:  &[]simcloud.SecurityGroupSpec{},
		TargetGroups:    &[]simcloud.TargetGroupSpec{},
		Instances:       &[]simcloud.TopologyInstance{},
		Volumes:         &[]simcloud.TopologyVolume{},
		LoadBalancers:   &[]simcloud.LoadBalancerSpec{},
		FloatingIPs:     &[]simcloud.FloatingIPSpec{},
		Clusters:        &[]simcloud.ClusterSpec{},
		Quotas:          &map[simcloud.QuotaResource]int{},
	}
}

const aKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// fullTopology has some of everything.
func fullTopology() simcloud.Topology {
	t := standardTopology()
	(*t.Regions)[0].Zones[0].Capacity = map[simcloud.ID]int{"large": 3}
	(*t.Networks)[0].Subnets = []simcloud.TopologySubnet{{Name: "front", CIDR: "10.0.8.0/24", Zone: "zone-a"}}
	t.SSHKeys = &[]simcloud.SSHKeySpec{{Name: "me", PublicKey: aKey}}
	t.Instances = &[]simcloud.TopologyInstance{
		{InstanceSpec: simcloud.InstanceSpec{Name: "web", Zone: "zone-a", Subnet: "front", SSHKeys: []simcloud.ID{"me"}}, Count: 2},
		{InstanceSpec: simcloud.InstanceSpec{Name: "db", Type: "large", Zone: "zone-b", Labels: map[string]string{"role": "db"}}, State: simcloud.InstanceStopped},
		{InstanceSpec: simcloud.InstanceSpec{Name: "idle", NoPublicAddress: true}, State: simcloud.InstanceSuspended},
	}
	t.Volumes = &[]simcloud.TopologyVolume{
		{VolumeSpec: simcloud.VolumeSpec{Name: "data", SizeGiB: 10}, AttachedTo: "db"},
		{VolumeSpec: simcloud.VolumeSpec{Name: "spare", SizeGiB: 10, Type: simcloud.VolumeHDD, Zone: "zone-c"}},
	}
	(*t.RouteTables)[0].Routes = []simcloud.RouteSpec{
		{Destination: "10.244.1.0/24", NextHop: simcloud.NextHop{Instance: "web-1"}},
		{Destination: "10.244.2.0/24", NextHop: simcloud.NextHop{Address: "10.0.0.9"}, Name: "other"},
	}
	t.LoadBalancers = &[]simcloud.LoadBalancerSpec{{
		Name: "front", Listeners: []simcloud.ListenerSpec{suite.TCP(80, 30080)},
		Targets: []simcloud.TargetSpec{{Instance: "web-1"}, {Instance: "web-2", Weight: 3}, {Address: "192.0.2.1"}},
	}}
	t.FloatingIPs = &[]simcloud.FloatingIPSpec{
		{Name: "front", AttachedTo: suite.ToLoadBalancer("front")}, {Name: "front6", Family: 6, AttachedTo: suite.ToLoadBalancer("front")}, {Name: "free", Address: "127.77.0.99"},
	}
	t.Clusters = &[]simcloud.ClusterSpec{{Name: "prod", Endpoint: "https://10.0.0.1:6443"}}
	t.Quotas = &map[simcloud.QuotaResource]int{simcloud.QuotaInstances: 9}
	return t
}

func testPlan(s suite.Runner) {
	s.Test("PlanSeed/OK", func(f *suite.Fixture) {
		before := stateOf(f)
		plan := suite.Must[simcloud.SeedReport](f)(f.Control().PlanSeed(f.Ctx, fullTopology()))
		after := stateOf(f)
		after.Time = before.Time
		f.Equal("state after a plan", after, before)
		f.Equal("what was planned", plan, seedWith(f, fullTopology()))
		f.Check()
	})
	s.Test("PlanSeed/Invalid", func(f *suite.Fixture) {
		_, err := f.Control().PlanSeed(f.Ctx, simcloud.Topology{Instances: &[]simcloud.TopologyInstance{{InstanceSpec: simcloud.InstanceSpec{Name: "a", Zone: "nowhere"}}}})
		f.WantField(err, "instances[0].zone")
	})
	s.Test("PlanReset/OK", func(f *suite.Fixture) {
		seedWith(f, fullTopology())
		before := stateOf(f)
		plan := suite.Must[simcloud.SeedReport](f)(f.Control().PlanReset(f.Ctx))
		after := stateOf(f)
		after.Time = before.Time
		f.Equal("state after a plan", after, before)
		f.Equal("created", plan.Created, []string{})
		for _, ref := range []string{"instance/web-1", "volume/data", "load_balancer/front", "cluster/prod", "subnet/front"} {
			f.Equal(ref+" is to go", slices.Contains(plan.Deleted, ref), true)
		}
		f.Equal("zone-a", slices.Contains(plan.Updated, "zone/zone-a"), true)
		if err := f.Control().Reset(f.Ctx); err != nil {
			f.Fatal(err)
		}
		again := suite.Must[simcloud.SeedReport](f)(f.Control().PlanReset(f.Ctx))
		f.Equal("after a reset", again, simcloud.SeedReport{
			Created: []string{}, Updated: []string{}, Deleted: []string{}, Unchanged: plan.Unchanged + len(plan.Updated),
		})
	})
}

func testSeed(s suite.Runner) {
	s.Test("Seed/Standard", func(f *suite.Fixture) {
		wantNoChange(f, standardTopology())
		f.Equal("of nothing", seedWith(f, simcloud.Topology{}).Unchanged, 0)
	})
	s.Test("Seed/Full", func(f *suite.Fixture) {
		report := seedWith(f, fullTopology())
		f.Equal("created", report.Created, []string{
			"subnet/front", "ssh_key/me", "instance/web-1", "instance/web-2", "instance/db", "instance/idle", "volume/data", "volume/spare",
			"load_balancer/front", "floating_ip/front", "floating_ip/front6", "floating_ip/free", "cluster/prod",
		})
		f.Equal("updated and deleted", [][]string{report.Updated, report.Deleted}, [][]string{{"zone/zone-a", "route_table/default", "quota/instance"}, {}})
		f.Check()
		wantNoChange(f, fullTopology())
		state := stateOf(f)
		web, db := state.Instances[0], state.Instances[2]
		f.Equal("web", []any{web.Name, web.Subnet, web.SSHKeys}, []any{"web-1", state.Subnets[0].ID, []simcloud.ID{state.SSHKeys[0].ID}})
		f.Equal("states", []any{web.State, db.State, state.Instances[3].State},
			[]any{simcloud.InstanceRunning, simcloud.InstanceStopped, simcloud.InstanceSuspended})
		f.Equal("volume", []any{state.Volumes[0].AttachedTo, state.Volumes[0].Zone}, []any{db.ID, db.Zone})
		f.Equal("targets", []any{state.LoadBalancers[0].Targets[0].Instance, state.LoadBalancers[0].Targets[1].Weight}, []any{web.ID, 3})
		f.Equal("VIPs", len(state.LoadBalancers[0].VIPs), 2)
		f.Equal("back", seedWith(f, standardTopology()).Created, []string{})
		wantNoChange(f, standardTopology())
		f.Equal("what is left", len(stateOf(f).Instances)+len(stateOf(f).Volumes)+len(stateOf(f).SSHKeys)+len(stateOf(f).Quotas), 0)
	})
	s.TestSlow("Seed/Slow", func(f *suite.Fixture) {
		seedWith(f, fullTopology())
		for _, op := range stateOf(f).Operations {
			f.Equal("state of "+op.Verb, op.State, simcloud.OperationDone)
		}
		wantNoChange(f, fullTopology())
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, "i-1"))
		_, err := f.Control().Seed(f.Ctx, fullTopology())
		f.Want(err, simcloud.Locked)
		f.Advance(suite.OpDuration)
		f.Equal("updated", seedWith(f, fullTopology()).Updated, []string{"instance/web-1"})
	})
	s.Test("Seed/LeavesWhatIsNotListed", func(f *suite.Fixture) {
		used := f.Used()
		report := seedWith(f, simcloud.Topology{Clusters: &[]simcloud.ClusterSpec{{Name: "c", Endpoint: "https://a"}}})
		f.Equal("report", report, simcloud.SeedReport{Created: []string{"cluster/c"}, Updated: []string{}, Deleted: []string{}})
		f.Equal("instance", f.MustGetInstance(used.Instance).State, simcloud.InstanceRunning)
	})
	s.Test("Seed/OtherProject", func(f *suite.Fixture) {
		f.Instance("mine")
		want := simcloud.Topology{
			Project: "other", Networks: &[]simcloud.TopologyNetwork{{NetworkSpec: simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.0.0.0/16"}}}},
			Instances: &[]simcloud.TopologyInstance{{InstanceSpec: simcloud.InstanceSpec{Name: "theirs", Network: "n"}}},
		}
		f.Equal("created", seedWith(f, want).Created, []string{"project/other", "network/n", "instance/theirs"})
		wantNoChange(f, want)
		f.Equal("projects", []simcloud.ID{stateOf(f).Instances[0].Project, stateOf(f).Instances[1].Project}, []simcloud.ID{"default", "other"})
	})
	testSeedAttachments(s)
	testSeedSecurityGroups(s)
	testSeedTargetGroups(s)
	testSeedGroupParts(s)
	testSeedOptions(s)
	testSeedChanges(s)
	testSeedRefusals(s)
}

func testSeedChanges(s suite.Runner) {
	s.Test("Seed/InPlace", func(f *suite.Fixture) {
		want := fullTopology()
		seedWith(f, want)
		before := stateOf(f)
		labels := map[string]string{"a": "b"}
		(*want.Regions)[0].Labels, (*want.Regions)[0].Zones[0].Capacity = labels, map[simcloud.ID]int{"large": 4}
		(*want.InstanceTypes)[0].Labels, (*want.FloatingIPPools)[0].Labels = labels, labels
		(*want.Networks)[0].Labels, (*want.Networks)[0].Subnets[0].Labels = labels, labels
		(*want.SSHKeys)[0].Labels = labels
		(*want.Instances)[0].Labels, (*want.Instances)[0].SSHKeys, (*want.Instances)[1].State = labels, nil, ""
		(*want.Volumes)[0].SizeGiB, (*want.Volumes)[0].AttachedTo = 20, ""
		(*want.RouteTables)[0].Limit, (*want.RouteTables)[0].Routes = 1, (*want.RouteTables)[0].Routes[1:]
		lb := &(*want.LoadBalancers)[0]
		lb.Algorithm, lb.Listeners, lb.Targets = simcloud.LeastConnections, []simcloud.ListenerSpec{suite.TCP(80, 1), suite.TCP(443, 2)}, lb.Targets[:1]
		(*want.FloatingIPs)[0].AttachedTo, (*want.FloatingIPs)[2].AttachedTo = simcloud.Attachment{}, suite.ToInstance("web-2")
		(*want.Clusters)[0].Endpoint = "https://10.0.0.2:6443"
		(*want.Quotas)[simcloud.QuotaInstances] = 8
		report := seedWith(f, want)
		f.Equal("created and deleted", [][]string{report.Created, report.Deleted}, [][]string{{}, {}})
		f.Equal("updated", report.Updated, []string{
			"region/region-1", "zone/zone-a", "instance_type/small", "floating_ip_pool/public", "network/default", "subnet/front", "ssh_key/me",
			"instance/web-1", "instance/web-2", "instance/db", "volume/data", "route_table/default", "load_balancer/front",
			"floating_ip/front", "floating_ip/free", "cluster/prod", "quota/instance",
		})
		f.Check()
		wantNoChange(f, want)
		after := stateOf(f)
		f.Equal("ids", [][]simcloud.ID{suite.IDs(after.Instances), suite.IDs(after.Volumes), suite.IDs(after.LoadBalancers), suite.IDs(after.FloatingIPs)},
			[][]simcloud.ID{suite.IDs(before.Instances), suite.IDs(before.Volumes), suite.IDs(before.LoadBalancers), suite.IDs(before.FloatingIPs)})
		seedWith(f, fullTopology())
		wantNoChange(f, fullTopology())
	})
	s.Test("Seed/Replaces", func(f *suite.Fixture) {
		want := fullTopology()
		seedWith(f, want)
		(*want.Instances)[1].Zone = "zone-c"
		(*want.InstanceTypes)[0].VCPUs = 3
		(*want.LoadBalancers)[0].Scheme = simcloud.SchemeInternal
		*want.FloatingIPs = nil
		report := seedWith(f, want)
		replaced := []string{"instance_type/small", "instance/web-1", "instance/web-2", "instance/db", "instance/idle", "volume/data", "load_balancer/front"}
		f.Equal("created", report.Created, replaced)
		for _, ref := range replaced {
			if !slices.Contains(report.Deleted, ref) {
				f.Errorf("%s is not among the deleted: %v", ref, report.Deleted)
			}
		}
		f.Equal("updated", report.Updated, []string{"route_table/default"})
		f.Check()
		wantNoChange(f, want)
		f.Equal("volume", stateOf(f).Volumes[1].Zone, simcloud.ID("zone-c"))
	})
	s.Test("Seed/SameName", func(f *suite.Fixture) {
		first, second := f.Instance("a").ID, f.Instance("a").ID
		want := simcloud.Topology{Instances: &[]simcloud.TopologyInstance{{InstanceSpec: simcloud.InstanceSpec{Name: "a"}}}}
		f.Equal("report", seedWith(f, want), simcloud.SeedReport{Created: []string{}, Updated: []string{}, Deleted: []string{"instance/a"}, Unchanged: 1})
		f.MustGetInstance(first)
		_, err := f.GetInstance(f.Ctx, second)
		f.Want(err, simcloud.NotFound)
	})
	s.Test("Seed/ZoneDown", func(f *suite.Fixture) {
		want := fullTopology()
		(*want.Regions)[0].Zones[0].State = simcloud.ZoneDown
		seedWith(f, want)
		state := stateOf(f)
		f.Equal("zone and instance", []any{state.Zones[0].State, state.Instances[0].Unreachable}, []any{simcloud.ZoneDown, true})
		wantNoChange(f, want)
		f.Equal("updated", seedWith(f, fullTopology()).Updated, []string{"zone/zone-a"})
		wantNoChange(f, fullTopology())
	})
}

func testSeedRefusals(s suite.Runner) {
	refused := func(name string, code simcloud.Code, field string, edit func(*simcloud.Topology)) {
		s.Test("Seed/"+name, func(f *suite.Fixture) {
			f.Used()
			before := stateOf(f)
			want := fullTopology()
			edit(&want)
			_, err := f.Control().Seed(f.Ctx, want)
			f.Want(err, code)
			if field != "" {
				f.WantField(err, field)
			}
			after := stateOf(f)
			after.Time = before.Time
			f.Equal("state after a failure", after, before)
		})
	}
	refused("Invalid", simcloud.Invalid, "regions[0].zones[1].name", func(t *simcloud.Topology) { (*t.Regions)[0].Zones[1].Name = "" })
	refused("UnknownName", simcloud.Invalid, "instances[0].network", func(t *simcloud.Topology) {
		t.Networks = nil
		(*t.Instances)[0].Subnet, (*t.Instances)[0].Network = "", "nowhere"
	})
	refused("QuotaExceeded", simcloud.QuotaExceeded, "", func(t *simcloud.Topology) { (*t.Quotas)[simcloud.QuotaInstances] = 3 })
	refused("Capacity", simcloud.Capacity, "", func(t *simcloud.Topology) {
		(*t.Regions)[0].Zones[1].Capacity = map[simcloud.ID]int{"large": 0}
	})
	refused("InUse", simcloud.InUse, "", func(t *simcloud.Topology) { *t = simcloud.Topology{Networks: &[]simcloud.TopologyNetwork{}} })
	refused("AddressTaken", simcloud.AlreadyExists, "", func(t *simcloud.Topology) {
		(*t.FloatingIPs)[0].Address = (*t.FloatingIPs)[2].Address
	})
	s.Test("Seed/SaysWhere", func(f *suite.Fixture) {
		want := fullTopology()
		(*want.FloatingIPs)[1].Address, (*want.FloatingIPs)[1].Family = "fd99::1", 0
		_, err := f.Control().Seed(f.Ctx, want)
		f.WantField(err, "floatingIPs[1].address")
		var e *simcloud.Error
		if errors.As(err, &e) && e.Message == "" {
			f.Error("it says nothing")
		}
	})
}

func testSeedAttachments(s suite.Runner) {
	s.Test("Seed/InstanceNetworks", func(f *suite.Fixture) {
		want := fullTopology()
		*want.Networks = append(*want.Networks, simcloud.TopologyNetwork{NetworkSpec: simcloud.NetworkSpec{Name: "back", CIDRs: []string{"10.7.0.0/16"}}})
		i := slices.IndexFunc(*want.Instances, func(i simcloud.TopologyInstance) bool { return i.Name == "db" })
		db := &(*want.Instances)[i]
		back := func() string {
			state := stateOf(f)
			instance := state.Instances[slices.IndexFunc(state.Instances, func(i simcloud.Instance) bool { return i.Name == "db" })]
			at := slices.IndexFunc(instance.Addresses, func(a simcloud.Address) bool { return a.Network == "net-2" })
			if at < 0 {
				return ""
			}
			return instance.Addresses[at].Address
		}
		for _, address := range []string{"10.7.0.9", "10.7.0.8"} {
			db.Networks = []simcloud.NetworkAttachment{{Network: "back", Address: address}}
			seedWith(f, want)
			wantNoChange(f, want)
			f.Equal("address", back(), address)
		}
		db.Networks = nil
		f.Equal("updated", seedWith(f, want).Updated, []string{"instance/db"})
		f.Equal("address in the end", back(), "")
		db.Networks = []simcloud.NetworkAttachment{{Network: "front"}}
		_, err := f.Control().Seed(f.Ctx, want)
		f.WantField(err, fmt.Sprintf("instances[%d].networks[0].network", i))
		db.Count, db.Networks = 2, []simcloud.NetworkAttachment{{Network: "back", Address: "10.7.0.9"}}
		_, err = f.Control().Seed(f.Ctx, want)
		f.WantField(err, fmt.Sprintf("instances[%d].networks[0].address", i))
	})
	s.Test("Seed/LoadBalancerNetworks", func(f *suite.Fixture) {
		want := fullTopology()
		*want.Networks = append(*want.Networks, simcloud.TopologyNetwork{NetworkSpec: simcloud.NetworkSpec{Name: "back", CIDRs: []string{"10.7.0.0/16"}}})
		lb := &(*want.LoadBalancers)[0]
		lb.Networks = []simcloud.NetworkAttachment{{Network: "default", Subnet: "front"}, {Network: "back", Address: "10.7.0.9"}}
		seedWith(f, want)
		wantNoChange(f, want)
		before := stateOf(f).LoadBalancers[0]
		f.Equal("networks", before.Networks(), []simcloud.ID{"net-1", "net-2"})

		lb.Networks = []simcloud.NetworkAttachment{{Network: "default"}, {Network: "back", Address: "10.7.0.8"}}
		f.Equal("updated", seedWith(f, want).Updated, []string{"load_balancer/front"})
		wantNoChange(f, want)
		after := stateOf(f).LoadBalancers[0]
		at := func(lb simcloud.LoadBalancer, network simcloud.ID) string {
			return lb.VIPs[slices.IndexFunc(lb.VIPs, func(vip simcloud.VIP) bool { return vip.Network == network })].Address
		}
		f.Equal("addresses", []string{at(after, "net-1"), at(after, "net-2")}, []string{at(before, "net-1"), "10.7.0.8"})

		*want.Networks = (*want.Networks)[:1] // the other one is not deleted while the load balancer is attached
		lb.Networks = nil
		f.Equal("replaced", seedWith(f, want).Deleted, []string{"load_balancer/front", "network/back"})
		f.Equal("networks in the end", stateOf(f).LoadBalancers[0].Networks(), []simcloud.ID(nil))
		lb.Networks = []simcloud.NetworkAttachment{{Network: "back"}}
		_, err := f.Control().Seed(f.Ctx, want)
		f.WantField(err, "loadBalancers[0].networks[0].network")
	})
}
