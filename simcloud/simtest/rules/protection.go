package rules

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// protectable is a kind of which a resource can be protected from deletion.
type protectable struct {
	kind    string
	create  func(*suite.Fixture) simcloud.Meta // one that is protected
	protect func(*suite.Fixture, simcloud.ID, bool) (simcloud.Meta, error)
	remove  func(*suite.Fixture, simcloud.ID) error
	there   func(*suite.Fixture, simcloud.ID) bool
}

func protectables() []protectable {
	return []protectable{
		{
			"Instance",
			func(f *suite.Fixture) simcloud.Meta {
				spec := simcloud.InstanceSpec{Name: "a", Protected: true}
				return suite.Must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.Ctx, spec)).Resource.Meta
			},
			func(f *suite.Fixture, id simcloud.ID, on bool) (simcloud.Meta, error) {
				res, err := f.UpdateInstance(f.Ctx, id, simcloud.InstanceUpdate{Protected: &on})
				return res.Resource.Meta, err
			},
			func(f *suite.Fixture, id simcloud.ID) error { _, err := f.DeleteInstance(f.Ctx, id); return err },
			func(f *suite.Fixture, id simcloud.ID) bool { _, err := f.GetInstance(f.Ctx, id); return err == nil },
		},
		{
			"Volume",
			func(f *suite.Fixture) simcloud.Meta {
				spec := simcloud.VolumeSpec{Name: "a", SizeGiB: 1, Protected: true}
				return suite.Must[simcloud.Result[simcloud.Volume]](f)(f.CreateVolume(f.Ctx, spec)).Resource.Meta
			},
			func(f *suite.Fixture, id simcloud.ID, on bool) (simcloud.Meta, error) {
				res, err := f.UpdateVolume(f.Ctx, id, simcloud.VolumeUpdate{Protected: &on})
				return res.Resource.Meta, err
			},
			func(f *suite.Fixture, id simcloud.ID) error { _, err := f.DeleteVolume(f.Ctx, id); return err },
			func(f *suite.Fixture, id simcloud.ID) bool { _, err := f.GetVolume(f.Ctx, id); return err == nil },
		},
		{
			"LoadBalancer",
			func(f *suite.Fixture) simcloud.Meta {
				return f.LoadBalancer(simcloud.LoadBalancerSpec{Protected: true}).Meta
			},
			func(f *suite.Fixture, id simcloud.ID, on bool) (simcloud.Meta, error) {
				res, err := f.UpdateLoadBalancer(f.Ctx, id, simcloud.LoadBalancerUpdate{Protected: &on})
				return res.Resource.Meta, err
			},
			func(f *suite.Fixture, id simcloud.ID) error { _, err := f.DeleteLoadBalancer(f.Ctx, id); return err },
			func(f *suite.Fixture, id simcloud.ID) bool { _, err := f.GetLoadBalancer(f.Ctx, id); return err == nil },
		},
		{
			"Network",
			func(f *suite.Fixture) simcloud.Meta {
				spec := simcloud.NetworkSpec{Name: "a", CIDRs: []string{"10.9.0.0/24"}, Protected: true}
				return suite.Must[simcloud.Result[simcloud.Network]](f)(f.CreateNetwork(f.Ctx, spec)).Resource.Meta
			},
			func(f *suite.Fixture, id simcloud.ID, on bool) (simcloud.Meta, error) {
				res, err := f.UpdateNetwork(f.Ctx, id, simcloud.NetworkUpdate{Protected: &on})
				return res.Resource.Meta, err
			},
			func(f *suite.Fixture, id simcloud.ID) error { _, err := f.DeleteNetwork(f.Ctx, id); return err },
			func(f *suite.Fixture, id simcloud.ID) bool { _, err := f.GetNetwork(f.Ctx, id); return err == nil },
		},
		{
			"FloatingIP",
			func(f *suite.Fixture) simcloud.Meta {
				return f.FloatingIP(simcloud.FloatingIPSpec{Protected: true}).Meta
			},
			func(f *suite.Fixture, id simcloud.ID, on bool) (simcloud.Meta, error) {
				res, err := f.UpdateFloatingIP(f.Ctx, id, simcloud.FloatingIPUpdate{Protected: &on})
				return res.Resource.Meta, err
			},
			func(f *suite.Fixture, id simcloud.ID) error { _, err := f.DeleteFloatingIP(f.Ctx, id); return err },
			func(f *suite.Fixture, id simcloud.ID) bool { _, err := f.GetFloatingIP(f.Ctx, id); return err == nil },
		},
	}
}

func testProtection(s suite.Runner) {
	for _, p := range protectables() {
		s.Test("Delete"+p.kind+"/Protected", func(f *suite.Fixture) {
			made := p.create(f)
			f.Equal("protected", made.Protected, true)
			f.Want(p.remove(f, made.ID), simcloud.Protected)
			f.Equal("still there", p.there(f, made.ID), true)
			f.Equal("unprotected", suite.Must[simcloud.Meta](f)(p.protect(f, made.ID, false)).Protected, false)
			f.Equal("protected again", suite.Must[simcloud.Meta](f)(p.protect(f, made.ID, true)).Protected, true)
			f.Want(p.remove(f, made.ID), simcloud.Protected)
			suite.Must[simcloud.Meta](f)(p.protect(f, made.ID, false))
			f.Want(p.remove(f, made.ID), "")
		})
		s.Test("Reset/Protected"+p.kind, func(f *suite.Fixture) {
			made := p.create(f)
			if err := f.Control().Reset(f.Ctx); err != nil {
				f.Fatal(err)
			}
			f.Equal("there after a reset", p.there(f, made.ID), false)
		})
	}
}
