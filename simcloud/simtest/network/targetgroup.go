package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type targetGroupResult = simcloud.Result[simcloud.TargetGroup]

func testTargetGroups(s suite.Runner) {
	s.Test("GetTargetGroup/NotFound", func(f *suite.Fixture) {
		_, err := f.GetTargetGroup(f.Ctx, "tg-1")
		f.Want(err, simcloud.NotFound)
		f.WantResource(err, "target_group/tg-1")
	})
	s.Test("CreateTargetGroup/OK", func(f *suite.Fixture) {
		a := f.Instance("a").ID
		spec := simcloud.TargetGroupSpec{
			Name: "web", Labels: map[string]string{"k": "v"}, Network: "net-1", Protocol: simcloud.ProtocolTCP, Port: 30080, ProxyProtocol: true,
			HealthCheck: &simcloud.HealthCheck{Protocol: simcloud.HealthCheckHTTP, Path: "/ok"},
			Targets:     []simcloud.GroupTargetSpec{{Instance: a}, {Instance: a, Port: 81, Weight: 7}},
			Options:     map[string]string{"aws.deregistration": "300"},
		}
		r := suite.Must[targetGroupResult](f)(f.CreateTargetGroup(f.Ctx, spec))
		f.Done(r.Operation, "CreateTargetGroup", simcloud.KindTargetGroup, "tg-1")
		g := r.Resource
		f.Equal("group", []any{g.Name, g.Labels, g.Network, g.Protocol, g.Port, g.ProxyProtocol, g.Options, g.LoadBalancer},
			[]any{"web", spec.Labels, simcloud.ID("net-1"), simcloud.ProtocolTCP, 30080, true, spec.Options, simcloud.ID("")})
		f.Equal("check", *g.HealthCheck, simcloud.HealthCheck{
			Protocol: simcloud.HealthCheckHTTP, Path: "/ok", IntervalSeconds: 5, TimeoutSeconds: 3, Threshold: 3,
		})
		f.Equal("targets", g.Targets, []simcloud.GroupTarget{groupTarget(a, 30080, 1), groupTarget(a, 81, 7)})
		f.Equal("as read", suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, "tg-1")), g)
	})
	s.Test("CreateTargetGroup/FirstNetwork", func(f *suite.Fixture) {
		f.Equal("network", f.TargetGroup(80).Network, simcloud.ID("net-1"))
	})
	s.Test("CreateTargetGroup/Invalid", refuseTargetGroups)
	s.Test("UpdateTargetGroup/OK", func(f *suite.Fixture) {
		before := f.TargetGroup(80, simcloud.GroupTargetSpec{Instance: f.Instance("a").ID})
		update := simcloud.TargetGroupUpdate{
			Name: suite.Ptr("b"), Labels: &map[string]string{"x": "y"}, ProxyProtocol: suite.Ptr(true), Options: &map[string]string{"o": "p"},
			HealthCheck: &simcloud.HealthCheck{Protocol: simcloud.HealthCheckTCP, Port: 9, Threshold: 1},
		}
		r := suite.Must[targetGroupResult](f)(f.UpdateTargetGroup(f.Ctx, before.ID, update))
		f.Done(r.Operation, "UpdateTargetGroup", simcloud.KindTargetGroup, before.ID)
		g := r.Resource
		f.Equal("group", []any{g.Name, g.Labels, g.ProxyProtocol, g.Options, g.Targets, g.Port},
			[]any{"b", *update.Labels, true, *update.Options, before.Targets, 80})
		f.Equal("check", *g.HealthCheck, simcloud.HealthCheck{Protocol: simcloud.HealthCheckTCP, Port: 9, IntervalSeconds: 5, TimeoutSeconds: 3, Threshold: 1})
		f.Equal("as read", suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, g.ID)), g)
		renamed := suite.Must[targetGroupResult](f)(f.UpdateTargetGroup(f.Ctx, g.ID, simcloud.TargetGroupUpdate{Name: suite.Ptr("c")})).Resource
		g.Name, g.Version, g.Updated = "c", renamed.Version, renamed.Updated
		f.Equal("with another name alone", renamed, g)
		_, err := f.UpdateTargetGroup(f.Ctx, g.ID, simcloud.TargetGroupUpdate{HealthCheck: &simcloud.HealthCheck{Protocol: "icmp", Port: -1}})
		f.WantField(err, "healthCheck.protocol")
		f.WantField(err, "healthCheck.port")
	})
	s.Test("UpdateTargetGroup/ProxyProtocolOfUDP", func(f *suite.Fixture) {
		spec := simcloud.TargetGroupSpec{Name: "a", Protocol: simcloud.ProtocolUDP, Port: 53}
		id := suite.Must[targetGroupResult](f)(f.CreateTargetGroup(f.Ctx, spec)).Resource.ID
		_, err := f.UpdateTargetGroup(f.Ctx, id, simcloud.TargetGroupUpdate{ProxyProtocol: suite.Ptr(true)})
		f.WantField(err, "proxyProtocol")
	})
	s.Test("DeleteTargetGroup/OK", func(f *suite.Fixture) {
		id := f.TargetGroup(80, simcloud.GroupTargetSpec{Instance: f.Instance("a").ID}).ID
		op := suite.Must[simcloud.Operation](f)(f.DeleteTargetGroup(f.Ctx, id))
		f.Done(op, "DeleteTargetGroup", simcloud.KindTargetGroup, id)
		_, err := f.GetTargetGroup(f.Ctx, id)
		f.Want(err, simcloud.NotFound)
		f.Equal("the next id", f.TargetGroup(80).ID, simcloud.ID("tg-2"))
	})
	s.Test("DeleteNetwork/HasTargetGroup", func(f *suite.Fixture) {
		network := f.Network("10.9.0.0/24").ID
		spec := simcloud.TargetGroupSpec{Name: "a", Network: network, Protocol: simcloud.ProtocolTCP, Port: 80}
		id := suite.Must[targetGroupResult](f)(f.CreateTargetGroup(f.Ctx, spec)).Resource.ID
		_, err := f.DeleteNetwork(f.Ctx, network)
		f.Want(err, simcloud.InUse)
		suite.Drop(f)(f.DeleteTargetGroup(f.Ctx, id))
		suite.Drop(f)(f.DeleteNetwork(f.Ctx, network))
	})
}

// groupTarget is a target whose instance runs, and of which nothing was reported.
func groupTarget(instance simcloud.ID, port, weight int) simcloud.GroupTarget {
	return simcloud.GroupTarget{
		GroupTargetSpec: simcloud.GroupTargetSpec{Instance: instance, Port: port, Weight: weight}, Health: simcloud.TargetHealthy,
	}
}

// refuseTargetGroups: each field of a group is checked.
func refuseTargetGroups(f *suite.Fixture) {
	a := f.Instance("a").ID
	elsewhere := f.InstanceOf(simcloud.InstanceSpec{Name: "b", Network: f.Network("10.9.0.0/24").ID}).ID
	for field, edit := range map[string]func(*simcloud.TargetGroupSpec){
		"name":                 func(s *simcloud.TargetGroupSpec) { s.Name = "a b" },
		"network":              func(s *simcloud.TargetGroupSpec) { s.Network = "net-9" },
		"protocol":             func(s *simcloud.TargetGroupSpec) { s.Protocol = "" },
		"port":                 func(s *simcloud.TargetGroupSpec) { s.Port = 0 },
		"proxyProtocol":        func(s *simcloud.TargetGroupSpec) { s.Protocol, s.ProxyProtocol = simcloud.ProtocolUDP, true },
		"healthCheck.path":     func(s *simcloud.TargetGroupSpec) { s.HealthCheck.Path = "/" },
		"healthCheck.port":     func(s *simcloud.TargetGroupSpec) { s.HealthCheck.Port = 65536 },
		"healthCheck.protocol": func(s *simcloud.TargetGroupSpec) { s.HealthCheck.Protocol = "udp" },
		"targets[0].instance":  func(s *simcloud.TargetGroupSpec) { s.Targets[0].Instance = "" },
		"targets[1].instance":  func(s *simcloud.TargetGroupSpec) { s.Targets[1] = simcloud.GroupTargetSpec{Instance: a, Port: 80} },
		"targets[1].port":      func(s *simcloud.TargetGroupSpec) { s.Targets[1].Port = -1 },
		"targets[1].weight":    func(s *simcloud.TargetGroupSpec) { s.Targets[1].Weight = -1 },
	} {
		spec := simcloud.TargetGroupSpec{
			Name: "a", Protocol: simcloud.ProtocolTCP, Port: 80, HealthCheck: &simcloud.HealthCheck{Protocol: simcloud.HealthCheckTCP},
			Targets: []simcloud.GroupTargetSpec{{Instance: a}, {Instance: a, Port: 81}},
		}
		edit(&spec)
		_, err := f.CreateTargetGroup(f.Ctx, spec)
		f.WantField(err, field)
	}
	for _, unfit := range []simcloud.ID{"i-9", elsewhere} {
		_, err := f.CreateTargetGroup(f.Ctx, simcloud.TargetGroupSpec{
			Name: "a", Protocol: simcloud.ProtocolTCP, Port: 80, Targets: []simcloud.GroupTargetSpec{{Instance: a}, {Instance: unfit}},
		})
		f.WantField(err, "targets[1].instance")
	}
}

func addGroupTargets(f *suite.Fixture, id simcloud.ID, targets ...simcloud.GroupTargetSpec) error {
	_, err := f.AddGroupTargets(f.Ctx, id, simcloud.GroupTargets{Targets: targets})
	return err
}

func removeGroupTargets(f *suite.Fixture, id simcloud.ID, targets ...simcloud.GroupTargetSpec) (simcloud.TargetGroup, error) {
	r, err := f.RemoveGroupTargets(f.Ctx, id, simcloud.GroupTargets{Targets: targets})
	return r.Resource, err
}

// testNoHealthCheck: a check is taken away.
func testNoHealthCheck(f *suite.Fixture) {
	id := f.TargetGroup(80).ID
	check := &simcloud.HealthCheck{Protocol: simcloud.HealthCheckTCP}
	checked := suite.Must[targetGroupResult](f)(f.UpdateTargetGroup(f.Ctx, id, simcloud.TargetGroupUpdate{HealthCheck: check})).Resource
	f.Equal("the check's protocol", checked.HealthCheck.Protocol, check.Protocol)
	_, err := f.UpdateTargetGroup(f.Ctx, id, simcloud.TargetGroupUpdate{HealthCheck: check, NoHealthCheck: true})
	f.WantField(err, "noHealthCheck")
	plain := suite.Must[targetGroupResult](f)(f.UpdateTargetGroup(f.Ctx, id, simcloud.TargetGroupUpdate{NoHealthCheck: true})).Resource
	f.Equal("whether it has a check", plain.HealthCheck != nil, false)
}

// testReplaceGroupTargets: targets that stay keep their health, and a list is taken whole or not at all.
func testReplaceGroupTargets(f *suite.Fixture) {
	a, b, c := f.Instance("a").ID, f.Instance("b").ID, f.Instance("c").ID
	id := f.TargetGroup(80, simcloud.GroupTargetSpec{Instance: a}, simcloud.GroupTargetSpec{Instance: b}).ID
	suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, b))
	replace := func(targets ...simcloud.GroupTargetSpec) (simcloud.TargetGroup, error) {
		r, err := f.UpdateTargetGroup(f.Ctx, id, simcloud.TargetGroupUpdate{Targets: &targets})
		return r.Resource, err
	}
	gone := groupTarget(b, 80, 7)
	gone.Health = simcloud.TargetUnhealthy
	want := []simcloud.GroupTarget{groupTarget(c, 81, 1), gone}
	replaced := suite.Must[simcloud.TargetGroup](f)(replace(simcloud.GroupTargetSpec{Instance: c, Port: 81}, simcloud.GroupTargetSpec{Instance: b, Weight: 7}))
	f.Equal("targets", replaced.Targets, want)
	_, err := replace(simcloud.GroupTargetSpec{Instance: c}, simcloud.GroupTargetSpec{Instance: "i-9"})
	f.WantField(err, "targets[1].instance")
	_, err = replace(simcloud.GroupTargetSpec{Instance: c, Port: 81}, simcloud.GroupTargetSpec{Instance: c, Port: 81})
	f.WantField(err, "targets[1].instance")
	_, err = replace(simcloud.GroupTargetSpec{Instance: c}, simcloud.GroupTargetSpec{Instance: c, Port: 80})
	f.Want(err, simcloud.AlreadyExists)
	_, err = replace(simcloud.GroupTargetSpec{Instance: b}, simcloud.GroupTargetSpec{Instance: b, Port: 80})
	f.Want(err, simcloud.AlreadyExists)
	f.Equal("afterwards", suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, id)).Targets, want)
	f.Equal("without any", len(suite.Must[simcloud.TargetGroup](f)(replace()).Targets), 0)
}

func testGroupTargets(s suite.Runner) {
	s.Test("AddGroupTargets/OK", func(f *suite.Fixture) {
		a, b := f.Instance("a").ID, f.Instance("b").ID
		id := f.TargetGroup(80, simcloud.GroupTargetSpec{Instance: a}).ID
		r := suite.Must[targetGroupResult](f)(f.AddGroupTargets(f.Ctx, id, simcloud.GroupTargets{
			Targets: []simcloud.GroupTargetSpec{{Instance: a, Port: 81}, {Instance: b, Weight: 2}},
		}))
		f.Done(r.Operation, "AddGroupTargets", simcloud.KindTargetGroup, id)
		f.Equal("targets", r.Resource.Targets, []simcloud.GroupTarget{groupTarget(a, 80, 1), groupTarget(a, 81, 1), groupTarget(b, 80, 2)})
		f.Equal("as read", suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, id)), r.Resource)
	})
	s.Test("AddGroupTargets/Options", testGroupTargetOptions)
	s.Test("AddGroupTargets/AllOrNone", func(f *suite.Fixture) {
		a, b := f.Instance("a").ID, f.Instance("b").ID
		before := f.TargetGroup(80, simcloud.GroupTargetSpec{Instance: a})
		for _, taken := range []simcloud.GroupTargetSpec{{Instance: a}, {Instance: a, Port: 80}, {Instance: b, Port: 80}} {
			err := addGroupTargets(f, before.ID, simcloud.GroupTargetSpec{Instance: b}, taken)
			f.Want(err, simcloud.AlreadyExists)
			f.WantResource(err, "target_group/"+string(before.ID))
		}
		err := addGroupTargets(f, before.ID, simcloud.GroupTargetSpec{Instance: b}, simcloud.GroupTargetSpec{Instance: "i-9"})
		f.WantField(err, "targets[1].instance")
		err = addGroupTargets(f, before.ID, simcloud.GroupTargetSpec{Instance: b}, simcloud.GroupTargetSpec{Instance: b})
		f.WantField(err, "targets[1].instance")
		err = addGroupTargets(f, before.ID)
		f.WantField(err, "targets")
		f.Equal("afterwards", suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, before.ID)), before)
	})
	s.Test("UpdateTargetGroup/Targets", testReplaceGroupTargets)
	s.Test("UpdateTargetGroup/NoHealthCheck", testNoHealthCheck)
	s.Test("RemoveGroupTargets/OK", func(f *suite.Fixture) {
		a, b := f.Instance("a").ID, f.Instance("b").ID
		id := f.TargetGroup(80, simcloud.GroupTargetSpec{Instance: a}, simcloud.GroupTargetSpec{Instance: a, Port: 81}, simcloud.GroupTargetSpec{Instance: b}).ID
		r := suite.Must[targetGroupResult](f)(f.RemoveGroupTargets(f.Ctx, id, simcloud.GroupTargets{
			Targets: []simcloud.GroupTargetSpec{{Instance: b, Port: 80}, {Instance: a}},
		}))
		f.Done(r.Operation, "RemoveGroupTargets", simcloud.KindTargetGroup, id)
		f.Equal("targets", r.Resource.Targets, []simcloud.GroupTarget{groupTarget(a, 81, 1)})
	})
	s.Test("RemoveGroupTargets/AllOrNone", func(f *suite.Fixture) {
		a, b := f.Instance("a").ID, f.Instance("b").ID
		before := f.TargetGroup(80, simcloud.GroupTargetSpec{Instance: a})
		for _, unknown := range []simcloud.GroupTargetSpec{{Instance: b}, {Instance: a, Port: 81}, {Instance: a, Port: 80}} {
			_, err := removeGroupTargets(f, before.ID, simcloud.GroupTargetSpec{Instance: a}, unknown)
			f.Want(err, simcloud.NotFound)
			f.WantResource(err, "target_group/"+string(before.ID))
		}
		_, err := removeGroupTargets(f, before.ID)
		f.WantField(err, "targets")
		f.Equal("afterwards", suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, before.ID)), before)
	})
	s.Test("DeleteInstance/IsGroupTarget", func(f *suite.Fixture) {
		a := f.Instance("a").ID
		id := f.TargetGroup(80, simcloud.GroupTargetSpec{Instance: a}).ID
		health := func() simcloud.TargetHealth {
			return suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, id)).Targets[0].Health
		}
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, a))
		f.Equal("of a stopped instance", health(), simcloud.TargetUnhealthy)
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StartInstance(f.Ctx, a))
		f.Equal("of a running instance", health(), simcloud.TargetHealthy)
		suite.Drop(f)(f.DeleteInstance(f.Ctx, a))
		f.Equal("of a deleted instance", health(), simcloud.TargetUnhealthy)
		group := suite.Must[simcloud.TargetGroup](f)(removeGroupTargets(f, id, simcloud.GroupTargetSpec{Instance: a}))
		f.Equal("targets", len(group.Targets), 0)
	})
	s.TestOn("ReportGroupTargetHealth/OK", reporting, testGroupReports)
	s.Test("ReportGroupTargetHealth/NoDataPlane", func(f *suite.Fixture) {
		a := f.Instance("a").ID
		group := f.TargetGroup(80, simcloud.GroupTargetSpec{Instance: a})
		f.Want(f.Control().ReportGroupTargetHealth(f.Ctx, group.ID, a, 80, simcloud.TargetUnhealthy), simcloud.Conflict)
		f.Equal("group", suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, group.ID)), group)
	})
}

// testGroupReports: a report is for one port of an instance, and holds while the instance runs.
func testGroupReports(f *suite.Fixture) {
	control, a := f.Control(), f.Instance("a").ID
	id := f.TargetGroup(80, simcloud.GroupTargetSpec{Instance: a}, simcloud.GroupTargetSpec{Instance: a, Port: 81}).ID
	report := func(port int, health simcloud.TargetHealth) {
		f.Helper()
		if err := control.ReportGroupTargetHealth(f.Ctx, id, a, port, health); err != nil {
			f.Fatalf("report port %d as %s: %v", port, health, err)
		}
	}
	health := func() (all []simcloud.TargetHealth) {
		for _, target := range suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, id)).Targets {
			all = append(all, target.Health)
		}
		return all
	}
	f.Equal("events", f.StoryOf(func() {
		report(81, simcloud.TargetUnhealthy)
		report(81, simcloud.TargetUnhealthy) // nothing new
	}), []string{"updated target_group/tg-1"})
	f.Equal("reported", health(), []simcloud.TargetHealth{simcloud.TargetHealthy, simcloud.TargetUnhealthy})
	report(80, simcloud.TargetHealthy)
	suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, a))
	f.Equal("its instance is stopped", health(), []simcloud.TargetHealth{simcloud.TargetUnhealthy, simcloud.TargetUnhealthy})
	suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StartInstance(f.Ctx, a))
	f.Equal("its instance runs again", health(), []simcloud.TargetHealth{simcloud.TargetHealthy, simcloud.TargetUnhealthy})

	f.Want(control.ReportGroupTargetHealth(f.Ctx, "tg-9", a, 80, simcloud.TargetHealthy), simcloud.NotFound)
	f.Want(control.ReportGroupTargetHealth(f.Ctx, id, a, 82, simcloud.TargetHealthy), simcloud.NotFound)
	f.Want(control.ReportGroupTargetHealth(f.Ctx, id, "i-9", 80, simcloud.TargetHealthy), simcloud.NotFound)
	f.WantField(control.ReportGroupTargetHealth(f.Ctx, id, a, 80, simcloud.TargetDraining), "health")
}

// testGroupTargetOptions: the targets of a group keep the settings of other clouds, which do not tell targets apart.
func testGroupTargetOptions(f *suite.Fixture) {
	a, b := f.Instance("a").ID, f.Instance("b").ID
	options := map[string]string{"os.backup": "true", "os.name": "member: 1"}
	id := f.TargetGroup(80, simcloud.GroupTargetSpec{Instance: a, Options: options}).ID
	f.Want(addGroupTargets(f, id, simcloud.GroupTargetSpec{Instance: b, Options: map[string]string{}}), "")
	first := groupTarget(a, 80, 1)
	first.Options = options
	before := suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, id))
	f.Equal("targets", before.Targets, []simcloud.GroupTarget{first, groupTarget(b, 80, 1)})
	f.Want(addGroupTargets(f, id, simcloud.GroupTargetSpec{Instance: a, Options: map[string]string{"k": "v"}}), simcloud.AlreadyExists)
	err := addGroupTargets(f, id, simcloud.GroupTargetSpec{Instance: a, Port: 81}, simcloud.GroupTargetSpec{Instance: a, Port: 81, Options: options})
	f.WantField(err, "targets[1].instance")
	for _, bad := range badOptions(8, 64) {
		f.WantField(addGroupTargets(f, id, simcloud.GroupTargetSpec{Instance: a, Port: 81, Options: bad.options}), "targets[0]."+bad.field)
	}
	f.Equal("afterwards", suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, id)), before)
	group := suite.Must[simcloud.TargetGroup](f)(removeGroupTargets(f, id, simcloud.GroupTargetSpec{Instance: a, Options: map[string]string{"k": "v"}}))
	f.Equal("without the first", group.Targets, []simcloud.GroupTarget{groupTarget(b, 80, 1)})
}
