package rules

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// threeReads has operations that are complete with the third read.
var threeReads = suite.Options{Seed: 1, Progression: simcloud.Progression{Mode: simcloud.ProgressionPolls, Polls: 3}}

func testPolls(s suite.Runner) {
	s.TestOn("CreateInstance/Polls", threeReads, func(f *suite.Fixture) {
		r := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a"}))
		f.Equal("state", r.Resource.State, simcloud.InstancePending)
		f.Equal("operation", []any{r.Operation.State, r.Operation.ReadyAt}, []any{simcloud.OperationRunning, time.Time{}})
		f.Instance("b")
		f.Equal("first read", f.MustGetInstance("i-1").State, simcloud.InstancePending)
		op := suite.Must[simcloud.Operation](f)(f.GetOperation(f.Ctx, r.Operation.ID))
		f.Equal("second read", op.State, simcloud.OperationRunning)
		page := suite.Must[simcloud.Page[simcloud.Instance]](f)(f.ListInstances(f.Ctx, simcloud.ListOptions{Name: "a"}))
		f.Equal("third read", page.Items[0].State, simcloud.InstanceRunning)
		op = suite.Must[simcloud.Operation](f)(f.GetOperation(f.Ctx, r.Operation.ID))
		f.Equal("operation then", []any{op.State, op.Progress, op.Finished.IsZero()}, []any{simcloud.OperationDone, 100, false})
		f.Equal("what was not read", f.MustGetInstance("i-2").State, simcloud.InstancePending)
	})
	s.TestOn("ListInstances/PollsLeaveTheFilter", threeReads, func(f *suite.Fixture) {
		f.Instance("a")
		for read, want := range []int{1, 1, 0} {
			page := suite.Must[simcloud.Page[simcloud.Instance]](f)(f.ListInstances(f.Ctx, simcloud.ListOptions{State: "pending"}))
			if len(page.Items) != want {
				f.Errorf("read %d shows %d pending instances, want %d", read+1, len(page.Items), want)
			}
		}
	})
	s.TestOn("StopInstance/PollsLocked", threeReads, func(f *suite.Fixture) {
		f.Instance("a")
		for range 5 {
			_, err := f.StopInstance(f.Ctx, "i-1")
			f.Want(err, simcloud.Locked)
			if simcloud.RetryAfter(err) <= 0 {
				f.Errorf("%v does not say when to come back", err)
			}
		}
	})
	s.TestOn("WaitOperation/Polls", threeReads, func(f *suite.Fixture) {
		r := suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a"}))
		op := suite.Must[simcloud.Operation](f)(f.WaitOperation(f.Ctx, r.Operation.ID))
		f.Equal("operation", op.State, simcloud.OperationDone)
		f.Equal("state", f.MustGetInstance("i-1").State, simcloud.InstanceRunning)
	})
	s.TestOn("AdvanceClock/Polls", threeReads, func(f *suite.Fixture) {
		suite.Must[simcloud.ClockStatus](f)(f.Control().SetClock(f.Ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}))
		f.Instance("a")
		f.Equal("fired", len(f.Advance(time.Hour).Fired), 0)
		f.Equal("state", f.MustGetInstance("i-1").State, simcloud.InstancePending)
	})
}

// testProgressions: each kind takes its own time, from the next operation on.
func testProgressions(s suite.Runner) {
	s.Test("UpdateConfig/Progressions", func(f *suite.Fixture) {
		control := f.Control()
		suite.Must[simcloud.ClockStatus](f)(control.SetClock(f.Ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}))
		configure(f, simcloud.ConfigUpdate{
			Progression: &simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Minute)},
			Progressions: &map[simcloud.Kind]simcloud.Progression{
				simcloud.KindLoadBalancer: {Mode: simcloud.ProgressionImmediate},
				simcloud.KindVolume:       {Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Second)},
			},
		})
		f.Instance("a")
		f.Equal("load balancer", f.LoadBalancer(simcloud.LoadBalancerSpec{}).State, simcloud.LoadBalancerActive)
		volume := suite.Must[simcloud.Result[simcloud.Volume]](f)(f.CreateVolume(f.Ctx, simcloud.VolumeSpec{Name: "a", SizeGiB: 1}))
		f.Equal("volume", volume.Operation.ReadyAt.Sub(volume.Operation.Started), time.Second)
		configure(f, simcloud.ConfigUpdate{
			Progression:  &simcloud.Progression{Mode: simcloud.ProgressionImmediate},
			Progressions: &map[simcloud.Kind]simcloud.Progression{},
		})
		f.Equal("what comes later", f.Instance("b").State, simcloud.InstanceRunning)
		f.Equal("what is under way", f.MustGetInstance("i-1").State, simcloud.InstancePending)
		fired := f.Advance(time.Minute).Fired
		f.Equal("fired", len(fired), 2)
		f.Equal("in their order", []simcloud.Kind{fired[0].Resource.Kind, fired[1].Resource.Kind},
			[]simcloud.Kind{simcloud.KindVolume, simcloud.KindInstance})
		f.Equal("at their times", fired[1].Finished.Sub(fired[0].Finished), time.Minute-time.Second)
		f.Equal("and then", f.MustGetInstance("i-1").State, simcloud.InstanceRunning)
	})
}

// configure changes how the cloud behaves.
func configure(f *suite.Fixture, update simcloud.ConfigUpdate) {
	f.Helper()
	if _, err := f.Control().UpdateConfig(f.Ctx, update); err != nil {
		f.Fatalf("configure the cloud: %v", err)
	}
}
