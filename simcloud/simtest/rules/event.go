package rules

import (
	"encoding/json"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// testAllEvents sees what another project has, which its own stream does not show.
func testAllEvents(s suite.Runner) {
	s.Test("WatchAllEvents/OK", func(f *suite.Fixture) {
		control := f.Control()
		before := f.Revision()
		f.Instance("a")
		elsewhere := simcloud.Topology{Project: "p", Networks: &[]simcloud.TopologyNetwork{{NetworkSpec: simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.9.0.0/16"}}}}}
		suite.Must[simcloud.SeedReport](f)(control.Seed(f.Ctx, elsewhere))
		last := f.Revision()
		next, foreign := before+1, false
		for event, err := range control.WatchAllEvents(f.Ctx, before) {
			if err != nil {
				f.Fatal(err)
			}
			f.Equal("revision", event.Revision, next)
			foreign = foreign || event.Kind == simcloud.KindNetwork && event.Project == "p"
			if next++; next > last {
				break
			}
		}
		f.Equal("the network of another project is there", foreign, true)
		mine := f.Instance("b").Version
		for _, event := range f.EventsUntil(before, mine) {
			f.Equal("one's own stream has no network", event.Kind == simcloud.KindNetwork, false)
		}
	})
}

func testEvents(s suite.Runner) {
	s.Test("WatchEvents/Changes", func(f *suite.Fixture) {
		before := f.Revision()
		instance := f.Instance("a")
		events := f.EventsUntil(before, f.Revision())
		f.Equal("events", suite.Story(events), []string{"created instance/i-1", "created operation/op-1"})
		f.Equal("revision is the version", events[0].Revision, instance.Version)
		f.Equal("project", events[0].Project, instance.Project)
		var object simcloud.Instance
		if err := json.Unmarshal(events[0].Object, &object); err != nil {
			f.Fatal(err)
		}
		f.Equal("object", object, instance)
		suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, instance.ID))
		deleted := f.EventsUntil(instance.Version+1, f.Revision())[0]
		f.Equal("deleted", []any{deleted.Type, deleted.ID}, []any{simcloud.Deleted, instance.ID})
		var last simcloud.Instance
		if err := json.Unmarshal(deleted.Object, &last); err != nil {
			f.Fatal(err)
		}
		f.Equal("a deleted object as it was last", last, instance)
	})
	s.Test("WatchEvents/FromTheBeginning", func(f *suite.Fixture) {
		events := f.EventsUntil(0, f.Revision())
		for i, event := range events {
			f.Equal("revision", event.Revision, uint64(i+1))
		}
		f.Equal("the first", suite.Story(events[:2]), []string{"created project/default", "created region/region-1"})
	})
	s.Test("WatchEvents/Follows", func(f *suite.Fixture) {
		before := f.Revision()
		seen := make(chan string)
		go func() {
			defer close(seen)
			for event, err := range f.WatchEvents(f.Ctx, before) {
				if err != nil {
					return
				}
				if event.Kind == simcloud.KindInstance {
					seen <- string(event.Type) + " " + string(event.ID)
				}
				if event.Type == simcloud.Deleted {
					return
				}
			}
		}()
		id := f.Instance("a").ID
		f.Equal("first", <-seen, "created i-1")
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, id))
		f.Equal("second", <-seen, "updated i-1")
		suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, id))
		f.Equal("third", <-seen, "deleted i-1")
	})
	s.Test("WatchEvents/Resume", func(f *suite.Fixture) {
		for range 3 {
			f.Instance("a")
		}
		all := f.EventsUntil(0, f.Revision())
		for _, at := range []int{1, len(all) / 2, len(all) - 1} {
			rest := f.EventsUntil(all[at-1].Revision, f.Revision())
			f.Equal(fmt.Sprintf("after %d", all[at-1].Revision), rest, all[at:])
		}
	})
	s.Test("WatchEvents/ListThenWatch", func(f *suite.Fixture) {
		f.Instance("a")
		page := suite.Must[simcloud.Page[simcloud.Instance]](f)(f.ListInstances(f.Ctx, simcloud.ListOptions{}))
		f.Instance("b")
		events := f.EventsUntil(page.Revision, f.Revision())
		f.Equal("events", suite.Story(events), []string{"created instance/i-2", "created operation/op-2"})
	})
	s.Test("WatchEvents/RevisionOfAnotherCloud", func(f *suite.Fixture) {
		for _, err := range f.WatchEvents(f.Ctx, f.Revision()+1) {
			f.Want(err, simcloud.Conflict)
			return
		}
		f.Error("the stream ended without an error")
	})
	testDerivedEvents(s)
}

func testDerivedEvents(s suite.Runner) {
	s.Test("WatchEvents/Derived", func(f *suite.Fixture) {
		used := f.Used()
		f.Equal("a stop", f.StoryOf(func() {
			suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, used.Instance))
		}), []string{"updated instance/i-1", "updated load_balancer/lb-1"})
		f.Equal("a deletion", f.StoryOf(func() {
			suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, used.Instance))
		}), []string{"updated floating_ip/fip-1", "updated route_table/rt-1", "deleted instance/i-1"})
		f.Equal("an attachment", f.StoryOf(func() {
			suite.Must[simcloud.Result[simcloud.FloatingIP]](f)(f.AttachFloatingIP(f.Ctx, used.FIP, suite.ToLoadBalancer(used.LB)))
		}), []string{"updated floating_ip/fip-1", "updated load_balancer/lb-1"})
		f.Equal("the deletion of a load balancer", f.StoryOf(func() {
			suite.Must[simcloud.Operation](f)(f.DeleteLoadBalancer(f.Ctx, used.LB))
		}), []string{"updated floating_ip/fip-1", "deleted load_balancer/lb-1"})
	})
	s.TestSlow("WatchEvents/Slow", func(f *suite.Fixture) {
		before := f.Revision()
		f.Instance("a")
		f.Advance(suite.OpDuration)
		events := f.EventsUntil(before, f.Revision())
		f.Equal("events", suite.Story(events), []string{
			"created instance/i-1", "created operation/op-1", "updated instance/i-1", "updated operation/op-1",
		})
		f.Equal("time between them", events[2].Time.Sub(events[0].Time), suite.OpDuration)
	})
}
