package tenancy

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type quotaResult = simcloud.Result[simcloud.Quota]

func testQuotas(s suite.Runner) {
	s.Test("ListQuotas/All", func(f *suite.Fixture) {
		page := suite.Must[simcloud.Page[simcloud.Quota]](f)(f.ListQuotas(f.Ctx, simcloud.ListOptions{}))
		for i, resource := range simcloud.QuotaResources() {
			q := page.Items[i]
			id := simcloud.QuotaID(simcloud.DefaultProject, resource)
			f.Equal("quota", []any{q.ID, q.Name, q.Project, q.Resource, q.Limit},
				[]any{id, string(id), simcloud.DefaultProject, resource, simcloud.Unlimited})
			f.Equal("as read", suite.Must[simcloud.Quota](f)(f.GetQuota(f.Ctx, id)), q)
		}
		f.Equal("revision", page.Revision, f.Revision())
	})
	s.Test("ListQuotas/Selection", func(f *suite.Fixture) {
		f.Limit(simcloud.QuotaVCPUs, 4)
		one := suite.Must[simcloud.Page[simcloud.Quota]](f)(f.ListQuotas(f.Ctx, simcloud.ListOptions{Name: "default.vcpu"}))
		f.Equal("by name", suite.IDs(one.Items), []simcloud.ID{"default.vcpu"})
		for _, opts := range []simcloud.ListOptions{{Name: "vcpu"}, {Selector: "a=b"}, {Selector: "a"}} {
			f.Equal("nothing", len(suite.Must[simcloud.Page[simcloud.Quota]](f)(f.ListQuotas(f.Ctx, opts)).Items), 0)
		}
		all := suite.Must[simcloud.Page[simcloud.Quota]](f)(f.ListQuotas(f.Ctx, simcloud.ListOptions{Selector: "a!=b"}))
		f.Equal("all", len(all.Items), len(simcloud.QuotaResources()))
	})
	s.Test("ListQuotas/Pages", func(f *suite.Fixture) {
		want := suite.IDs(suite.Must[simcloud.Page[simcloud.Quota]](f)(f.ListQuotas(f.Ctx, simcloud.ListOptions{})).Items)
		for _, size := range []int{1, 3, len(want) - 1, len(want), len(want) + 1} {
			all := suite.Must[[]simcloud.Quota](f)(simcloud.ListAll(f.Ctx, f.ListQuotas, simcloud.ListOptions{PageSize: size}))
			f.Equal(fmt.Sprintf("pages of %d", size), suite.IDs(all), want)
		}
		third := suite.Must[simcloud.Page[simcloud.Quota]](f)(f.ListQuotas(f.Ctx, simcloud.ListOptions{PageSize: 2, Page: 3}))
		f.Equal("by number", suite.IDs(third.Items), want[4:6])
		f.Equal("of", third.Total, len(want))
	})
	s.Test("ListQuotas/Invalid", func(f *suite.Fixture) {
		page := suite.Must[simcloud.Page[simcloud.Quota]](f)(f.ListQuotas(f.Ctx, simcloud.ListOptions{PageSize: 1}))
		for field, opts := range map[string]simcloud.ListOptions{
			"pageSize": {PageSize: simcloud.MaxPageSize + 1}, "state": {State: "full"}, "selector": {Selector: "="},
			"pageToken": {PageToken: page.NextPage, Name: "default.vcpu"},
		} {
			_, err := f.ListQuotas(f.Ctx, opts)
			f.WantField(err, field)
		}
	})
	s.Test("GetQuota/NotFound", func(f *suite.Fixture) {
		for _, id := range []simcloud.ID{"default.cpu", "default.", "default", "instance", "theirs.instance", ".instance"} {
			_, err := f.GetQuota(f.Ctx, id)
			f.Want(err, simcloud.NotFound)
			f.WantResource(err, "quota/"+string(id))
		}
	})
	s.Test("GetQuota/OtherProject", func(f *suite.Fixture) {
		project := suite.Must[simcloud.Result[simcloud.Project]](f)(f.CreateProject(f.Ctx, simcloud.ProjectSpec{Name: "the.irs"})).Resource
		q := suite.Must[simcloud.Quota](f)(f.GetQuota(f.Ctx, "the.irs.vcpu"))
		f.Equal("quota", []any{q.Project, q.Resource, q.Limit, q.Used}, []any{project.ID, simcloud.QuotaVCPUs, simcloud.Unlimited, 0})
		suite.Must[quotaResult](f)(f.SetQuota(f.Ctx, q.ID, simcloud.QuotaSpec{Limit: 3}))
		f.Equal("that of the caller's", suite.Must[simcloud.Quota](f)(f.GetQuota(f.Ctx, "default.vcpu")).Limit, simcloud.Unlimited)
		all := suite.Must[[]simcloud.Quota](f)(simcloud.ListAll(f.Ctx, f.ListQuotas, simcloud.ListOptions{PageSize: 4}))
		f.Equal("quotas of both", len(all), 2*len(simcloud.QuotaResources()))
		suite.Drop(f)(f.DeleteProject(f.Ctx, project.ID))
		_, err := f.GetQuota(f.Ctx, q.ID)
		f.Want(err, simcloud.NotFound)
		suite.Must[simcloud.Result[simcloud.Project]](f)(f.CreateProject(f.Ctx, simcloud.ProjectSpec{Name: "the.irs"}))
		f.Equal("limit of its successor", suite.Must[simcloud.Quota](f)(f.GetQuota(f.Ctx, q.ID)).Limit, simcloud.Unlimited)
	})
	testSetQuota(s)
	testUsage(s)
	testLimits(s)
}

func testSetQuota(s suite.Runner) {
	s.Test("SetQuota/OK", func(f *suite.Fixture) {
		f.Instance("a")
		for _, limit := range []int{0, 7, simcloud.Unlimited} { // also below the use
			r := suite.Must[quotaResult](f)(f.SetQuota(f.Ctx, "default.instance", simcloud.QuotaSpec{Limit: limit}))
			f.Done(r.Operation, "SetQuota", simcloud.KindQuota, "default.instance")
			f.Equal("limit and use", []int{r.Resource.Limit, r.Resource.Used}, []int{limit, 1})
			f.Equal("as read", suite.Must[simcloud.Quota](f)(f.GetQuota(f.Ctx, "default.instance")), r.Resource)
		}
	})
	s.Test("SetQuota/Invalid", func(f *suite.Fixture) {
		_, err := f.SetQuota(f.Ctx, "default.instance", simcloud.QuotaSpec{Limit: -2})
		f.WantField(err, "limit")
	})
	s.Test("SetQuota/Events", func(f *suite.Fixture) {
		f.Equal("events", f.StoryOf(func() { f.Limit(simcloud.QuotaVCPUs, 4); f.Limit(simcloud.QuotaVCPUs, 4) }),
			[]string{"updated quota/default.vcpu"})
	})
	s.Test("SetQuota/Unset", func(f *suite.Fixture) { // a quota that was never set has a version too
		version := suite.Must[simcloud.Quota](f)(f.GetQuota(f.Ctx, "default.vcpu")).Version
		_, err := f.SetQuota(f.Ctx, "default.vcpu", simcloud.QuotaSpec{Limit: 1}, simcloud.IfVersion(version+1))
		f.Want(err, simcloud.Conflict)
		suite.Must[quotaResult](f)(f.SetQuota(f.Ctx, "default.vcpu", simcloud.QuotaSpec{Limit: 1}, simcloud.IfVersion(version)))
	})
}
