package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// partOf makes a group part of a load balancer, or of none.
func partOf(f *suite.Fixture, group, lb simcloud.ID) (simcloud.TargetGroup, error) {
	r, err := f.UpdateTargetGroup(f.Ctx, group, simcloud.TargetGroupUpdate{PartOf: &lb})
	return r.Resource, err
}

// testTargetGroupParts: a group that is part of a load balancer is deleted with it, and no other one has it.
func testTargetGroupParts(s suite.Runner) {
	s.Test("UpdateTargetGroup/PartOf", func(f *suite.Fixture) {
		group, lb := f.TargetGroup(80).ID, f.LoadBalancer(simcloud.LoadBalancerSpec{}).ID
		got := suite.Must[simcloud.TargetGroup](f)(partOf(f, group, lb))
		f.Equal("part of, and listeners of", []simcloud.ID{got.PartOf, got.LoadBalancer}, []simcloud.ID{lb, ""})
		f.Equal("as read", suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, group)), got)
		f.Equal("again", suite.Must[simcloud.TargetGroup](f)(partOf(f, group, lb)), got)
		suite.Must[targetGroupResult](f)(f.UpdateTargetGroup(f.Ctx, group, simcloud.TargetGroupUpdate{Name: suite.Ptr("b")}))
		f.Equal("after another change", suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, group)).PartOf, lb)
		page := suite.Must[simcloud.Page[simcloud.TargetGroup]](f)(f.ListTargetGroups(f.Ctx, simcloud.ListOptions{RefersTo: simcloud.Ref(simcloud.KindLoadBalancer, lb)}))
		f.Equal("groups that refer to the load balancer", suite.IDs(page.Items), []simcloud.ID{group})
		f.Check()
		f.Equal("taken out", suite.Must[simcloud.TargetGroup](f)(partOf(f, group, "")).PartOf, simcloud.ID(""))
		suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, lb))
		suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, group))
	})
	s.Test("CreateTargetGroup/PartOf", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{}).ID
		spec := simcloud.TargetGroupSpec{Name: "a", Protocol: simcloud.ProtocolTCP, Port: 80, PartOf: lb}
		f.Equal("part of", suite.Must[targetGroupResult](f)(f.CreateTargetGroup(f.Ctx, spec)).Resource.PartOf, lb)
		f.Check()
	})
	s.Test("UpdateTargetGroup/PartOfInvalid", func(f *suite.Fixture) {
		group := f.TargetGroup(80)
		elsewhere := f.LoadBalancer(simcloud.LoadBalancerSpec{Network: f.Network("10.9.0.0/24").ID}).ID
		for _, lb := range []simcloud.ID{"lb-9", elsewhere} {
			_, err := partOf(f, group.ID, lb)
			f.WantField(err, "partOf")
			_, err = f.CreateTargetGroup(f.Ctx, simcloud.TargetGroupSpec{Name: "a", Protocol: simcloud.ProtocolTCP, Port: 80, PartOf: lb})
			f.WantField(err, "partOf")
		}
		f.Equal("afterwards", suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, group.ID)), group)
	})
	s.Test("CreateListener/TargetGroupPartOfAnother", refuseForeignParts)
	s.Test("DeleteLoadBalancer/Parts", deleteParts)
	s.Test("DeleteTargetGroup/PartOf", func(f *suite.Fixture) {
		group, lb := f.TargetGroup(80).ID, f.LoadBalancer(simcloud.LoadBalancerSpec{}).ID
		suite.Must[simcloud.TargetGroup](f)(partOf(f, group, lb))
		suite.Must[lbResult](f)(f.CreateListener(f.Ctx, lb, toGroup(simcloud.ProtocolTCP, 80, group)))
		_, err := f.DeleteTargetGroup(f.Ctx, group)
		f.Want(err, simcloud.InUse)
		suite.Must[lbResult](f)(f.DeleteListener(f.Ctx, lb, "tcp-80"))
		f.Equal("part of", suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, group)).PartOf, lb)
		suite.Drop(f)(f.DeleteTargetGroup(f.Ctx, group))
		f.Check()
	})
	s.TestSlow("DeleteLoadBalancer/PartsStayMeanwhile", func(f *suite.Fixture) {
		group, late := f.TargetGroup(80).ID, f.TargetGroup(81).ID
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{toGroup(simcloud.ProtocolTCP, 80, group)}}).ID
		suite.Must[simcloud.TargetGroup](f)(partOf(f, group, lb)) // while the load balancer is made
		f.Advance(suite.OpDuration)
		suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, lb))
		got := suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, group))
		f.Equal("while it is deleted", []simcloud.ID{got.PartOf, got.LoadBalancer}, []simcloud.ID{lb, lb})
		_, err := partOf(f, late, lb)
		f.Want(err, simcloud.Locked)
		f.Check()
		f.Advance(suite.OpDuration)
		_, err = f.GetTargetGroup(f.Ctx, group)
		f.Want(err, simcloud.NotFound)
		f.Check()
	})
}

// refuseForeignParts: neither listeners nor a change make a group one of two load balancers.
func refuseForeignParts(f *suite.Fixture) {
	group, named := f.TargetGroup(80).ID, f.TargetGroup(81).ID
	theirs := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{toGroup(simcloud.ProtocolTCP, 80, named)}}).ID
	ours := f.LoadBalancer(simcloud.LoadBalancerSpec{Name: "ours", Listeners: []simcloud.ListenerSpec{suite.TCP(80, 1)}})
	suite.Must[simcloud.TargetGroup](f)(partOf(f, group, theirs))
	_, err := f.CreateListener(f.Ctx, ours.ID, toGroup(simcloud.ProtocolTCP, 81, group))
	f.Want(err, simcloud.Conflict)
	f.WantResource(err, "target_group/"+string(group))
	_, err = f.UpdateListener(f.Ctx, ours.ID, "tcp-80", simcloud.ListenerConfig{TargetGroup: group})
	f.Want(err, simcloud.Conflict)
	_, err = f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "third", Listeners: []simcloud.ListenerSpec{toGroup(simcloud.ProtocolTCP, 80, group)}})
	f.Want(err, simcloud.Conflict)
	f.Equal("afterwards", f.MustGetLoadBalancer(ours.ID), ours)
	_, err = partOf(f, named, ours.ID) // whose listeners do not name it
	f.Want(err, simcloud.Conflict)
	suite.Must[simcloud.TargetGroup](f)(partOf(f, named, theirs))
	_, err = partOf(f, named, ours.ID)
	f.Want(err, simcloud.Conflict)
	suite.Must[lbResult](f)(f.CreateListener(f.Ctx, theirs, toGroup(simcloud.ProtocolTCP, 81, group)))
	suite.Must[lbResult](f)(f.DeleteListener(f.Ctx, theirs, "tcp-81"))
	suite.Must[simcloud.TargetGroup](f)(partOf(f, group, ours.ID)) // from one to another
	suite.Must[lbResult](f)(f.UpdateListener(f.Ctx, ours.ID, "tcp-80", simcloud.ListenerConfig{TargetGroup: group}))
	f.Check()
}

// deleteParts: the groups that are part of a load balancer are deleted with it, named by a listener or not, and no others.
func deleteParts(f *suite.Fixture) {
	unnamed, named, free := f.TargetGroup(80, suite.GroupTargetSpec(f.Instance("a").ID, 80)).ID, f.TargetGroup(81).ID, f.TargetGroup(82).ID
	lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Listeners: []simcloud.ListenerSpec{
		toGroup(simcloud.ProtocolTCP, 80, named), toGroup(simcloud.ProtocolTCP, 81, free),
	}}).ID
	for _, group := range []simcloud.ID{unnamed, named} {
		suite.Must[simcloud.TargetGroup](f)(partOf(f, group, lb))
	}
	story := f.StoryOf(func() { suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, lb)) })
	f.Equal("events", story, []string{
		"updated target_group/" + string(named), "updated target_group/" + string(free), "deleted load_balancer/" + string(lb),
		"deleted target_group/" + string(unnamed), "deleted target_group/" + string(named),
	})
	for _, group := range []simcloud.ID{unnamed, named} {
		_, err := f.GetTargetGroup(f.Ctx, group)
		f.Want(err, simcloud.NotFound)
	}
	wantGroupOf(f, free, "")
	f.Equal("target groups in use", f.Usage()[simcloud.QuotaTargetGroups], 1)
	f.Check()
}
