package simtest

import (
	"encoding/json"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// testAllEvents sees what another project has, which its own stream does not show.
func testAllEvents(s suite) {
	s.run("WatchAllEvents/OK", func(f *fixture) {
		control := f.control()
		before := f.revision()
		f.instance("a")
		elsewhere := simcloud.Topology{Project: "p", Networks: &[]simcloud.TopologyNetwork{{NetworkSpec: simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.9.0.0/16"}}}}}
		must[simcloud.SeedReport](f)(control.Seed(f.ctx, elsewhere))
		last := f.revision()
		next, foreign := before+1, false
		for event, err := range control.WatchAllEvents(f.ctx, before) {
			if err != nil {
				f.Fatal(err)
			}
			f.equal("revision", event.Revision, next)
			foreign = foreign || event.Kind == simcloud.KindNetwork && event.Project == "p"
			if next++; next > last {
				break
			}
		}
		f.equal("the network of another project is there", foreign, true)
		mine := f.instance("b").Version
		for _, event := range f.eventsUntil(before, mine) {
			f.equal("one's own stream has no network", event.Kind == simcloud.KindNetwork, false)
		}
	})
}

func testEvents(s suite) {
	s.run("WatchEvents/Changes", func(f *fixture) {
		before := f.revision()
		instance := f.instance("a")
		events := f.eventsUntil(before, f.revision())
		f.equal("events", story(events), []string{"created instance/i-1", "created operation/op-1"})
		f.equal("revision is the version", events[0].Revision, instance.Version)
		f.equal("project", events[0].Project, instance.Project)
		var object simcloud.Instance
		if err := json.Unmarshal(events[0].Object, &object); err != nil {
			f.Fatal(err)
		}
		f.equal("object", object, instance)
		must[simcloud.Operation](f)(f.DeleteInstance(f.ctx, instance.ID))
		deleted := f.eventsUntil(instance.Version+1, f.revision())[0]
		f.equal("deleted", []any{deleted.Type, deleted.ID}, []any{simcloud.Deleted, instance.ID})
		var last simcloud.Instance
		if err := json.Unmarshal(deleted.Object, &last); err != nil {
			f.Fatal(err)
		}
		f.equal("a deleted object as it was last", last, instance)
	})
	s.run("WatchEvents/FromTheBeginning", func(f *fixture) {
		events := f.eventsUntil(0, f.revision())
		for i, event := range events {
			f.equal("revision", event.Revision, uint64(i+1))
		}
		f.equal("the first", story(events[:2]), []string{"created project/default", "created region/region-1"})
	})
	s.run("WatchEvents/Follows", func(f *fixture) {
		before := f.revision()
		seen := make(chan string)
		go func() {
			defer close(seen)
			for event, err := range f.WatchEvents(f.ctx, before) {
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
		id := f.instance("a").ID
		f.equal("first", <-seen, "created i-1")
		must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, id))
		f.equal("second", <-seen, "updated i-1")
		must[simcloud.Operation](f)(f.DeleteInstance(f.ctx, id))
		f.equal("third", <-seen, "deleted i-1")
	})
	s.run("WatchEvents/Resume", func(f *fixture) {
		for range 3 {
			f.instance("a")
		}
		all := f.eventsUntil(0, f.revision())
		for _, at := range []int{1, len(all) / 2, len(all) - 1} {
			rest := f.eventsUntil(all[at-1].Revision, f.revision())
			f.equal(fmt.Sprintf("after %d", all[at-1].Revision), rest, all[at:])
		}
	})
	s.run("WatchEvents/ListThenWatch", func(f *fixture) {
		f.instance("a")
		page := must[simcloud.Page[simcloud.Instance]](f)(f.ListInstances(f.ctx, simcloud.ListOptions{}))
		f.instance("b")
		events := f.eventsUntil(page.Revision, f.revision())
		f.equal("events", story(events), []string{"created instance/i-2", "created operation/op-2"})
	})
	s.run("WatchEvents/RevisionOfAnotherCloud", func(f *fixture) {
		for _, err := range f.WatchEvents(f.ctx, f.revision()+1) {
			f.want(err, simcloud.Conflict)
			return
		}
		f.Error("the stream ended without an error")
	})
	testDerivedEvents(s)
}

func testDerivedEvents(s suite) {
	s.run("WatchEvents/Derived", func(f *fixture) {
		used := f.used()
		f.equal("a stop", f.storyOf(func() {
			must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, used.Instance))
		}), []string{"updated instance/i-1", "updated load_balancer/lb-1"})
		f.equal("a deletion", f.storyOf(func() {
			must[simcloud.Operation](f)(f.DeleteInstance(f.ctx, used.Instance))
		}), []string{"updated floating_ip/fip-1", "updated route_table/rt-1", "deleted instance/i-1"})
		f.equal("an attachment", f.storyOf(func() {
			must[simcloud.Result[simcloud.FloatingIP]](f)(f.AttachFloatingIP(f.ctx, used.FIP, toLoadBalancer(used.LB)))
		}), []string{"updated floating_ip/fip-1", "updated load_balancer/lb-1"})
		f.equal("the deletion of a load balancer", f.storyOf(func() {
			must[simcloud.Operation](f)(f.DeleteLoadBalancer(f.ctx, used.LB))
		}), []string{"updated floating_ip/fip-1", "deleted load_balancer/lb-1"})
	})
	s.runSlow("WatchEvents/Slow", func(f *fixture) {
		before := f.revision()
		f.instance("a")
		f.advance(opDuration)
		events := f.eventsUntil(before, f.revision())
		f.equal("events", story(events), []string{
			"created instance/i-1", "created operation/op-1", "updated instance/i-1", "updated operation/op-1",
		})
		f.equal("time between them", events[2].Time.Sub(events[0].Time), opDuration)
	})
}
