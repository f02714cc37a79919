package network

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// testReferences: lists of what refers to a resource.
func testReferences(s suite.Runner) {
	s.Test("ListLoadBalancers/RefersTo", func(f *suite.Fixture) {
		a, b := f.Instance("a").ID, f.Instance("b").ID
		to := func(ids ...simcloud.ID) (targets []simcloud.TargetSpec) {
			for _, id := range ids {
				targets = append(targets, simcloud.TargetSpec{Instance: id})
			}
			return targets
		}
		one := f.LoadBalancer(simcloud.LoadBalancerSpec{Name: "one", Targets: to(a)}).ID
		both := f.LoadBalancer(simcloud.LoadBalancerSpec{Name: "both", Targets: to(a, b), Labels: map[string]string{"k": "v"}}).ID
		f.LoadBalancer(simcloud.LoadBalancerSpec{Name: "none"})
		list := func(opts simcloud.ListOptions) (ids []simcloud.ID) {
			for _, lb := range suite.Must[[]simcloud.LoadBalancer](f)(simcloud.ListAll(f.Ctx, f.ListLoadBalancers, opts)) {
				ids = append(ids, lb.ID)
			}
			return ids
		}
		f.Equal("of a", list(simcloud.ListOptions{RefersTo: "instance/" + string(a)}), []simcloud.ID{one, both})
		f.Equal("of a, page by page", list(simcloud.ListOptions{RefersTo: "instance/" + string(a), PageSize: 1}), []simcloud.ID{one, both})
		f.Equal("of a, by name", list(simcloud.ListOptions{RefersTo: "instance/" + string(a), Name: "one"}), []simcloud.ID{one})
		f.Equal("of a, by label", list(simcloud.ListOptions{RefersTo: "instance/" + string(a), Selector: "k=v"}), []simcloud.ID{both})
		f.Equal("of b", list(simcloud.ListOptions{RefersTo: "instance/" + string(b)}), []simcloud.ID{both})
		f.Equal("of what is not there", list(simcloud.ListOptions{RefersTo: "instance/i-99"}), []simcloud.ID(nil))
		suite.Must[lbResult](f)(f.DeleteTarget(f.Ctx, both, a))
		f.Equal("after a target has gone", list(simcloud.ListOptions{RefersTo: "instance/" + string(a)}), []simcloud.ID{one})
		page := suite.Must[simcloud.Page[simcloud.LoadBalancer]](f)(f.ListLoadBalancers(f.Ctx, simcloud.ListOptions{RefersTo: "network/net-1", PageSize: 1}))
		_, err := f.ListLoadBalancers(f.Ctx, simcloud.ListOptions{PageToken: page.NextPage})
		f.WantField(err, "pageToken")
	})
	s.Test("ListInstances/RefersToInvalid", func(f *suite.Fixture) {
		for _, text := range []string{"net-1", "network/", "/net-1", "fingerprint/x", "network"} {
			_, err := f.ListInstances(f.Ctx, simcloud.ListOptions{RefersTo: text})
			f.WantField(err, "refersTo")
		}
		_, err := f.ListQuotas(f.Ctx, simcloud.ListOptions{RefersTo: "network/net-1"})
		f.WantField(err, "refersTo")
	})
}
