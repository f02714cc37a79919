package simtest

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// listing is a list operation, and a way to fill the list.
type listing[T any] struct {
	name   string
	make   func(f *fixture, name string, labels map[string]string) simcloud.ID
	remove func(f *fixture, id simcloud.ID)
	list   func(f *fixture) simcloud.ListFunc[T]
	state  string // one that what make makes has; "" for kinds without
}

func testLists(s suite) {
	testList(s, projectListing)
	testList(s, tokenListing)
	testList(s, regionListing)
	testList(s, zoneListing)
	testList(s, typeListing)
	testList(s, networkListing)
	testList(s, subnetListing)
	testList(s, poolListing)
	testList(s, clusterListing)
	testList(s, instanceListing)
	testList(s, volumeListing)
	testList(s, sshKeyListing)
	testList(s, loadBalancerListing)
	testList(s, floatingIPListing)
	testList(s, routeTableListing)
}

func testList[T any](s suite, l listing[T]) {
	testSelection(s, l)
	testPages(s, l)
	s.run(l.name+"/PageSizeInvalid", func(f *fixture) {
		for _, size := range []int{-1, simcloud.MaxPageSize + 1} {
			_, err := l.list(f)(f.ctx, simcloud.ListOptions{PageSize: size})
			f.wantField(err, "pageSize")
		}
	})
	s.run(l.name+"/StateUnknown", func(f *fixture) {
		_, err := l.list(f)(f.ctx, simcloud.ListOptions{State: "happy"})
		f.wantField(err, "state")
	})
	s.run(l.name+"/SelectorInvalid", func(f *fixture) {
		for _, selector := range []string{"a==b==c", "=", "a in", "!"} {
			_, err := l.list(f)(f.ctx, simcloud.ListOptions{Selector: selector})
			f.wantField(err, "selector")
		}
	})
}

// fill makes n resources, of which the label "parity" tells even from odd.
func (l listing[T]) fill(f *fixture, n int) []simcloud.ID {
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

func testSelection[T any](s suite, l listing[T]) {
	s.run(l.name+"/Selection", func(f *fixture) {
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
			page := must[simcloud.Page[T]](f)(l.list(f)(f.ctx, c.opts))
			f.equal(fmt.Sprintf("%+v", c.opts), ids(page.Items), c.want)
			f.equal("next page", page.NextPage, "")
		}
	})
}

func testPages[T any](s suite, l listing[T]) {
	s.run(l.name+"/Pages", func(f *fixture) {
		before := must[[]T](f)(simcloud.ListAll(f.ctx, l.list(f), simcloud.ListOptions{}))
		want := append(ids(before), l.fill(f, 5)...)
		for _, size := range []int{1, 2, 5, len(want) - 1, len(want), len(want) + 1} {
			all := must[[]T](f)(simcloud.ListAll(f.ctx, l.list(f), simcloud.ListOptions{PageSize: size}))
			f.equal(fmt.Sprintf("pages of %d", size), ids(all), want)
		}
		page := must[simcloud.Page[T]](f)(l.list(f)(f.ctx, simcloud.ListOptions{PageSize: len(want)}))
		f.equal("a full last page leads nowhere", page.NextPage, "")
		f.equal("revision", page.Revision, f.revision())
	})
	s.run(l.name+"/PagesWhileItChanges", func(f *fixture) {
		made := l.fill(f, 6)
		opts := simcloud.ListOptions{Selector: "n", PageSize: 2}
		page := must[simcloud.Page[T]](f)(l.list(f)(f.ctx, opts))
		l.remove(f, made[1]) // was seen, and is where the token stands
		l.remove(f, made[2])
		late := l.make(f, "late", map[string]string{"n": "9"})
		opts.PageToken = page.NextPage
		rest := must[[]T](f)(simcloud.ListAll(f.ctx, l.list(f), opts))
		f.equal("the rest", ids(rest), []simcloud.ID{made[3], made[4], made[5], late})
	})
	s.run(l.name+"/PageTokenInvalid", func(f *fixture) {
		l.fill(f, 4)
		opts := simcloud.ListOptions{Selector: "parity=even", PageSize: 1}
		page := must[simcloud.Page[T]](f)(l.list(f)(f.ctx, opts))
		for _, other := range []simcloud.ListOptions{
			{PageSize: 1, PageToken: page.NextPage},
			{PageSize: 1, PageToken: page.NextPage, Selector: "parity=odd"},
			{PageSize: 1, PageToken: page.NextPage, Selector: "parity=even", Name: "a"},
			{PageSize: 1, PageToken: page.NextPage + "A", Selector: "parity=even"},
			{PageSize: 1, PageToken: "invalid", Selector: "parity=even"},
		} {
			_, err := l.list(f)(f.ctx, other)
			f.wantField(err, "pageToken")
		}
		opts.PageToken, opts.PageSize = page.NextPage, 3
		must[simcloud.Page[T]](f)(l.list(f)(f.ctx, opts)) // another page size is fine
	})
}
