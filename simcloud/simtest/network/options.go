package network

import (
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// optioned is a kind of resources that keep the settings of other clouds.
type optioned struct {
	kind   string // as in the names of its operations
	create func(*suite.Fixture, map[string]string) (simcloud.ID, error)
	get    func(*suite.Fixture, simcloud.ID) (simcloud.Meta, map[string]string)
	update func(*suite.Fixture, simcloud.ID, *map[string]string) error
}

// testOptions: each kind with options keeps them as they are given, until an update replaces them all.
func testOptions(s suite.Runner) {
	for _, kind := range []optioned{optionedInstances(), optionedLoadBalancers(), optionedFloatingIPs(), optionedTargetGroups()} {
		s.Test("Create"+kind.kind+"/Options", kind.test)
		s.Test("Create"+kind.kind+"/OptionsInvalid", kind.testInvalid)
	}
	s.TestSlow("UpdateLoadBalancer/Options", func(f *suite.Fixture) {
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Options: map[string]string{"k": "v"}})
		f.Advance(suite.OpDuration)
		r := suite.Must[lbResult](f)(f.UpdateLoadBalancer(f.Ctx, lb.ID, simcloud.LoadBalancerUpdate{Options: &map[string]string{"k": "v"}}))
		f.Equal("state after equal options", r.Resource.State, simcloud.LoadBalancerActive)
		r = suite.Must[lbResult](f)(f.UpdateLoadBalancer(f.Ctx, lb.ID, simcloud.LoadBalancerUpdate{Options: &map[string]string{"k": "w"}}))
		f.Equal("state after other options", r.Resource.State, simcloud.LoadBalancerUpdating)
	})
}

func (o optioned) test(f *suite.Fixture) {
	options := map[string]string{"os.description": "A load balancer: 1, 2", "os.flavor": ""}
	id := suite.Must[simcloud.ID](f)(o.create(f, options))
	created, got := o.get(f, id)
	f.Equal("options", got, options)
	f.Want(o.update(f, id, nil), "")
	meta, got := o.get(f, id)
	f.Equal("options after an update without options", []any{meta, got}, []any{created, options})
	f.Want(o.update(f, id, &map[string]string{"os.flavor": "", "os.description": "A load balancer: 1, 2"}), "")
	meta, got = o.get(f, id)
	f.Equal("after equal options", []any{meta, got}, []any{created, options})
	f.Want(o.update(f, id, &map[string]string{"k": "v"}), "")
	meta, got = o.get(f, id)
	f.Equal("after other options", []any{meta.Version > created.Version, got}, []any{true, map[string]string{"k": "v"}})
	f.Want(o.update(f, id, &map[string]string{}), "")
	_, got = o.get(f, id)
	f.Equal("options that were removed", got, map[string]string(nil))
}

func (o optioned) testInvalid(f *suite.Fixture) {
	id := suite.Must[simcloud.ID](f)(o.create(f, nil))
	before, _ := o.get(f, id)
	for _, bad := range badOptions(32, 128) {
		_, err := o.create(f, bad.options)
		f.WantField(err, bad.field)
		f.WantField(o.update(f, id, &bad.options), bad.field)
	}
	after, options := o.get(f, id)
	f.Equal("afterwards", []any{after, options}, []any{before, map[string]string(nil)})
}

type badOption struct {
	field   string
	options map[string]string
}

// badOptions break one limit each.
func badOptions(count, key int) []badOption {
	many := map[string]string{}
	for i := range count + 1 {
		many[fmt.Sprint(i)] = ""
	}
	return []badOption{
		{"options", many},
		{"options", map[string]string{"": "v"}},
		{"options", map[string]string{strings.Repeat("k", key+1): "v"}},
		{"options", map[string]string{"\x1b": "v"}},
		{"options[k]", map[string]string{"k": strings.Repeat("v", 1025)}},
		{"options[k]", map[string]string{"k": "\x1b"}},
	}
}

func optionedInstances() optioned {
	return optioned{
		kind: "Instance",
		create: func(f *suite.Fixture, options map[string]string) (simcloud.ID, error) {
			r, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a", Options: options})
			return r.Resource.ID, err
		},
		get: func(f *suite.Fixture, id simcloud.ID) (simcloud.Meta, map[string]string) {
			i := f.MustGetInstance(id)
			return i.Meta, i.Options
		},
		update: func(f *suite.Fixture, id simcloud.ID, options *map[string]string) error {
			_, err := f.UpdateInstance(f.Ctx, id, simcloud.InstanceUpdate{Options: options})
			return err
		},
	}
}

func optionedLoadBalancers() optioned {
	return optioned{
		kind: "LoadBalancer",
		create: func(f *suite.Fixture, options map[string]string) (simcloud.ID, error) {
			r, err := f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "a", Options: options})
			return r.Resource.ID, err
		},
		get: func(f *suite.Fixture, id simcloud.ID) (simcloud.Meta, map[string]string) {
			lb := f.MustGetLoadBalancer(id)
			return lb.Meta, lb.Options
		},
		update: func(f *suite.Fixture, id simcloud.ID, options *map[string]string) error {
			_, err := f.UpdateLoadBalancer(f.Ctx, id, simcloud.LoadBalancerUpdate{Options: options})
			return err
		},
	}
}

func optionedFloatingIPs() optioned {
	return optioned{
		kind: "FloatingIP",
		create: func(f *suite.Fixture, options map[string]string) (simcloud.ID, error) {
			r, err := f.CreateFloatingIP(f.Ctx, simcloud.FloatingIPSpec{Name: "a", Options: options})
			return r.Resource.ID, err
		},
		get: func(f *suite.Fixture, id simcloud.ID) (simcloud.Meta, map[string]string) {
			fip := f.MustGetFloatingIP(id)
			return fip.Meta, fip.Options
		},
		update: func(f *suite.Fixture, id simcloud.ID, options *map[string]string) error {
			_, err := f.UpdateFloatingIP(f.Ctx, id, simcloud.FloatingIPUpdate{Options: options})
			return err
		},
	}
}

func optionedTargetGroups() optioned {
	return optioned{
		kind: "TargetGroup",
		create: func(f *suite.Fixture, options map[string]string) (simcloud.ID, error) {
			spec := simcloud.TargetGroupSpec{Name: "a", Protocol: simcloud.ProtocolTCP, Port: 80, Options: options}
			r, err := f.CreateTargetGroup(f.Ctx, spec)
			return r.Resource.ID, err
		},
		get: func(f *suite.Fixture, id simcloud.ID) (simcloud.Meta, map[string]string) {
			group := suite.Must[simcloud.TargetGroup](f)(f.GetTargetGroup(f.Ctx, id))
			return group.Meta, group.Options
		},
		update: func(f *suite.Fixture, id simcloud.ID, options *map[string]string) error {
			_, err := f.UpdateTargetGroup(f.Ctx, id, simcloud.TargetGroupUpdate{Options: options})
			return err
		},
	}
}
