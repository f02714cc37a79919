package simtest

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// testConsistency: what is read may be behind; what is written is not lost for it.
func testConsistency(s suite) {
	runBehind(s, "UpdateConfig/StaleLists", simcloud.Consistency{StaleLists: aMinute}, func(f *fixture, old simcloud.Instance) {
		gone, kept, fresh := changeInstances(f, old)
		f.equal("list", listInstances(f), []simcloud.Instance{old, gone})
		f.equal("list of what is now", listed(f, simcloud.ListOptions{Selector: "is=new"}), []simcloud.Instance{})
		f.equal("list of what was", listed(f, simcloud.ListOptions{Name: old.Name}), []simcloud.Instance{old})
		f.equal("gets are not behind", []simcloud.Instance{f.getInstance(kept.ID), f.getInstance(fresh.ID)}, []simcloud.Instance{kept, fresh})
		_, err := f.GetInstance(f.ctx, gone.ID)
		f.want(err, simcloud.NotFound)
		f.advance(time.Duration(aMinute))
		f.equal("list after a minute", listInstances(f), []simcloud.Instance{kept, fresh})
	})
	runBehind(s, "UpdateConfig/StaleGets", simcloud.Consistency{StaleGets: aMinute}, func(f *fixture, old simcloud.Instance) {
		gone, kept, fresh := changeInstances(f, old)
		f.equal("what has changed", f.getInstance(old.ID), old)
		f.equal("what is gone", f.getInstance(gone.ID), gone)
		_, err := f.GetInstance(f.ctx, fresh.ID)
		f.want(err, simcloud.NotFound)
		f.equal("lists are not behind", listInstances(f), []simcloud.Instance{kept, fresh})
		f.advance(time.Duration(aMinute))
		f.equal("after a minute", f.getInstance(fresh.ID), fresh)
	})
	runBehind(s, "UpdateConfig/HideNew", simcloud.Consistency{HideNew: aMinute}, func(f *fixture, old simcloud.Instance) {
		_, kept, fresh := changeInstances(f, old)
		f.equal("list", listInstances(f), []simcloud.Instance{kept})
		_, err := f.GetInstance(f.ctx, fresh.ID)
		f.want(err, simcloud.NotFound)
		f.advance(time.Duration(aMinute))
		f.equal("list after a minute", listInstances(f), []simcloud.Instance{kept, fresh})
	})
	testBehindPages(s)
	testBehindWrites(s)
}

const aMinute = simcloud.Duration(time.Minute)

// runBehind is a subtest on a cloud with a manual clock that has had an
// instance for an hour, and whose reads are behind from now on.
func runBehind(s suite, name string, consistency simcloud.Consistency, fn func(*fixture, simcloud.Instance)) {
	s.run(name, func(f *fixture) {
		must[simcloud.ClockStatus](f)(f.control().SetClock(f.ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}))
		old := f.instance("old")
		f.advance(time.Hour)
		configure(f, simcloud.ConfigUpdate{Consistency: &consistency})
		fn(f, old)
	})
}

// changeInstances deletes an instance that has been there for two minutes,
// changes another one and makes a third.
func changeInstances(f *fixture, old simcloud.Instance) (gone, kept, fresh simcloud.Instance) {
	f.Helper()
	gone = f.instance("gone")
	f.advance(2 * time.Minute)
	must[simcloud.Operation](f)(f.DeleteInstance(f.ctx, gone.ID))
	kept = must[simcloud.Result[simcloud.Instance]](f)(f.UpdateInstance(f.ctx, old.ID, simcloud.InstanceUpdate{
		Name: ptr("kept"), Labels: &map[string]string{"is": "new"},
	})).Resource
	return gone, kept, f.instance("fresh")
}

func listInstances(f *fixture) []simcloud.Instance { return listed(f, simcloud.ListOptions{}) }

func listed(f *fixture, opts simcloud.ListOptions) []simcloud.Instance {
	f.Helper()
	return must[simcloud.Page[simcloud.Instance]](f)(f.ListInstances(f.ctx, opts)).Items
}

// testBehindPages: a list that is behind has pages and a revision like any other.
func testBehindPages(s suite) {
	runBehind(s, "ListInstances/Behind", simcloud.Consistency{StaleLists: aMinute}, func(f *fixture, old simcloud.Instance) {
		want := []simcloud.ID{old.ID}
		for range 4 {
			want = append(want, f.instance("a").ID)
		}
		f.advance(2 * time.Minute)
		revision := f.revision()
		must[simcloud.Operation](f)(f.DeleteInstance(f.ctx, want[2]))
		must[simcloud.Operation](f)(f.DeleteInstance(f.ctx, want[4]))
		f.instance("b")
		var got []simcloud.ID
		opts := simcloud.ListOptions{PageSize: 2}
		for more := true; more; more = opts.PageToken != "" {
			page := must[simcloud.Page[simcloud.Instance]](f)(f.ListInstances(f.ctx, opts))
			f.equal("revision", page.Revision, revision)
			got, opts.PageToken = append(got, ids(page.Items)...), page.NextPage
		}
		f.equal("the pages together", got, want)
	})
}

// testBehindWrites: who changes something changes what there is, seen or not.
func testBehindWrites(s suite) {
	all := simcloud.Consistency{StaleLists: aMinute, StaleGets: aMinute, HideNew: aMinute}
	runBehind(s, "UpdateInstance/Behind", all, func(f *fixture, old simcloud.Instance) {
		update := func(name string, opts ...simcloud.CallOption) (simcloud.Instance, error) {
			r, err := f.UpdateInstance(f.ctx, old.ID, simcloud.InstanceUpdate{Name: &name}, opts...)
			return r.Resource, err
		}
		changed := must[simcloud.Instance](f)(update("new"))
		_, err := update("newer", simcloud.IfVersion(f.getInstance(old.ID).Version))
		f.want(err, simcloud.Conflict)
		f.equal("seen", f.getInstance(old.ID).Name, "old")
		newer := must[simcloud.Instance](f)(update("newer", simcloud.IfVersion(changed.Version)))
		f.equal("state", must[simcloud.State](f)(f.control().GetState(f.ctx)).Instances, []simcloud.Instance{newer})
	})
	runBehind(s, "DeleteInstance/Behind", all, func(f *fixture, _ simcloud.Instance) {
		hidden := must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "hidden"}))
		f.equal("operation", must[simcloud.Operation](f)(f.WaitOperation(f.ctx, hidden.Operation.ID)), hidden.Operation)
		_, err := f.GetInstance(f.ctx, hidden.Resource.ID)
		f.want(err, simcloud.NotFound)
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: hidden.Resource.ID}}})
		f.equal("target", lb.Targets[0].Health, simcloud.TargetHealthy)
		must[simcloud.Operation](f)(f.DeleteInstance(f.ctx, hidden.Resource.ID))
		_, err = f.DeleteInstance(f.ctx, hidden.Resource.ID)
		f.want(err, simcloud.NotFound)
	})
	runBehind(s, "WatchEvents/Behind", all, func(f *fixture, _ simcloud.Instance) {
		revision := func() uint64 { return must[simcloud.State](f)(f.control().GetState(f.ctx)).Revision }
		before := revision()
		f.instance("a")
		f.equal("events", story(f.eventsUntil(before, revision())), []string{"created instance/i-2", "created operation/op-2"})
	})
}
