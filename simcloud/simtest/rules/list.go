package rules

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// listing is a list operation, and a way to fill the list.
type listing[T any] struct {
	name   string
	make   func(f *suite.Fixture, name string, labels map[string]string) simcloud.ID
	remove func(f *suite.Fixture, id simcloud.ID)
	list   func(f *suite.Fixture) simcloud.ListFunc[T]
	state  string // one that what make makes has; "" for kinds without
}

func testLists(s suite.Runner) {
	testList(s, projectListing)
	testList(s, tokenListing)
	testList(s, regionListing)
	testList(s, zoneListing)
	testList(s, typeListing)
	testList(s, networkListing)
	testList(s, subnetListing)
	testList(s, poolListing)
	testList(s, clusterListing)
	testList(s, documentListing)
	testList(s, securityGroupListing)
	testList(s, targetGroupListing)
	testList(s, instanceListing)
	testList(s, volumeListing)
	testList(s, sshKeyListing)
	testList(s, loadBalancerListing)
	testList(s, floatingIPListing)
	testList(s, routeTableListing)
}

func testList[T any](s suite.Runner, l listing[T]) {
	testSelection(s, l)
	testPages(s, l)
	s.Test(l.name+"/PageSizeInvalid", func(f *suite.Fixture) {
		for _, size := range []int{-1, simcloud.MaxPageSize + 1} {
			_, err := l.list(f)(f.Ctx, simcloud.ListOptions{PageSize: size})
			f.WantField(err, "pageSize")
		}
	})
	s.Test(l.name+"/StateUnknown", func(f *suite.Fixture) {
		_, err := l.list(f)(f.Ctx, simcloud.ListOptions{State: "happy"})
		f.WantField(err, "state")
	})
	s.Test(l.name+"/SelectorInvalid", func(f *suite.Fixture) {
		for _, selector := range []string{"a==b==c", "=", "a in", "!"} {
			_, err := l.list(f)(f.Ctx, simcloud.ListOptions{Selector: selector})
			f.WantField(err, "selector")
		}
	})
}

// fill makes n resources, of which the label "parity" tells even from odd.
func (l listing[T]) fill(f *suite.Fixture, n int) []simcloud.ID {
	f.Helper()
	var made []simcloud.ID
	for i := range n {
		labels := map[string]string{"parity": []string{"even", "odd"}[i%2], "n": fmt.Sprint(i)}
		if i == 0 {
			labels["first"] = ""
		}
		made = append(made, l.make(f, fmt.Sprintf("%s-%d", l.name, i), labels))
	}
	return made
}

func testSelection[T any](s suite.Runner, l listing[T]) {
	s.Test(l.name+"/Selection", func(f *suite.Fixture) {
		made := l.fill(f, 5)
		zero, one, two, three, four := made[0], made[1], made[2], made[3], made[4]
		for _, c := range []struct {
			opts simcloud.ListOptions
			want []simcloud.ID
		}{
			{simcloud.ListOptions{Name: l.name + "-3"}, []simcloud.ID{three}},
			{simcloud.ListOptions{Name: "unknown"}, []simcloud.ID{}},
			{simcloud.ListOptions{Selector: "parity=odd"}, []simcloud.ID{one, three}},
			{simcloud.ListOptions{Selector: "parity==even,n!=2"}, []simcloud.ID{zero, four}},
			{simcloud.ListOptions{Selector: "n in (4,1,9)"}, []simcloud.ID{one, four}},
			{simcloud.ListOptions{Selector: "parity,n notin (0,1,2,3)"}, []simcloud.ID{four}},
			{simcloud.ListOptions{Selector: "first"}, []simcloud.ID{zero}},
			{simcloud.ListOptions{Selector: "first="}, []simcloud.ID{zero}},
			{simcloud.ListOptions{Selector: "parity,!first"}, []simcloud.ID{one, two, three, four}},
			{simcloud.ListOptions{Selector: "n>2"}, []simcloud.ID{three, four}},
			{simcloud.ListOptions{Selector: "parity=odd,n=2"}, []simcloud.ID{}},
			{simcloud.ListOptions{Selector: "parity=odd", Name: l.name + "-1"}, []simcloud.ID{one}},
			{simcloud.ListOptions{Selector: "parity=odd", State: l.state}, []simcloud.ID{one, three}},
		} {
			page := suite.Must[simcloud.Page[T]](f)(l.list(f)(f.Ctx, c.opts))
			f.Equal(fmt.Sprintf("%+v", c.opts), suite.IDs(page.Items), c.want)
			f.Equal("next page", page.NextPage, "")
		}
	})
}

func testPages[T any](s suite.Runner, l listing[T]) {
	s.Test(l.name+"/Pages", func(f *suite.Fixture) {
		before := suite.Must[[]T](f)(simcloud.ListAll(f.Ctx, l.list(f), simcloud.ListOptions{}))
		want := append(suite.IDs(before), l.fill(f, 5)...)
		for _, size := range []int{1, 2, 5, len(want) - 1, len(want), len(want) + 1} {
			all := suite.Must[[]T](f)(simcloud.ListAll(f.Ctx, l.list(f), simcloud.ListOptions{PageSize: size}))
			f.Equal(fmt.Sprintf("pages of %d", size), suite.IDs(all), want)
		}
		page := suite.Must[simcloud.Page[T]](f)(l.list(f)(f.Ctx, simcloud.ListOptions{PageSize: len(want)}))
		f.Equal("a full last page leads nowhere", page.NextPage, "")
		f.Equal("revision", page.Revision, f.Revision())
	})
	s.Test(l.name+"/PageNumbers", func(f *suite.Fixture) {
		before := suite.Must[[]T](f)(simcloud.ListAll(f.Ctx, l.list(f), simcloud.ListOptions{}))
		all := append(suite.IDs(before), l.fill(f, 5)...)
		revision := f.Revision()
		for _, size := range []int{2, len(all), len(all) + 1} {
			for number := 1; number <= len(all)/size+2; number++ {
				page := suite.Must[simcloud.Page[T]](f)(l.list(f)(f.Ctx, simcloud.ListOptions{PageSize: size, Page: number}))
				from := min((number-1)*size, len(all))
				f.Equal(fmt.Sprintf("page %d of %d", number, size), suite.IDs(page.Items), all[from:min(from+size, len(all))])
				f.Equal("total", page.Total, len(all))
				f.Equal("next page and revision", []any{page.NextPage, page.Revision}, []any{"", revision})
			}
		}
		page := suite.Must[simcloud.Page[T]](f)(l.list(f)(f.Ctx, simcloud.ListOptions{PageSize: 1, Page: 2, Selector: "parity=even,n>0"}))
		f.Equal("the second even one", suite.IDs(page.Items), all[len(all)-1:])
		f.Equal("of", page.Total, 2)
		_, err := l.list(f)(f.Ctx, simcloud.ListOptions{Page: -1})
		f.WantField(err, "page")
		_, err = l.list(f)(f.Ctx, simcloud.ListOptions{Page: simcloud.MaxPage + 1})
		f.WantField(err, "page")
		token := suite.Must[simcloud.Page[T]](f)(l.list(f)(f.Ctx, simcloud.ListOptions{PageSize: 1})).NextPage
		_, err = l.list(f)(f.Ctx, simcloud.ListOptions{Page: 1, PageToken: token})
		f.WantField(err, "page")
	})
	s.Test(l.name+"/PagesWhileItChanges", func(f *suite.Fixture) {
		made := l.fill(f, 6)
		opts := simcloud.ListOptions{Selector: "n", PageSize: 2}
		page := suite.Must[simcloud.Page[T]](f)(l.list(f)(f.Ctx, opts))
		l.remove(f, made[1]) // was seen, and is where the token stands
		l.remove(f, made[2])
		late := l.make(f, "late", map[string]string{"n": "9"})
		opts.PageToken = page.NextPage
		rest := suite.Must[[]T](f)(simcloud.ListAll(f.Ctx, l.list(f), opts))
		f.Equal("the rest", suite.IDs(rest), []simcloud.ID{made[3], made[4], made[5], late})
	})
	s.Test(l.name+"/PageTokenInvalid", func(f *suite.Fixture) {
		l.fill(f, 4)
		opts := simcloud.ListOptions{Selector: "parity=even", PageSize: 1}
		page := suite.Must[simcloud.Page[T]](f)(l.list(f)(f.Ctx, opts))
		for _, other := range []simcloud.ListOptions{
			{PageSize: 1, PageToken: page.NextPage},
			{PageSize: 1, PageToken: page.NextPage, Selector: "parity=odd"},
			{PageSize: 1, PageToken: page.NextPage, Selector: "parity=even", Name: "a"},
			{PageSize: 1, PageToken: page.NextPage + "A", Selector: "parity=even"},
			{PageSize: 1, PageToken: "invalid", Selector: "parity=even"},
		} {
			_, err := l.list(f)(f.Ctx, other)
			f.WantField(err, "pageToken")
		}
		opts.PageToken, opts.PageSize = page.NextPage, 3
		suite.Must[simcloud.Page[T]](f)(l.list(f)(f.Ctx, opts)) // another page size is fine
	})
}
