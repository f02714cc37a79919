package rules

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// grouped is a topology with two groups, to one of which a load balancer forwards.
func grouped() simcloud.Topology {
	group := func(name string) simcloud.TargetGroupSpec {
		return simcloud.TargetGroupSpec{
			Name: name, Network: "default", Protocol: simcloud.ProtocolTCP, Port: 30080,
			HealthCheck: &simcloud.HealthCheck{Protocol: simcloud.HealthCheckTCP},
			Targets:     []simcloud.GroupTargetSpec{{Instance: "a"}, {Instance: "a", Port: 81, Weight: 2}},
		}
	}
	balancer := func(name string, groups ...simcloud.ID) simcloud.LoadBalancerSpec {
		lb := simcloud.LoadBalancerSpec{Name: name}
		for i, group := range groups {
			lb.Listeners = append(lb.Listeners, simcloud.ListenerSpec{
				Protocol: simcloud.ProtocolTCP, Port: 80 + i, ListenerConfig: simcloud.ListenerConfig{TargetGroup: group},
			})
		}
		return lb
	}
	return simcloud.Topology{
		Instances:     &[]simcloud.TopologyInstance{{InstanceSpec: simcloud.InstanceSpec{Name: "a"}}},
		TargetGroups:  &[]simcloud.TargetGroupSpec{group("web"), group("api")},
		LoadBalancers: &[]simcloud.LoadBalancerSpec{balancer("one"), balancer("two", "web", "web")},
	}
}

func testSeedTargetGroups(s suite.Runner) {
	s.Test("Seed/TargetGroups", func(f *suite.Fixture) {
		report := seedWith(f, grouped())
		f.Equal("created", report.Created, []string{
			"instance/a", "target_group/web", "target_group/api", "load_balancer/one", "load_balancer/two",
		})
		f.Check()
		wantNoChange(f, grouped())
		groups := stateOf(f).TargetGroups
		f.Equal("load balancers", []simcloud.ID{groups[0].LoadBalancer, groups[1].LoadBalancer}, []simcloud.ID{"lb-2", ""})
		f.Equal("targets", groups[0].Targets[1].GroupTargetSpec, simcloud.GroupTargetSpec{Instance: "i-1", Port: 81, Weight: 2})
	})
	s.Test("Seed/TargetGroupsInPlace", seedTargetGroupsInPlace)
	s.Test("Seed/TargetGroupMoves", func(f *suite.Fixture) {
		seedWith(f, grouped())
		want := grouped()
		lbs := *want.LoadBalancers
		lbs[0].Listeners, lbs[1].Listeners = lbs[1].Listeners, nil // to the one that is made before the other loses it
		report := seedWith(f, want)
		f.Equal("created and deleted", [][]string{report.Created, report.Deleted}, [][]string{{}, {}})
		f.Check()
		wantNoChange(f, want)
		f.Equal("load balancer", stateOf(f).TargetGroups[0].LoadBalancer, simcloud.ID("lb-1"))
	})
	s.Test("Seed/TargetGroupPassedOn", func(f *suite.Fixture) {
		seedWith(f, grouped())
		want := grouped()
		lbs := *want.LoadBalancers
		lbs[0].Listeners = slices.Clone(lbs[1].Listeners) // to the one that is made before the other gets another group
		for i := range lbs[1].Listeners {
			lbs[1].Listeners[i].TargetGroup = "api"
		}
		report := seedWith(f, want)
		f.Equal("created and deleted", [][]string{report.Created, report.Deleted}, [][]string{{}, {}})
		f.Check()
		wantNoChange(f, want)
		groups := stateOf(f).TargetGroups
		f.Equal("load balancers", []simcloud.ID{groups[0].LoadBalancer, groups[1].LoadBalancer}, []simcloud.ID{"lb-1", "lb-2"})
	})
	s.Test("Seed/TargetGroupReplaced", func(f *suite.Fixture) {
		seedWith(f, grouped())
		want := grouped()
		(*want.TargetGroups)[0].Port = 30081
		*want.TargetGroups = (*want.TargetGroups)[:1]
		report := seedWith(f, want)
		f.Equal("deleted", report.Deleted, []string{"target_group/web", "target_group/api"})
		f.Equal("created", report.Created, []string{"target_group/web"})
		f.Check()
		wantNoChange(f, want)
		f.Equal("group of the listener", stateOf(f).LoadBalancers[1].Listeners[0].TargetGroup, simcloud.ID("tg-3"))
	})
	s.Test("Seed/TargetGroupsInvalid", func(f *suite.Fixture) {
		for field, edit := range map[string]func(*simcloud.Topology){
			"targetGroups[0].targets[1].instance": func(t *simcloud.Topology) { (*t.TargetGroups)[0].Targets[1].Instance = "nope" },
			"targetGroups[1].name":                func(t *simcloud.Topology) { (*t.TargetGroups)[1].Name = "web" },
			"targetGroups[1].port":                func(t *simcloud.Topology) { (*t.TargetGroups)[1].Port = 0 },
			"loadBalancers[0].listeners[0].targetGroup": func(t *simcloud.Topology) {
				(*t.LoadBalancers)[0].Listeners = slices.Clone((*t.LoadBalancers)[1].Listeners)
				(*t.LoadBalancers)[0].Listeners[0].TargetGroup = "nope"
			},
			"targetGroups[1].partOf":                    func(t *simcloud.Topology) { (*t.TargetGroups)[1].PartOf = "nope" },
			"loadBalancers[1].listeners[1].targetGroup": func(t *simcloud.Topology) { (*t.TargetGroups)[0].PartOf = "one" },
			"loadBalancers[1].listeners[0].targetGroup": func(t *simcloud.Topology) {
				(*t.LoadBalancers)[0].Listeners = (*t.LoadBalancers)[1].Listeners[:1]
			},
		} {
			want := grouped()
			edit(&want)
			_, err := f.Control().Seed(f.Ctx, want)
			f.WantField(err, field)
		}
	})
}

// seedTargetGroupsInPlace: what can be changed of a group does not replace it.
func seedTargetGroupsInPlace(f *suite.Fixture) {
	seedWith(f, grouped())
	want := grouped()
	web := &(*want.TargetGroups)[0]
	web.HealthCheck.Threshold, web.ProxyProtocol, web.Labels, web.Options = 1, true, map[string]string{"k": "v"}, map[string]string{"o": "p"}
	web.Targets = []simcloud.GroupTargetSpec{{Instance: "a", Weight: 9}, {Instance: "a", Port: 82, Options: map[string]string{"o": "p"}}}
	report := seedWith(f, want)
	f.Equal("updated", report.Updated, []string{"target_group/web"})
	f.Equal("created and deleted", [][]string{report.Created, report.Deleted}, [][]string{{}, {}})
	f.Check()
	wantNoChange(f, want)
	f.Equal("targets", stateOf(f).TargetGroups[0].Targets[0].GroupTargetSpec, simcloud.GroupTargetSpec{Instance: "i-1", Port: 30080, Weight: 9})
	web.Targets[1].Options = map[string]string{"o": "q"}
	f.Equal("updated by the options of a target", seedWith(f, want).Updated, []string{"target_group/web"})
	wantNoChange(f, want)
}
