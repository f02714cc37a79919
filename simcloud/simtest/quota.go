package simtest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

type quotaResult = simcloud.Result[simcloud.Quota]

// limit sets the limit of the default project.
func (f *fixture) limit(resource simcloud.QuotaResource, limit int) simcloud.Quota {
	f.Helper()
	id := simcloud.QuotaID(simcloud.DefaultProject, resource)
	return must[quotaResult](f)(f.SetQuota(f.ctx, id, simcloud.QuotaSpec{Limit: limit})).Resource
}

// usage returns what the default project has, without what it has none of.
func (f *fixture) usage() map[simcloud.QuotaResource]int {
	f.Helper()
	used := map[simcloud.QuotaResource]int{}
	for _, q := range must[[]simcloud.Quota](f)(simcloud.ListAll(f.ctx, f.ListQuotas, simcloud.ListOptions{})) {
		if q.Project == simcloud.DefaultProject && q.Used != 0 {
			used[q.Resource] = q.Used
		}
	}
	return used
}

func testQuotas(s suite) {
	s.run("ListQuotas/All", func(f *fixture) {
		page := must[simcloud.Page[simcloud.Quota]](f)(f.ListQuotas(f.ctx, simcloud.ListOptions{}))
		for i, resource := range simcloud.QuotaResources() {
			q := page.Items[i]
			id := simcloud.QuotaID(simcloud.DefaultProject, resource)
			f.equal("quota", []any{q.ID, q.Name, q.Project, q.Resource, q.Limit},
				[]any{id, string(id), simcloud.DefaultProject, resource, simcloud.Unlimited})
			f.equal("as read", must[simcloud.Quota](f)(f.GetQuota(f.ctx, id)), q)
		}
		f.equal("revision", page.Revision, f.revision())
	})
	s.run("ListQuotas/Selection", func(f *fixture) {
		f.limit(simcloud.QuotaVCPUs, 4)
		one := must[simcloud.Page[simcloud.Quota]](f)(f.ListQuotas(f.ctx, simcloud.ListOptions{Name: "default.vcpu"}))
		f.equal("by name", ids(one.Items), []simcloud.ID{"default.vcpu"})
		for _, opts := range []simcloud.ListOptions{{Name: "vcpu"}, {Selector: "a=b"}, {Selector: "a"}} {
			f.equal("nothing", len(must[simcloud.Page[simcloud.Quota]](f)(f.ListQuotas(f.ctx, opts)).Items), 0)
		}
		all := must[simcloud.Page[simcloud.Quota]](f)(f.ListQuotas(f.ctx, simcloud.ListOptions{Selector: "a!=b"}))
		f.equal("all", len(all.Items), len(simcloud.QuotaResources()))
	})
	s.run("ListQuotas/Pages", func(f *fixture) {
		want := ids(must[simcloud.Page[simcloud.Quota]](f)(f.ListQuotas(f.ctx, simcloud.ListOptions{})).Items)
		for _, size := range []int{1, 3, len(want) - 1, len(want), len(want) + 1} {
			all := must[[]simcloud.Quota](f)(simcloud.ListAll(f.ctx, f.ListQuotas, simcloud.ListOptions{PageSize: size}))
			f.equal(fmt.Sprintf("pages of %d", size), ids(all), want)
		}
	})
	s.run("ListQuotas/Invalid", func(f *fixture) {
		page := must[simcloud.Page[simcloud.Quota]](f)(f.ListQuotas(f.ctx, simcloud.ListOptions{PageSize: 1}))
		for field, opts := range map[string]simcloud.ListOptions{
			"pageSize": {PageSize: simcloud.MaxPageSize + 1}, "state": {State: "full"}, "selector": {Selector: "="},
			"pageToken": {PageToken: page.NextPage, Name: "default.vcpu"},
		} {
			_, err := f.ListQuotas(f.ctx, opts)
			f.wantField(err, field)
		}
	})
	s.run("GetQuota/NotFound", func(f *fixture) {
		for _, id := range []simcloud.ID{"default.cpu", "default.", "default", "instance", "theirs.instance", ".instance"} {
			_, err := f.GetQuota(f.ctx, id)
			f.want(err, simcloud.NotFound)
			f.wantResource(err, "quota/"+string(id))
		}
	})
	s.run("SetQuota/OK", func(f *fixture) {
		f.instance("a")
		for _, limit := range []int{0, 7, simcloud.Unlimited} { // also below the use
			r := must[quotaResult](f)(f.SetQuota(f.ctx, "default.instance", simcloud.QuotaSpec{Limit: limit}))
			f.done(r.Operation, "SetQuota", simcloud.KindQuota, "default.instance")
			f.equal("limit and use", []int{r.Resource.Limit, r.Resource.Used}, []int{limit, 1})
			f.equal("as read", must[simcloud.Quota](f)(f.GetQuota(f.ctx, "default.instance")), r.Resource)
		}
	})
	s.run("SetQuota/Invalid", func(f *fixture) {
		_, err := f.SetQuota(f.ctx, "default.instance", simcloud.QuotaSpec{Limit: -2})
		f.wantField(err, "limit")
	})
	s.run("SetQuota/Events", func(f *fixture) {
		f.equal("events", f.storyOf(func() { f.limit(simcloud.QuotaVCPUs, 4); f.limit(simcloud.QuotaVCPUs, 4) }),
			[]string{"updated quota/default.vcpu"})
	})
	s.run("SetQuota/Unset", func(f *fixture) { // a quota that was never set has a version too
		version := must[simcloud.Quota](f)(f.GetQuota(f.ctx, "default.vcpu")).Version
		_, err := f.SetQuota(f.ctx, "default.vcpu", simcloud.QuotaSpec{Limit: 1}, simcloud.IfVersion(version+1))
		f.want(err, simcloud.Conflict)
		must[quotaResult](f)(f.SetQuota(f.ctx, "default.vcpu", simcloud.QuotaSpec{Limit: 1}, simcloud.IfVersion(version)))
	})
	testUsage(s)
	testLimits(s)
}

// testUsage: what is used follows what there is.
func testUsage(s suite) {
	s.run("GetQuota/Used", func(f *fixture) {
		topology := map[simcloud.QuotaResource]int{simcloud.QuotaNetworks: 1, simcloud.QuotaRouteTables: 1}
		f.equal("at first", f.usage(), topology)
		a := f.instanceOf(simcloud.InstanceSpec{Name: "a", Type: "medium"})
		f.instance("b")
		lb, fip := f.loadBalancer(simcloud.LoadBalancerSpec{}), f.floatingIP(simcloud.FloatingIPSpec{})
		subnet, network, table := f.subnet("", "10.0.1.0/24"), f.network("10.9.0.0/24"), f.routeTable("t")
		f.equal("with some of each", f.usage(), map[simcloud.QuotaResource]int{
			simcloud.QuotaInstances: 2, simcloud.QuotaVCPUs: 4 + 2, simcloud.QuotaMemoryMiB: 8192 + 4096,
			simcloud.QuotaLoadBalancers: 1, simcloud.QuotaFloatingIPs: 1,
			simcloud.QuotaSubnets: 1, simcloud.QuotaNetworks: 2, simcloud.QuotaRouteTables: 2,
		})
		must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, a.ID))
		f.equal("a stopped instance counts", f.usage()[simcloud.QuotaVCPUs], 6)
		drop(f)(f.DeleteInstance(f.ctx, a.ID))
		drop(f)(f.DeleteInstance(f.ctx, "i-2"))
		drop(f)(f.DeleteLoadBalancer(f.ctx, lb.ID))
		drop(f)(f.DeleteFloatingIP(f.ctx, fip.ID))
		drop(f)(f.DeleteSubnet(f.ctx, subnet.ID))
		drop(f)(f.DeleteNetwork(f.ctx, network.ID))
		drop(f)(f.DeleteRouteTable(f.ctx, table.ID))
		f.equal("in the end", f.usage(), topology)
	})
	s.runSlow("GetQuota/UsedWhileItGoes", func(f *fixture) {
		id := f.instance("a").ID
		f.advance(opDuration)
		drop(f)(f.DeleteInstance(f.ctx, id))
		f.equal("what is terminating counts", f.usage()[simcloud.QuotaInstances], 1)
		f.advance(opDuration)
		f.equal("what is gone does not", f.usage()[simcloud.QuotaInstances], 0)
	})
	s.run("Reset/Usage", func(f *fixture) {
		before := f.usage()
		f.used()
		f.limit(simcloud.QuotaVCPUs, 2)
		if err := f.control().Reset(f.ctx); err != nil {
			f.Fatal(err)
		}
		f.equal("usage", f.usage(), before)
		f.equal("limit", must[simcloud.Quota](f)(f.GetQuota(f.ctx, "default.vcpu")).Limit, simcloud.Unlimited)
		f.equal("limits of the state", must[simcloud.State](f)(f.control().GetState(f.ctx)).Quotas, []simcloud.Quota{})
	})
	s.run("GetState/Quotas", func(f *fixture) {
		f.instance("a")
		q := f.limit(simcloud.QuotaVCPUs, 2)
		f.limit(simcloud.QuotaNetworks, 2)
		f.limit(simcloud.QuotaNetworks, simcloud.Unlimited)
		f.equal("those that limit", must[simcloud.State](f)(f.control().GetState(f.ctx)).Quotas, []simcloud.Quota{q})
	})
}

// testLimits: nothing is made beyond a limit.
func testLimits(s suite) {
	make := map[simcloud.QuotaResource]func(f *fixture) error{
		simcloud.QuotaInstances: func(f *fixture) error { return mutationErr(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"})) },
		simcloud.QuotaVCPUs:     func(f *fixture) error { return mutationErr(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"})) },
		simcloud.QuotaMemoryMiB: func(f *fixture) error { return mutationErr(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"})) },
		simcloud.QuotaLoadBalancers: func(f *fixture) error {
			return mutationErr(f.CreateLoadBalancer(f.ctx, simcloud.LoadBalancerSpec{Name: "a"}))
		},
		simcloud.QuotaFloatingIPs: func(f *fixture) error {
			return mutationErr(f.CreateFloatingIP(f.ctx, simcloud.FloatingIPSpec{Name: "a"}))
		},
		simcloud.QuotaNetworks: func(f *fixture) error {
			return mutationErr(f.CreateNetwork(f.ctx, simcloud.NetworkSpec{Name: "a", CIDRs: []string{"10.0.0.0/8"}}))
		},
		simcloud.QuotaSubnets: func(f *fixture) error {
			n := f.usage()[simcloud.QuotaSubnets]
			return mutationErr(f.CreateSubnet(f.ctx, simcloud.SubnetSpec{Name: "a", CIDR: fmt.Sprintf("10.0.%d.0/24", n)}))
		},
		simcloud.QuotaRouteTables: func(f *fixture) error {
			return mutationErr(f.CreateRouteTable(f.ctx, simcloud.RouteTableSpec{Name: "a"}))
		},
	}
	for resource, make := range make {
		s.run("SetQuota/Limits_"+string(resource), func(f *fixture) {
			before := f.usage()[resource]
			if err := make(f); err != nil {
				f.Fatal(err)
			}
			used := f.usage()[resource]
			q := f.limit(resource, 2*used-before) // room for one more
			if err := make(f); err != nil {
				f.Fatalf("up to the limit: %v", err)
			}
			revision := f.revision()
			f.exceeds(make(f), resource, q.Limit, q.Limit)
			f.equal("revision after the refusal", f.revision(), revision)
			f.limit(resource, 0)
			f.exceeds(make(f), resource, 0, q.Limit)
			f.limit(resource, simcloud.Unlimited)
			if err := make(f); err != nil {
				f.Errorf("without a limit: %v", err)
			}
		})
	}
	s.run("RecreateInstance/AtTheLimit", func(f *fixture) {
		id := f.instance("a").ID
		f.limit(simcloud.QuotaInstances, 1)
		f.limit(simcloud.QuotaVCPUs, 2)
		must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.ctx, id))
	})
	s.run("DeleteInstance/BeyondTheLimit", func(f *fixture) {
		f.instance("a")
		f.instance("b")
		f.limit(simcloud.QuotaInstances, 0)
		must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, "i-1"))
		drop(f)(f.DeleteInstance(f.ctx, "i-1"))
	})
	s.runSlow("RecreateInstance/BothCount", func(f *fixture) {
		id := f.instance("a").ID
		f.advance(opDuration)
		f.limit(simcloud.QuotaInstances, 1)
		_, err := f.RecreateInstance(f.ctx, id)
		f.exceeds(err, simcloud.QuotaInstances, 1, 1)
		f.equal("state", f.getInstance(id).State, simcloud.InstanceRunning)
	})
}

func mutationErr[T any](_ simcloud.Result[T], err error) error { return err }

// exceeds fails the test unless err is QuotaExceeded and names resource, limit and use.
func (f *fixture) exceeds(err error, resource simcloud.QuotaResource, limit, used int) {
	f.Helper()
	f.want(err, simcloud.QuotaExceeded)
	f.wantResource(err, "quota/"+string(simcloud.QuotaID(simcloud.DefaultProject, resource)))
	want := fmt.Sprintf("may have %d %s and has %d", limit, resource, used)
	var e *simcloud.Error
	if errors.As(err, &e) && !strings.Contains(e.Message, want) {
		f.Errorf("%q does not say %q", e.Message, want)
	}
}
