package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// reporting is a cloud with a data plane. It has nothing to say of a load
// balancer without listeners, so that there the word of a test stands.
var reporting = suite.Options{Seed: 1, DataPlane: true}

func testDataPlane(s suite.Runner) {
	s.Test("GetDataPlane/None", func(f *suite.Fixture) {
		plane := suite.Must[simcloud.DataPlane](f)(f.Control().GetDataPlane(f.Ctx))
		f.Equal("data plane", plane, simcloud.DataPlane{Listeners: []simcloud.DataPlaneListener{}})
	})
	s.TestOn("GetDataPlane/Running", reporting, func(f *suite.Fixture) {
		plane := suite.Must[simcloud.DataPlane](f)(f.Control().GetDataPlane(f.Ctx))
		f.Equal("data plane", plane, simcloud.DataPlane{Running: true, Listeners: []simcloud.DataPlaneListener{}})
	})
	s.Test("ReportTargetHealth/NoDataPlane", func(f *suite.Fixture) {
		a := f.Instance("a")
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}}})
		f.Want(f.Control().ReportTargetHealth(f.Ctx, lb.ID, a.ID, simcloud.TargetUnhealthy), simcloud.Conflict)
		f.Equal("load balancer", f.MustGetLoadBalancer(lb.ID), lb)
	})
	s.TestOn("ReportTargetHealth/Refused", reporting, func(f *suite.Fixture) {
		control, a, b := f.Control(), f.Instance("a"), f.Instance("b")
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}}})
		f.Want(control.ReportTargetHealth(f.Ctx, "lb-9", a.ID, simcloud.TargetHealthy), simcloud.NotFound)
		f.Want(control.ReportTargetHealth(f.Ctx, lb.ID, b.ID, simcloud.TargetHealthy), simcloud.NotFound)
		for _, health := range []simcloud.TargetHealth{"", "dead", simcloud.TargetDraining} {
			f.WantField(control.ReportTargetHealth(f.Ctx, lb.ID, a.ID, health), "health")
		}
		f.Equal("load balancer", f.MustGetLoadBalancer(lb.ID), lb)
	})
	s.TestOn("ReportTargetHealth/OK", reporting, testReports)
	s.TestOn("ReportTargetHealth/Snapshot", reporting, func(f *suite.Fixture) {
		a := f.Instance("a")
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}}})
		reportHealth(f, lb.ID, a.ID, simcloud.TargetUnhealthy)
		f.Save("sick")
		reportHealth(f, lb.ID, a.ID, simcloud.TargetHealthy)
		f.Load("sick")
		f.Equal("health", f.Health(lb.ID), simcloud.TargetUnhealthy)
	})
}

// testReports: a report holds while the instance runs, and is not forgotten while it does not.
func testReports(f *suite.Fixture) {
	a := f.Instance("a")
	lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}}})
	f.Equal("before anything was reported", f.Health(lb.ID), simcloud.TargetHealthy)
	f.Equal("events", f.StoryOf(func() {
		reportHealth(f, lb.ID, a.ID, simcloud.TargetUnhealthy)
		reportHealth(f, lb.ID, a.ID, simcloud.TargetUnhealthy) // nothing new
	}), []string{"updated load_balancer/lb-1"})
	f.Equal("reported", f.MustGetLoadBalancer(lb.ID).Targets, []simcloud.Target{
		{Instance: a.ID, Weight: 1, Health: simcloud.TargetUnhealthy, Reported: simcloud.TargetUnhealthy},
	})
	reportHealth(f, lb.ID, a.ID, simcloud.TargetHealthy)
	f.Equal("reported healthy", f.Health(lb.ID), simcloud.TargetHealthy)

	f.SetZone(a.Zone, simcloud.ZoneDown)
	reportHealth(f, lb.ID, a.ID, simcloud.TargetUnhealthy)
	f.Equal("its zone is down", f.Health(lb.ID), simcloud.TargetDraining)
	f.SetZone(a.Zone, simcloud.ZoneAvailable)
	f.Equal("its zone is up", f.Health(lb.ID), simcloud.TargetUnhealthy)

	reportHealth(f, lb.ID, a.ID, simcloud.TargetHealthy)
	suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, a.ID))
	f.Equal("its instance is stopped", f.Health(lb.ID), simcloud.TargetUnhealthy)
	suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StartInstance(f.Ctx, a.ID))
	f.Equal("its instance runs again", f.Health(lb.ID), simcloud.TargetHealthy)

	suite.Drop(f)(f.DeleteInstance(f.Ctx, a.ID))
	reportHealth(f, lb.ID, a.ID, simcloud.TargetHealthy)
	f.Equal("its instance is gone", f.Health(lb.ID), simcloud.TargetUnhealthy)
}

func reportHealth(f *suite.Fixture, lb, instance simcloud.ID, health simcloud.TargetHealth) {
	f.Helper()
	if err := f.Control().ReportTargetHealth(f.Ctx, lb, instance, health); err != nil {
		f.Fatalf("report %s of %s as %s: %v", instance, lb, health, err)
	}
}
