package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

// protectable is a kind of which a resource can be protected from deletion.
type protectable struct {
	kind    string
	create  func(*fixture) simcloud.Meta // one that is protected
	protect func(*fixture, simcloud.ID, bool) (simcloud.Meta, error)
	remove  func(*fixture, simcloud.ID) error
	there   func(*fixture, simcloud.ID) bool
}

func protectables() []protectable {
	return []protectable{
		{
			"Instance",
			func(f *fixture) simcloud.Meta {
				spec := simcloud.InstanceSpec{Name: "a", Protected: true}
				return must[simcloud.Result[simcloud.Instance]](f)(f.CreateInstance(f.ctx, spec)).Resource.Meta
			},
			func(f *fixture, id simcloud.ID, on bool) (simcloud.Meta, error) {
				res, err := f.UpdateInstance(f.ctx, id, simcloud.InstanceUpdate{Protected: &on})
				return res.Resource.Meta, err
			},
			func(f *fixture, id simcloud.ID) error { _, err := f.DeleteInstance(f.ctx, id); return err },
			func(f *fixture, id simcloud.ID) bool { _, err := f.GetInstance(f.ctx, id); return err == nil },
		},
		{
			"Volume",
			func(f *fixture) simcloud.Meta {
				spec := simcloud.VolumeSpec{Name: "a", SizeGiB: 1, Protected: true}
				return must[simcloud.Result[simcloud.Volume]](f)(f.CreateVolume(f.ctx, spec)).Resource.Meta
			},
			func(f *fixture, id simcloud.ID, on bool) (simcloud.Meta, error) {
				res, err := f.UpdateVolume(f.ctx, id, simcloud.VolumeUpdate{Protected: &on})
				return res.Resource.Meta, err
			},
			func(f *fixture, id simcloud.ID) error { _, err := f.DeleteVolume(f.ctx, id); return err },
			func(f *fixture, id simcloud.ID) bool { _, err := f.GetVolume(f.ctx, id); return err == nil },
		},
		{
			"LoadBalancer",
			func(f *fixture) simcloud.Meta {
				return f.loadBalancer(simcloud.LoadBalancerSpec{Protected: true}).Meta
			},
			func(f *fixture, id simcloud.ID, on bool) (simcloud.Meta, error) {
				res, err := f.UpdateLoadBalancer(f.ctx, id, simcloud.LoadBalancerUpdate{Protected: &on})
				return res.Resource.Meta, err
			},
			func(f *fixture, id simcloud.ID) error { _, err := f.DeleteLoadBalancer(f.ctx, id); return err },
			func(f *fixture, id simcloud.ID) bool { _, err := f.GetLoadBalancer(f.ctx, id); return err == nil },
		},
		{
			"FloatingIP",
			func(f *fixture) simcloud.Meta { return f.floatingIP(simcloud.FloatingIPSpec{Protected: true}).Meta },
			func(f *fixture, id simcloud.ID, on bool) (simcloud.Meta, error) {
				res, err := f.UpdateFloatingIP(f.ctx, id, simcloud.FloatingIPUpdate{Protected: &on})
				return res.Resource.Meta, err
			},
			func(f *fixture, id simcloud.ID) error { _, err := f.DeleteFloatingIP(f.ctx, id); return err },
			func(f *fixture, id simcloud.ID) bool { _, err := f.GetFloatingIP(f.ctx, id); return err == nil },
		},
	}
}

func testProtection(s suite) {
	for _, p := range protectables() {
		s.run("Delete"+p.kind+"/Protected", func(f *fixture) {
			made := p.create(f)
			f.equal("protected", made.Protected, true)
			f.want(p.remove(f, made.ID), simcloud.Protected)
			f.equal("still there", p.there(f, made.ID), true)
			f.equal("unprotected", must[simcloud.Meta](f)(p.protect(f, made.ID, false)).Protected, false)
			f.equal("protected again", must[simcloud.Meta](f)(p.protect(f, made.ID, true)).Protected, true)
			f.want(p.remove(f, made.ID), simcloud.Protected)
			must[simcloud.Meta](f)(p.protect(f, made.ID, false))
			f.want(p.remove(f, made.ID), "")
		})
		s.run("Reset/Protected"+p.kind, func(f *fixture) {
			made := p.create(f)
			if err := f.control().Reset(f.ctx); err != nil {
				f.Fatal(err)
			}
			f.equal("there after a reset", p.there(f, made.ID), false)
		})
	}
}
