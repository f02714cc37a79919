package rules

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// parted is grouped with the groups as parts of load balancers.
func parted(web, api simcloud.ID) simcloud.Topology {
	t := grouped()
	(*t.TargetGroups)[0].PartOf, (*t.TargetGroups)[1].PartOf = web, api
	return t
}

// wantParts fails the test unless the two groups are parts of load balancers, "" for none.
func wantParts(f *suite.Fixture, web, api simcloud.ID) {
	f.Helper()
	f.Check()
	groups := stateOf(f).TargetGroups
	if len(groups) != 2 {
		f.Fatalf("there are %d groups", len(groups))
	}
	f.Equal("part of", []simcloud.ID{groups[0].PartOf, groups[1].PartOf}, []simcloud.ID{web, api})
}

func testSeedGroupParts(s suite.Runner) {
	s.Test("Seed/TargetGroupParts", func(f *suite.Fixture) {
		seedWith(f, parted("two", "one"))
		wantParts(f, "lb-2", "lb-1")
		wantNoChange(f, parted("two", "one"))
		report := seedWith(f, parted("two", "two"))
		f.Equal("updated", report.Updated, []string{"target_group/api"})
		f.Equal("created and deleted", [][]string{report.Created, report.Deleted}, [][]string{{}, {}})
		wantParts(f, "lb-2", "lb-2")
		wantNoChange(f, parted("two", "two"))
		f.Equal("updated again", seedWith(f, parted("", "two")).Updated, []string{"target_group/web"})
		wantParts(f, "", "lb-2")
	})
	s.Test("Seed/TargetGroupPartsOfOneThatGoes", func(f *suite.Fixture) {
		seedWith(f, parted("two", "one"))
		want := parted("two", "two")
		*want.LoadBalancers = (*want.LoadBalancers)[1:]
		report := seedWith(f, want)
		f.Equal("deleted and updated", [][]string{report.Deleted, report.Updated}, [][]string{{"load_balancer/one"}, {"target_group/api"}})
		wantParts(f, "lb-2", "lb-2")
		wantNoChange(f, want)
	})
	s.Test("Seed/TargetGroupPartsOfOneThatIsReplaced", func(f *suite.Fixture) {
		seedWith(f, parted("two", "one"))
		want := parted("two", "one")
		(*want.LoadBalancers)[1].Scheme = simcloud.SchemeInternal
		report := seedWith(f, want)
		f.Equal("created and deleted", [][]string{report.Created, report.Deleted}, [][]string{{"load_balancer/two"}, {"load_balancer/two"}})
		wantParts(f, "lb-3", "lb-1")
		wantNoChange(f, want)
	})
	s.Test("Seed/TargetGroupPartsGoTogether", func(f *suite.Fixture) {
		seedWith(f, parted("two", "one"))
		want := grouped()
		want.TargetGroups, want.LoadBalancers = &[]simcloud.TargetGroupSpec{}, &[]simcloud.LoadBalancerSpec{}
		f.Equal("deleted", seedWith(f, want).Deleted, []string{
			"load_balancer/one", "load_balancer/two", "target_group/web", "target_group/api",
		})
		f.Check()
	})
	s.Test("Seed/TargetGroupPartsNotListed", func(f *suite.Fixture) {
		seedWith(f, parted("two", "one"))
		seedWith(f, simcloud.Topology{LoadBalancers: &[]simcloud.LoadBalancerSpec{}})
		f.Equal("groups that are left", len(stateOf(f).TargetGroups), 0)
		f.Check()
	})
}

// testSeedOptions: the options of each kind are brought to what they should be, in place.
func testSeedOptions(s suite.Runner) {
	s.Test("Seed/Options", func(f *suite.Fixture) {
		with := func(options map[string]string) simcloud.Topology {
			t := grouped()
			(*t.Instances)[0].Options, (*t.LoadBalancers)[0].Options, (*t.TargetGroups)[0].Options = options, options, options
			t.FloatingIPs = &[]simcloud.FloatingIPSpec{{Name: "f", Options: options}}
			return t
		}
		optioned := []string{"instance/a", "target_group/web", "load_balancer/one", "floating_ip/f"}
		seedWith(f, with(map[string]string{"k": "v"}))
		wantNoChange(f, with(map[string]string{"k": "v"}))
		for _, options := range []map[string]string{{"k": "w"}, nil} {
			report := seedWith(f, with(options))
			f.Equal("updated", report.Updated, optioned)
			f.Equal("created and deleted", [][]string{report.Created, report.Deleted}, [][]string{{}, {}})
			state := stateOf(f)
			f.Equal("options", []map[string]string{
				state.Instances[0].Options, state.TargetGroups[0].Options, state.LoadBalancers[0].Options, state.FloatingIPs[0].Options,
			}, []map[string]string{options, options, options, options})
			wantNoChange(f, with(options))
		}
	})
}
