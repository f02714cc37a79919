package simtest

import (
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// threeReads has operations that are complete with the third read.
var threeReads = Options{Seed: 1, Progression: simcloud.Progression{Mode: simcloud.ProgressionPolls, Polls: 3}}

func testPolls(s suite) {
	s.runOn("CreateInstance/Polls", threeReads, func(f *fixture) {
		r := must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"}))
		f.equal("state", r.Resource.State, simcloud.InstancePending)
		f.equal("operation", []any{r.Operation.State, r.Operation.ReadyAt}, []any{simcloud.OperationRunning, time.Time{}})
		f.instance("b")
		f.equal("first read", f.getInstance("i-1").State, simcloud.InstancePending)
		op := must[simcloud.Operation](f)(f.GetOperation(f.ctx, r.Operation.ID))
		f.equal("second read", op.State, simcloud.OperationRunning)
		page := must[simcloud.Page[simcloud.Instance]](f)(f.ListInstances(f.ctx, simcloud.ListOptions{Name: "a"}))
		f.equal("third read", page.Items[0].State, simcloud.InstanceRunning)
		op = must[simcloud.Operation](f)(f.GetOperation(f.ctx, r.Operation.ID))
		f.equal("operation then", []any{op.State, op.Progress, op.Finished.IsZero()}, []any{simcloud.OperationDone, 100, false})
		f.equal("what was not read", f.getInstance("i-2").State, simcloud.InstancePending)
	})
	s.runOn("ListInstances/PollsLeaveTheFilter", threeReads, func(f *fixture) {
		f.instance("a")
		for read, want := range []int{1, 1, 0} {
			page := must[simcloud.Page[simcloud.Instance]](f)(f.ListInstances(f.ctx, simcloud.ListOptions{State: "pending"}))
			if len(page.Items) != want {
				f.Errorf("read %d shows %d pending instances, want %d", read+1, len(page.Items), want)
			}
		}
	})
	s.runOn("StopInstance/PollsLocked", threeReads, func(f *fixture) {
		f.instance("a")
		for range 5 {
			_, err := f.StopInstance(f.ctx, "i-1")
			f.want(err, simcloud.Locked)
			if simcloud.RetryAfter(err) <= 0 {
				f.Errorf("%v does not say when to come back", err)
			}
		}
	})
	s.runOn("WaitOperation/Polls", threeReads, func(f *fixture) {
		r := must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"}))
		op := must[simcloud.Operation](f)(f.WaitOperation(f.ctx, r.Operation.ID))
		f.equal("operation", op.State, simcloud.OperationDone)
		f.equal("state", f.getInstance("i-1").State, simcloud.InstanceRunning)
	})
	s.runOn("AdvanceClock/Polls", threeReads, func(f *fixture) {
		must[simcloud.ClockStatus](f)(f.control().SetClock(f.ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}))
		f.instance("a")
		f.equal("fired", len(f.advance(time.Hour).Fired), 0)
		f.equal("state", f.getInstance("i-1").State, simcloud.InstancePending)
	})
}

// testProgressions: each kind takes its own time, from the next operation on.
func testProgressions(s suite) {
	s.run("UpdateConfig/Progressions", func(f *fixture) {
		control := f.control()
		must[simcloud.ClockStatus](f)(control.SetClock(f.ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}))
		configure(f, simcloud.ConfigUpdate{
			Progression: &simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Minute)},
			Progressions: &map[simcloud.Kind]simcloud.Progression{
				simcloud.KindLoadBalancer: {Mode: simcloud.ProgressionImmediate},
				simcloud.KindVolume:       {Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(time.Second)},
			},
		})
		f.instance("a")
		f.equal("load balancer", f.loadBalancer(simcloud.LoadBalancerSpec{}).State, simcloud.LoadBalancerActive)
		volume := must[simcloud.Result[simcloud.Volume]](f)(f.CreateVolume(f.ctx, simcloud.VolumeSpec{Name: "a", SizeGiB: 1}))
		f.equal("volume", volume.Operation.ReadyAt.Sub(volume.Operation.Started), time.Second)
		configure(f, simcloud.ConfigUpdate{
			Progression:  &simcloud.Progression{Mode: simcloud.ProgressionImmediate},
			Progressions: &map[simcloud.Kind]simcloud.Progression{},
		})
		f.equal("what comes later", f.instance("b").State, simcloud.InstanceRunning)
		f.equal("what is under way", f.getInstance("i-1").State, simcloud.InstancePending)
		fired := f.advance(time.Minute).Fired
		f.equal("fired", len(fired), 2)
		f.equal("in their order", []simcloud.Kind{fired[0].Resource.Kind, fired[1].Resource.Kind},
			[]simcloud.Kind{simcloud.KindVolume, simcloud.KindInstance})
		f.equal("at their times", fired[1].Finished.Sub(fired[0].Finished), time.Minute-time.Second)
		f.equal("and then", f.getInstance("i-1").State, simcloud.InstanceRunning)
	})
}

// configure changes how the cloud behaves.
func configure(f *fixture, update simcloud.ConfigUpdate) {
	f.Helper()
	if _, err := f.control().UpdateConfig(f.ctx, update); err != nil {
		f.Fatalf("configure the cloud: %v", err)
	}
}
