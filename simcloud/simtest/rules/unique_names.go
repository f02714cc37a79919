package rules

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// uniqueNames sets of which kinds names are unique.
func uniqueNames(f *suite.Fixture, kinds ...simcloud.Kind) {
	f.Helper()
	suite.Must[simcloud.Config](f)(f.Control().UpdateConfig(f.Ctx, simcloud.ConfigUpdate{UniqueNames: &kinds}))
}

func testUniqueNames(s suite.Runner) {
	s.Test("UpdateConfig/UniqueNames", func(f *suite.Fixture) {
		f.Instance("web")
		twin := f.Instance("web")
		uniqueNames(f, simcloud.KindInstance, simcloud.KindLoadBalancer)
		_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "web"})
		f.Want(err, simcloud.AlreadyExists)
		f.LoadBalancer(simcloud.LoadBalancerSpec{Name: "web"}) // another kind
		_, err = f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "web"})
		f.Want(err, simcloud.AlreadyExists)
		f.FloatingIP(simcloud.FloatingIPSpec{Name: "web"})
		f.FloatingIP(simcloud.FloatingIPSpec{Name: "web"})

		f.Equal("two of one name before", len(suite.Must[simcloud.Page[simcloud.Instance]](f)(f.ListInstances(f.Ctx, simcloud.ListOptions{Name: "web"})).Items), 2)
		suite.Must[simcloud.Operation](f)(f.DeleteInstance(f.Ctx, twin.ID))
		_, err = f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "web"})
		f.Want(err, simcloud.AlreadyExists)
	})
	s.Test("UpdateConfig/UniqueNamesRename", func(f *suite.Fixture) {
		uniqueNames(f, simcloud.KindLoadBalancer)
		f.LoadBalancer(simcloud.LoadBalancerSpec{Name: "a"})
		b := f.LoadBalancer(simcloud.LoadBalancerSpec{Name: "b"})
		for name, code := range map[string]simcloud.Code{"a": simcloud.AlreadyExists, "b": "", "c": ""} {
			_, err := f.UpdateLoadBalancer(f.Ctx, b.ID, simcloud.LoadBalancerUpdate{Name: &name})
			f.Want(err, code)
		}
		uniqueNames(f)
		_, err := f.UpdateLoadBalancer(f.Ctx, b.ID, simcloud.LoadBalancerUpdate{Name: suite.Ptr("a")})
		f.Want(err, "")
	})
	s.Test("UpdateConfig/UniqueNamesFreed", func(f *suite.Fixture) {
		uniqueNames(f, simcloud.KindVolume)
		create := func() (simcloud.Result[simcloud.Volume], error) {
			return f.CreateVolume(f.Ctx, simcloud.VolumeSpec{Name: "data", SizeGiB: 1})
		}
		first := suite.Must[simcloud.Result[simcloud.Volume]](f)(create())
		suite.Must[simcloud.Operation](f)(f.DeleteVolume(f.Ctx, first.Resource.ID))
		_, err := create()
		f.Want(err, "")
	})
}
