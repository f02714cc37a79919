package simtest

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func testConfig(s suite) {
	s.run("GetConfig/Default", func(f *fixture) {
		f.equal("configuration", must[simcloud.Config](f)(f.control().GetConfig(f.ctx)), simcloud.Config{
			Progression:    simcloud.Progression{Mode: simcloud.ProgressionImmediate},
			IdempotencyTTL: simcloud.Duration(24 * time.Hour),
		})
	})
	s.runOn("GetConfig/Given", slowHours, func(f *fixture) {
		f.equal("progression", must[simcloud.Config](f)(f.control().GetConfig(f.ctx)).Progression, slowHours.Progression)
	})
	s.run("UpdateConfig/OK", func(f *fixture) {
		full := simcloud.Config{
			Progression: simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Minute)},
			Progressions: map[simcloud.Kind]simcloud.Progression{
				simcloud.KindVolume: {Mode: simcloud.ProgressionPolls, Polls: 3},
			},
			Consistency:    simcloud.Consistency{HideNew: simcloud.Duration(time.Second)},
			Rates:          []simcloud.Rate{{Class: "write", PerSecond: 1000, Burst: 1000}},
			IdempotencyTTL: simcloud.Duration(time.Hour),
			MaxTargets:     9,
		}
		after := must[simcloud.Config](f)(f.control().UpdateConfig(f.ctx, simcloud.ConfigUpdate{
			Progression: &full.Progression, Progressions: &full.Progressions, Consistency: &full.Consistency,
			Rates: &full.Rates, IdempotencyTTL: &full.IdempotencyTTL, MaxTargets: &full.MaxTargets,
		}))
		f.equal("answer", after, full)
		f.equal("as read", must[simcloud.Config](f)(f.control().GetConfig(f.ctx)), full)
	})
	s.run("UpdateConfig/OnlyWhatIsGiven", func(f *fixture) {
		before := must[simcloud.Config](f)(f.control().GetConfig(f.ctx))
		f.equal("without anything", must[simcloud.Config](f)(f.control().UpdateConfig(f.ctx, simcloud.ConfigUpdate{})), before)
		update := simcloud.ConfigUpdate{Consistency: &simcloud.Consistency{HideNew: 1}}
		after := must[simcloud.Config](f)(f.control().UpdateConfig(f.ctx, update))
		before.Consistency.HideNew = 1
		f.equal("with consistency", after, before)
	})
	s.run("UpdateConfig/TakesThingsAway", func(f *fixture) {
		some := map[simcloud.Kind]simcloud.Progression{simcloud.KindInstance: {Mode: simcloud.ProgressionTime, Duration: 1}}
		must[simcloud.Config](f)(f.control().UpdateConfig(f.ctx, simcloud.ConfigUpdate{
			Progressions: &some, Rates: &[]simcloud.Rate{{Class: "read", PerSecond: 1000, Burst: 1000}},
		}))
		none := map[simcloud.Kind]simcloud.Progression{}
		after := must[simcloud.Config](f)(f.control().UpdateConfig(f.ctx,
			simcloud.ConfigUpdate{Progressions: &none, Rates: &[]simcloud.Rate{}}))
		f.equal("exceptions and rates", []int{len(after.Progressions), len(after.Rates)}, []int{0, 0})
	})
	s.run("UpdateConfig/Progression", func(f *fixture) {
		p := simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Hour)}
		f.equal("before", f.instance("a").State, simcloud.InstanceRunning)
		must[simcloud.Config](f)(f.control().UpdateConfig(f.ctx, simcloud.ConfigUpdate{Progression: &p}))
		f.equal("after", f.instance("b").State, simcloud.InstancePending)
	})
	s.run("UpdateConfig/Invalid", testInvalidConfig)
}

func testInvalidConfig(f *fixture) {
	before := must[simcloud.Config](f)(f.control().GetConfig(f.ctx))
	long := simcloud.Duration(time.Hour)
	for field, update := range map[string]simcloud.ConfigUpdate{
		"progression.mode":       {Progression: &simcloud.Progression{Mode: "later"}},
		"progression.duration":   {Progression: &simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: -1}},
		"progression.polls":      {Progression: &simcloud.Progression{Mode: simcloud.ProgressionPolls}},
		"progressions":           {Progressions: &map[simcloud.Kind]simcloud.Progression{simcloud.KindZone: {}}},
		"consistency.staleLists": {Consistency: &simcloud.Consistency{StaleLists: long}},
		"consistency.staleGets":  {Consistency: &simcloud.Consistency{StaleGets: -1}},
		"consistency.hideNew":    {Consistency: &simcloud.Consistency{HideNew: long}},
		"rates[0].class":         {Rates: &[]simcloud.Rate{{Class: "Drink*", PerSecond: 1, Burst: 1}}},
		"rates[0].perSecond":     {Rates: &[]simcloud.Rate{{Class: "read", Burst: 1}}},
		"rates[0].burst":         {Rates: &[]simcloud.Rate{{Class: "read", PerSecond: 1}}},
		"idempotencyTTL":         {IdempotencyTTL: ptr(simcloud.Duration(0))},
		"maxTargets":             {MaxTargets: ptr(-1)},
	} {
		_, err := f.control().UpdateConfig(f.ctx, update)
		f.wantField(err, field)
	}
	f.equal("afterwards", must[simcloud.Config](f)(f.control().GetConfig(f.ctx)), before)
}

// slowHours has operations too long to wait for on a real clock.
var slowHours = Options{Seed: 1, Progression: simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Hour)}}
