package simtest

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

type quotaResult = simcloud.Result[simcloud.Quota]

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
	s.run("GetQuota/OtherProject", func(f *fixture) {
		project := must[simcloud.Result[simcloud.Project]](f)(f.CreateProject(f.ctx, simcloud.ProjectSpec{Name: "the.irs"})).Resource
		q := must[simcloud.Quota](f)(f.GetQuota(f.ctx, "the.irs.vcpu"))
		f.equal("quota", []any{q.Project, q.Resource, q.Limit, q.Used}, []any{project.ID, simcloud.QuotaVCPUs, simcloud.Unlimited, 0})
		must[quotaResult](f)(f.SetQuota(f.ctx, q.ID, simcloud.QuotaSpec{Limit: 3}))
		f.equal("that of the caller's", must[simcloud.Quota](f)(f.GetQuota(f.ctx, "default.vcpu")).Limit, simcloud.Unlimited)
		all := must[[]simcloud.Quota](f)(simcloud.ListAll(f.ctx, f.ListQuotas, simcloud.ListOptions{PageSize: 4}))
		f.equal("quotas of both", len(all), 2*len(simcloud.QuotaResources()))
		drop(f)(f.DeleteProject(f.ctx, project.ID))
		_, err := f.GetQuota(f.ctx, q.ID)
		f.want(err, simcloud.NotFound)
		must[simcloud.Result[simcloud.Project]](f)(f.CreateProject(f.ctx, simcloud.ProjectSpec{Name: "the.irs"}))
		f.equal("limit of its successor", must[simcloud.Quota](f)(f.GetQuota(f.ctx, q.ID)).Limit, simcloud.Unlimited)
	})
	testSetQuota(s)
	testUsage(s)
	testLimits(s)
}

func testSetQuota(s suite) {
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
}
