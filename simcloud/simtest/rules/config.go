package rules

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

func testConfig(s suite.Runner) {
	s.Test("GetConfig/Default", func(f *suite.Fixture) {
		f.Equal("configuration", suite.Must[simcloud.Config](f)(f.Control().GetConfig(f.Ctx)), simcloud.Config{
			Progression:    simcloud.Progression{Mode: simcloud.ProgressionImmediate},
			IdempotencyTTL: simcloud.Duration(24 * time.Hour),
		})
	})
	s.TestOn("GetConfig/Given", slowHours, func(f *suite.Fixture) {
		f.Equal("progression", suite.Must[simcloud.Config](f)(f.Control().GetConfig(f.Ctx)).Progression, slowHours.Progression)
	})
	s.Test("UpdateConfig/OK", func(f *suite.Fixture) {
		full := simcloud.Config{
			Progression: simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Minute)},
			Progressions: map[simcloud.Kind]simcloud.Progression{
				simcloud.KindVolume: {Mode: simcloud.ProgressionPolls, Polls: 3},
			},
			Consistency:    simcloud.Consistency{HideNew: simcloud.Duration(time.Second)},
			Rates:          []simcloud.Rate{{Class: "write", PerSecond: 1000, Burst: 1000}},
			IdempotencyTTL: simcloud.Duration(time.Hour),
			MaxTargets:     9,
			UniqueNames:    []simcloud.Kind{simcloud.KindInstance, simcloud.KindVolume},

			ChangesWhileBusy: []simcloud.Kind{simcloud.KindLoadBalancer, simcloud.KindInstance, simcloud.KindFloatingIP},
			KeepIDs:          true,
			RouteRules:       []simcloud.RouteRule{simcloud.RouteNoOverlap, simcloud.RoutePrivateDestination},
			MaxRoutes:        7,
			DialectVariants: map[string]string{
				simcloud.VariantHcloudRefusalStatus: "409", simcloud.VariantHcloudCertificateFingerprint: "sha1",
			},
			Hostnames:             simcloud.HostnamePrivateDNS,
			MaxSecurityGroupRules: 6,
			DefaultSecurityGroups: true,
			LoadBalancerClasses: []simcloud.LoadBalancerClass{{
				Name: "lb11", Description: "small", MaxTargets: 25, MaxListeners: 5, MaxConnections: 10000, MaxCertificates: 10, Deprecated: true,
			}},
		}
		after := suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{
			Progression: &full.Progression, Progressions: &full.Progressions, Consistency: &full.Consistency,
			Rates: &full.Rates, IdempotencyTTL: &full.IdempotencyTTL, MaxTargets: &full.MaxTargets, UniqueNames: &full.UniqueNames,
			ChangesWhileBusy: &full.ChangesWhileBusy,
			KeepIDs:          &full.KeepIDs,
			RouteRules:       &full.RouteRules, MaxRoutes: &full.MaxRoutes, MaxSecurityGroupRules: &full.MaxSecurityGroupRules,
			LoadBalancerClasses: &full.LoadBalancerClasses, DialectVariants: &full.DialectVariants, Hostnames: &full.Hostnames,
			DefaultSecurityGroups: &full.DefaultSecurityGroups,
		}))
		f.Equal("answer", after, full)
		f.Equal("as read", suite.Must[simcloud.Config](f)(f.Control().GetConfig(f.Ctx)), full)
	})
	s.Test("UpdateConfig/OnlyWhatIsGiven", func(f *suite.Fixture) {
		before := suite.Must[simcloud.Config](f)(f.Control().GetConfig(f.Ctx))
		f.Equal("without anything", suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{})), before)
		update := simcloud.ConfigUpdate{Consistency: &simcloud.Consistency{HideNew: 1}}
		after := suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, update))
		before.Consistency.HideNew = 1
		f.Equal("with consistency", after, before)
	})
	s.Test("UpdateConfig/TakesThingsAway", func(f *suite.Fixture) {
		some := map[simcloud.Kind]simcloud.Progression{simcloud.KindInstance: {Mode: simcloud.ProgressionTime, Duration: 1}}
		suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{
			Progressions: &some, Rates: &[]simcloud.Rate{{Class: "read", PerSecond: 1000, Burst: 1000}},
			DialectVariants: &map[string]string{simcloud.VariantHcloudRefusalStatus: "409"},
		}))
		none := map[simcloud.Kind]simcloud.Progression{}
		after := suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx,
			simcloud.ConfigUpdate{Progressions: &none, Rates: &[]simcloud.Rate{}, DialectVariants: &map[string]string{}}))
		f.Equal("exceptions, rates and variants", []int{len(after.Progressions), len(after.Rates), len(after.DialectVariants)}, []int{0, 0, 0})
	})
	s.Test("UpdateConfig/Progression", func(f *suite.Fixture) {
		p := simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Hour)}
		f.Equal("before", f.Instance("a").State, simcloud.InstanceRunning)
		suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{Progression: &p}))
		f.Equal("after", f.Instance("b").State, simcloud.InstancePending)
	})
	s.Test("UpdateConfig/KeepIDs", testKeepIDs)
	s.Test("UpdateConfig/Invalid", testInvalidConfig)
}

func testInvalidConfig(f *suite.Fixture) {
	before := suite.Must[simcloud.Config](f)(f.Control().GetConfig(f.Ctx))
	long := simcloud.Duration(time.Hour)
	for field, update := range map[string]simcloud.ConfigUpdate{
		"progression.mode":                    {Progression: &simcloud.Progression{Mode: "later"}},
		"progression.duration":                {Progression: &simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: -1}},
		"progression.polls":                   {Progression: &simcloud.Progression{Mode: simcloud.ProgressionPolls}},
		"progressions":                        {Progressions: &map[simcloud.Kind]simcloud.Progression{simcloud.KindZone: {}}},
		"consistency.staleLists":              {Consistency: &simcloud.Consistency{StaleLists: long}},
		"consistency.staleGets":               {Consistency: &simcloud.Consistency{StaleGets: -1}},
		"consistency.hideNew":                 {Consistency: &simcloud.Consistency{HideNew: long}},
		"rates[0].class":                      {Rates: &[]simcloud.Rate{{Class: "Drink*", PerSecond: 1, Burst: 1}}},
		"rates[0].perSecond":                  {Rates: &[]simcloud.Rate{{Class: "read", Burst: 1}}},
		"rates[0].scope":                      {Rates: &[]simcloud.Rate{{Class: "read", PerSecond: 1, Burst: 1, Scope: "region"}}},
		"rates[0].burst":                      {Rates: &[]simcloud.Rate{{Class: "read", PerSecond: 1}}},
		"idempotencyTTL":                      {IdempotencyTTL: suite.Ptr(simcloud.Duration(0))},
		"maxTargets":                          {MaxTargets: suite.Ptr(-1)},
		"changesWhileBusy[0]":                 {ChangesWhileBusy: &[]simcloud.Kind{simcloud.KindVolume}},
		"uniqueNames[0]":                      {UniqueNames: &[]simcloud.Kind{simcloud.KindZone}},
		"routeRules[0]":                       {RouteRules: &[]simcloud.RouteRule{"no_routes"}},
		"routeRules[1]":                       {RouteRules: &[]simcloud.RouteRule{simcloud.RouteNoOverlap, simcloud.RouteNoOverlap}},
		"maxRoutes":                           {MaxRoutes: suite.Ptr(-1)},
		"dialectVariants":                     {DialectVariants: &map[string]string{"hcloud.weather": "fine"}},
		"dialectVariants.hcloud.health-check": {DialectVariants: &map[string]string{simcloud.VariantHcloudHealthCheck: "1-1-1"}},
		"hostnames":                           {Hostnames: suite.Ptr(simcloud.HostnameForm("fqdn"))},
		"maxSecurityGroupRules":               {MaxSecurityGroupRules: suite.Ptr(-1)},
		"uniqueNames[1]":                      {UniqueNames: &[]simcloud.Kind{simcloud.KindVolume, simcloud.KindVolume}},
		"loadBalancerClasses[0].name":         {LoadBalancerClasses: &[]simcloud.LoadBalancerClass{{}}},
		"loadBalancerClasses[0].maxListeners": {LoadBalancerClasses: &[]simcloud.LoadBalancerClass{{Name: "a", MaxListeners: -1}}},
		"loadBalancerClasses[1].name":         {LoadBalancerClasses: &[]simcloud.LoadBalancerClass{{Name: "a"}, {Name: "a"}}},
	} {
		_, err := f.Control().UpdateConfig(f.Ctx, update)
		f.WantField(err, field)
	}
	f.Equal("afterwards", suite.Must[simcloud.Config](f)(f.Control().GetConfig(f.Ctx)), before)
}

// slowHours has operations too long to wait for on a real clock.
var slowHours = suite.Options{Seed: 1, Progression: simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Hour)}}

// testKeepIDs: no id returns after a reset or a snapshot, but for what the snapshot has.
func testKeepIDs(f *suite.Fixture) {
	configure(f, simcloud.ConfigUpdate{KeepIDs: suite.Ptr(true)})
	first := f.Instance("a").ID
	f.Save("s")
	second := f.Instance("b").ID
	route := f.Route("10.244.0.0/24").ID
	operation := suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, second)).ID
	f.Load("s")
	f.Equal("of the snapshot", f.MustGetInstance(first).Name, "a")
	f.Equal("after it", f.Instance("c").ID, simcloud.ID("i-3"))
	if err := f.Control().Reset(f.Ctx); err != nil {
		f.Fatal(err)
	}
	f.Equal("after the reset", f.Instance("d").ID, simcloud.ID("i-4"))
	if again := f.Route("10.244.0.0/24").ID; again == route {
		f.Errorf("the route %s returns", again)
	}
	_, err := f.GetOperation(f.Ctx, operation)
	f.Want(err, simcloud.NotFound)
	f.Check()
}
