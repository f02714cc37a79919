package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

// reporting is a cloud with a data plane. It has nothing to say of a load
// balancer without listeners, so that there the word of a test stands.
var reporting = Options{Seed: 1, DataPlane: true}

func testDataPlane(s suite) {
	s.run("GetDataPlane/None", func(f *fixture) {
		plane := must[simcloud.DataPlane](f)(f.control().GetDataPlane(f.ctx))
		f.equal("data plane", plane, simcloud.DataPlane{Listeners: []simcloud.DataPlaneListener{}})
	})
	s.runOn("GetDataPlane/Running", reporting, func(f *fixture) {
		plane := must[simcloud.DataPlane](f)(f.control().GetDataPlane(f.ctx))
		f.equal("data plane", plane, simcloud.DataPlane{Running: true, Listeners: []simcloud.DataPlaneListener{}})
	})
	s.run("ReportTargetHealth/NoDataPlane", func(f *fixture) {
		a := f.instance("a")
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}}})
		f.want(f.control().ReportTargetHealth(f.ctx, lb.ID, a.ID, simcloud.TargetUnhealthy), simcloud.Conflict)
		f.equal("load balancer", f.getLoadBalancer(lb.ID), lb)
	})
	s.runOn("ReportTargetHealth/Refused", reporting, func(f *fixture) {
		control, a, b := f.control(), f.instance("a"), f.instance("b")
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}}})
		f.want(control.ReportTargetHealth(f.ctx, "lb-9", a.ID, simcloud.TargetHealthy), simcloud.NotFound)
		f.want(control.ReportTargetHealth(f.ctx, lb.ID, b.ID, simcloud.TargetHealthy), simcloud.NotFound)
		for _, health := range []simcloud.TargetHealth{"", "dead", simcloud.TargetDraining} {
			f.wantField(control.ReportTargetHealth(f.ctx, lb.ID, a.ID, health), "health")
		}
		f.equal("load balancer", f.getLoadBalancer(lb.ID), lb)
	})
	s.runOn("ReportTargetHealth/OK", reporting, testReports)
	s.runOn("ReportTargetHealth/Snapshot", reporting, func(f *fixture) {
		a := f.instance("a")
		lb := f.loadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}}})
		reportHealth(f, lb.ID, a.ID, simcloud.TargetUnhealthy)
		f.save("sick")
		reportHealth(f, lb.ID, a.ID, simcloud.TargetHealthy)
		f.load("sick")
		f.equal("health", f.health(lb.ID), simcloud.TargetUnhealthy)
	})
}

// testReports: a report holds while the instance runs, and is not forgotten while it does not.
func testReports(f *fixture) {
	a := f.instance("a")
	lb := f.loadBalancer(simcloud.LoadBalancerSpec{Targets: []simcloud.TargetSpec{{Instance: a.ID}}})
	f.equal("before anything was reported", f.health(lb.ID), simcloud.TargetHealthy)
	f.equal("events", f.storyOf(func() {
		reportHealth(f, lb.ID, a.ID, simcloud.TargetUnhealthy)
		reportHealth(f, lb.ID, a.ID, simcloud.TargetUnhealthy) // nothing new
	}), []string{"updated load_balancer/lb-1"})
	f.equal("reported", f.getLoadBalancer(lb.ID).Targets, []simcloud.Target{
		{Instance: a.ID, Weight: 1, Health: simcloud.TargetUnhealthy, Reported: simcloud.TargetUnhealthy},
	})
	reportHealth(f, lb.ID, a.ID, simcloud.TargetHealthy)
	f.equal("reported healthy", f.health(lb.ID), simcloud.TargetHealthy)

	f.setZone(a.Zone, simcloud.ZoneDown)
	reportHealth(f, lb.ID, a.ID, simcloud.TargetUnhealthy)
	f.equal("its zone is down", f.health(lb.ID), simcloud.TargetDraining)
	f.setZone(a.Zone, simcloud.ZoneAvailable)
	f.equal("its zone is up", f.health(lb.ID), simcloud.TargetUnhealthy)

	reportHealth(f, lb.ID, a.ID, simcloud.TargetHealthy)
	must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, a.ID))
	f.equal("its instance is stopped", f.health(lb.ID), simcloud.TargetUnhealthy)
	must[simcloud.Result[simcloud.Instance]](f)(f.StartInstance(f.ctx, a.ID))
	f.equal("its instance runs again", f.health(lb.ID), simcloud.TargetHealthy)

	drop(f)(f.DeleteInstance(f.ctx, a.ID))
	reportHealth(f, lb.ID, a.ID, simcloud.TargetHealthy)
	f.equal("its instance is gone", f.health(lb.ID), simcloud.TargetUnhealthy)
}

func reportHealth(f *fixture, lb, instance simcloud.ID, health simcloud.TargetHealth) {
	f.Helper()
	if err := f.control().ReportTargetHealth(f.ctx, lb, instance, health); err != nil {
		f.Fatalf("report %s of %s as %s: %v", instance, lb, health, err)
	}
}
