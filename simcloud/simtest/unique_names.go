package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

// uniqueNames sets of which kinds names are unique.
func (f *fixture) uniqueNames(kinds ...simcloud.Kind) {
	f.Helper()
	must[simcloud.Config](f)(f.control().UpdateConfig(f.ctx, simcloud.ConfigUpdate{UniqueNames: &kinds}))
}

func testUniqueNames(s suite) {
	s.run("UpdateConfig/UniqueNames", func(f *fixture) {
		f.instance("web")
		twin := f.instance("web")
		f.uniqueNames(simcloud.KindInstance, simcloud.KindLoadBalancer)
		_, err := f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "web"})
		f.want(err, simcloud.AlreadyExists)
		f.loadBalancer(simcloud.LoadBalancerSpec{Name: "web"}) // another kind
		_, err = f.CreateLoadBalancer(f.ctx, simcloud.LoadBalancerSpec{Name: "web"})
		f.want(err, simcloud.AlreadyExists)
		f.floatingIP(simcloud.FloatingIPSpec{Name: "web"})
		f.floatingIP(simcloud.FloatingIPSpec{Name: "web"})

		f.equal("two of one name before", len(f.instanceIDs(simcloud.ListOptions{Name: "web"})), 2)
		must[simcloud.Operation](f)(f.DeleteInstance(f.ctx, twin.ID))
		_, err = f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "web"})
		f.want(err, simcloud.AlreadyExists)
	})
	s.run("UpdateConfig/UniqueNamesRename", func(f *fixture) {
		f.uniqueNames(simcloud.KindLoadBalancer)
		f.loadBalancer(simcloud.LoadBalancerSpec{Name: "a"})
		b := f.loadBalancer(simcloud.LoadBalancerSpec{Name: "b"})
		for name, code := range map[string]simcloud.Code{"a": simcloud.AlreadyExists, "b": "", "c": ""} {
			_, err := f.UpdateLoadBalancer(f.ctx, b.ID, simcloud.LoadBalancerUpdate{Name: &name})
			f.want(err, code)
		}
		f.uniqueNames()
		_, err := f.UpdateLoadBalancer(f.ctx, b.ID, simcloud.LoadBalancerUpdate{Name: ptr("a")})
		f.want(err, "")
	})
	s.run("UpdateConfig/UniqueNamesFreed", func(f *fixture) {
		f.uniqueNames(simcloud.KindVolume)
		create := func() (simcloud.Result[simcloud.Volume], error) {
			return f.CreateVolume(f.ctx, simcloud.VolumeSpec{Name: "data", SizeGiB: 1})
		}
		first := must[simcloud.Result[simcloud.Volume]](f)(create())
		must[simcloud.Operation](f)(f.DeleteVolume(f.ctx, first.Resource.ID))
		_, err := create()
		f.want(err, "")
	})
}
