package rules

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// testConsistency: what is read may be behind; what is written is not lost for it.
func testConsistency(s suite.Runner) {
	runBehind(s, "UpdateConfig/StaleLists", simcloud.Consistency{StaleLists: aMinute}, func(f *suite.Fixture, old simcloud.Instance) {
		gone, kept, fresh := changeInstances(f, old)
		f.Equal("list", listInstances(f), []simcloud.Instance{old, gone})
		f.Equal("list of what is now", listed(f, simcloud.ListOptions{Selector: "is=new"}), []simcloud.Instance{})
		f.Equal("list of what was", listed(f, simcloud.ListOptions{Name: old.Name}), []simcloud.Instance{old})
		f.Equal("gets are not behind", []simcloud.Instance{f.MustGetInstance(kept.ID), f.MustGetInstance(fresh.ID)}, []simcloud.Instance{kept, fresh})
		_, err := f.GetInstance(f.Ctx, gone.ID)
		f.Want(err, simcloud.NotFound)
		f.Advance(time.Duration(aMinute))
		f.Equal("list after a minute", listInstances(f), []simcloud.Instance{kept, fresh})
	})
	runBehind(s, "UpdateConfig/StaleGets", simcloud.Consistency{StaleGets: aMinute}, func(f *suite.Fixture, old simcloud.Instance) {
		gone, kept, fresh := changeInstances(f, old)
		f.Equal("what has changed", f.MustGetInstance(old.ID), old)
		f.Equal("what is gone", f.MustGetInstance(gone.ID), gone)
		_, err := f.GetInstance(f.Ctx, fresh.ID)
		f.Want(err, simcloud.NotFound)
		f.Equal("lists are not behind", listInstances(f), []simcloud.Instance{kept, fresh})
		f.Advance(time.Duration(aMinute))
		f.Equal("after a minute", f.MustGetInstance(fresh.ID), fresh)
	})
	runBehind(s, "UpdateConfig/HideNew", simcloud.Consistency{HideNew: aMinute}, func(f *suite.Fixture, old simcloud.Instance) {
		_, kept, fresh := changeInstances(f, old)
		f.Equal("list", listInstances(f), []simcloud.Instance{kept})
		_, err := f.GetInstance(f.Ctx, fresh.ID)
		f.Want(err, simcloud.NotFound)
		f.Advance(time.Duration(aMinute))
		f.Equal("list after a minute", listInstances(f), []simcloud.Instance{kept, fresh})
	})
	testBehindPages(s)
	testBehindWrites(s)
}

const aMinute = simcloud.Duration(time.Minute)

// runBehind is a subtest on a cloud with a manual clock that has had an
// instance for an hour, and whose reads are behind from now on.
func runBehind(s suite.Runner, name string, consistency simcloud.Consistency, fn func(*suite.Fixture, simcloud.Instance)) {
	s.Test(name, func(f *suite.Fixture) {
		suite.Must[simcloud.ClockStatus](f)(f.Control().SetClock(f.Ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}))
		old := f.Instance("old")
		f.Advance(time.Hour)
		configure(f, simcloud.ConfigUpdate{Consistency: &consistency})
		fn(f, old)
	})
}

// changeInstances deletes an instance that has been there for two minutes,
// changes another one and makes a third.
func changeInstances(f *suite.Fixture, old simcloud.Instance) (gone, kept, fresh simcloud.Instance) {
	f.Helper()
	gone = f.Instance("gone")
	f.Advance(2 * time.Minute)
	suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, gone.ID))
	kept = suite.Must[simcloud.Result[simcloud.Instance]](f)(f.UpdateInstance(f.Ctx, old.ID, simcloud.InstanceUpdate{
		Name: suite.Ptr("kept"), Labels: &map[string]string{"is": "new"},
	})).Resource
	return gone, kept, f.Instance("fresh")
}

func listInstances(f *suite.Fixture) []simcloud.Instance { return listed(f, simcloud.ListOptions{}) }

func listed(f *suite.Fixture, opts simcloud.ListOptions) []simcloud.Instance {
	f.Helper()
	return suite.Must[simcloud.Page[simcloud.Instance]](f)(f.ListInstances(f.Ctx, opts)).Items
}

// testBehindPages: a list that is behind has pages and a revision like any other.
func testBehindPages(s suite.Runner) {
	runBehind(s, "ListInstances/Behind", simcloud.Consistency{StaleLists: aMinute}, func(f *suite.Fixture, old simcloud.Instance) {
		want := []simcloud.ID{old.ID}
		for range 4 {
			want = append(want, f.Instance("a").ID)
		}
		f.Advance(2 * time.Minute)
		revision := f.Revision()
		suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, want[2]))
		suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, want[4]))
		f.Instance("b")
		var got []simcloud.ID
		opts := simcloud.ListOptions{PageSize: 2}
		for more := true; more; more = opts.PageToken != "" {
			page := suite.Must[simcloud.Page[simcloud.Instance]](f)(f.ListInstances(f.Ctx, opts))
			f.Equal("revision", page.Revision, revision)
			got, opts.PageToken = append(got, suite.IDs(page.Items)...), page.NextPage
		}
		f.Equal("the pages together", got, want)
	})
}

// testBehindWrites: who changes something changes what there is, seen or not.
func testBehindWrites(s suite.Runner) {
	all := simcloud.Consistency{StaleLists: aMinute, StaleGets: aMinute, HideNew: aMinute}
	runBehind(s, "UpdateInstance/Behind", all, func(f *suite.Fixture, old simcloud.Instance) {
		update := func(name string, opts ...simcloud.CallOption) (simcloud.Instance, error) {
			r, err := f.UpdateInstance(f.Ctx, old.ID, simcloud.InstanceUpdate{Name: &name}, opts...)
			return r.Resource, err
		}
		changed := suite.Must[simcloud.Instance](f)(update("new"))
		_, err := update("newer", simcloud.IfVersion(f.MustGetInstance(old.ID).Version))
		f.Want(err, simcloud.Conflict)
		f.Equal("seen", f.MustGetInstance(old.ID).Name, "old")
		newer := suite.Must[simcloud.Instance](f)(update("newer", simcloud.IfVersion(changed.Version)))
		f.Equal("state", suite.Must[simcloud.State](f)(f.Control().GetState(f.Ctx)).Instances, []simcloud.Instance{newer})
	})
	runBehind(s, "DeleteInstance/Behind", all, func(f *suite.Fixture, _ simcloud.Instance) {
		hidden := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "hidden"}))
		f.Equal("operation", suite.Must[simcloud.Operation](f)(f.WaitOperation(f.Ctx, hidden.Operation.ID)), hidden.Operation)
		_, err := f.GetInstance(f.Ctx, hidden.Resource.ID)
		f.Want(err, simcloud.NotFound)
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: hidden.Resource.ID}}})
		f.Equal("target", lb.Targets[0].Health, simcloud.TargetHealthy)
		suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, hidden.Resource.ID))
		_, err = f.DeleteInstance(f.Ctx, hidden.Resource.ID)
		f.Want(err, simcloud.NotFound)
	})
	runBehind(s, "WatchEvents/Behind", all, func(f *suite.Fixture, _ simcloud.Instance) {
		revision := func() uint64 { return suite.Must[simcloud.State](f)(f.Control().GetState(f.Ctx)).Revision }
		before := revision()
		f.Instance("a")
		f.Equal("events", suite.Story(f.EventsUntil(before, revision())), []string{"created instance/i-2", "created operation/op-2"})
	})
}
