package hcloud

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// pages are those of Hetzner: a larger page is the largest.
var pages = dialect.Paging{Number: "page", Size: "per_page", Default: 25, Max: 50, Clamp: true}

// listing is the answer to a list.
type listing struct {
	body map[string]any
	link string
}

// pagination says which part of a list an answer has.
type pagination struct {
	Page         int  `json:"page"`
	PerPage      int  `json:"per_page"`
	PreviousPage *int `json:"previous_page"`
	NextPage     *int `json:"next_page"`
	LastPage     *int `json:"last_page"`
	TotalEntries *int `json:"total_entries"`
}

// options are the name and the label selector of a list, for the cloud.
func (c call) options() (simcloud.ListOptions, error) {
	query := c.r.URL.Query()
	opts := simcloud.ListOptions{Name: query.Get("name"), Selector: query.Get("label_selector"), PageSize: simcloud.MaxPageSize}
	if strings.ContainsAny(opts.Selector, "<>") {
		return opts, wrong("label_selector", "%q has an operator that does not exist: must be one of =, ==, !=, in, notin and !", opts.Selector)
	}
	return opts, nil
}

// all reads a whole list of the cloud.
func all[T any](ctx context.Context, list simcloud.ListFunc[T]) ([]T, error) {
	return simcloud.ListAll(ctx, list, simcloud.ListOptions{PageSize: simcloud.MaxPageSize})
}

// rendering makes of the items of a page what the answer has.
type rendering[T any] func([]T) (any, error)

// list answers the page of a list of the cloud that was asked for, of those that keep chooses.
func list[T any, P resource[T]](c call, name string, from simcloud.ListFunc[T], view rendering[T], keep func(T) bool) (edge.Reply, error) {
	opts, err := c.options()
	if err != nil {
		return edge.Reply{}, err
	}
	if keep == nil && !c.r.URL.Query().Has("sort") && !fault.Lies(c.ctx()) {
		return counted(c, name, from, opts, view)
	}
	items, err := simcloud.ListAll(c.ctx(), from, opts)
	if err != nil {
		return edge.Reply{}, err
	}
	if keep != nil {
		items = slices.DeleteFunc(items, func(v T) bool { return !keep(v) })
	}
	if err := sorted(c, items, byMeta[T, P]()); err != nil {
		return edge.Reply{}, err
	}
	return page(c, name, items, view)
}

// counted answers a page that the cloud cuts and counts.
func counted[T any](c call, name string, from simcloud.ListFunc[T], opts simcloud.ListOptions, view rendering[T]) (edge.Reply, error) {
	at, err := pages.Parse(c.r.URL.Query().Get)
	if err != nil {
		return edge.Reply{}, err
	}
	items, at, err := dialect.List(c.ctx(), from, opts, at)
	if err != nil {
		return edge.Reply{}, err
	}
	return paged(c, name, items, at, at.Next() != 0, view)
}

// page answers the page of a list that was asked for.
func page[T any](c call, name string, items []T, view rendering[T]) (edge.Reply, error) {
	at, err := pages.Parse(c.r.URL.Query().Get)
	if err != nil {
		return edge.Reply{}, err
	}
	at.Total = len(items)
	part, more := fault.Numbered(c.ctx(), items, at.Page, at.Size)
	return paged(c, name, part, at, more, view)
}

// paged answers the items of a page.
func paged[T any](c call, name string, items []T, at dialect.Position, more bool, view rendering[T]) (edge.Reply, error) {
	if items == nil {
		items = []T{} // which is [] in the answer, and never null
	}
	shown, err := view(items)
	if err != nil {
		return edge.Reply{}, err
	}
	p := paginationOf(at, more)
	return edge.Reply{Status: http.StatusOK, Body: listing{
		map[string]any{name: shown, "meta": map[string]any{"pagination": p}}, c.link(p),
	}}, nil
}

func paginationOf(at dialect.Position, more bool) pagination {
	last := at.Last()
	p := pagination{Page: at.Page, PerPage: at.Size, LastPage: &last, TotalEntries: &at.Total}
	if previous := at.Previous(); previous > 0 {
		p.PreviousPage = &previous
	}
	if next := at.Page + 1; more {
		p.NextPage = &next
	}
	return p
}

// link has the pages as RFC 8288 has them.
func (c call) link(p pagination) string {
	scheme := "http"
	if c.r.TLS != nil {
		scheme = "https"
	}
	query, first := c.r.URL.Query(), 1
	var links []string
	for _, to := range []struct {
		rel  string
		page *int
	}{{"first", &first}, {"prev", p.PreviousPage}, {"next", p.NextPage}, {"last", p.LastPage}} {
		if to.page == nil {
			continue
		}
		query.Set("page", strconv.Itoa(*to.page))
		query.Set("per_page", strconv.Itoa(p.PerPage))
		links = append(links, fmt.Sprintf(`<%s://%s%s?%s>; rel="%s"`, scheme, c.r.Host, c.r.URL.Path, query.Encode(), to.rel))
	}
	return strings.Join(links, ", ")
}

// order compares two items of a list.
type order[T any] func(a, b T) int

// sorted sorts a list as the query says, by fields that it has an order for.
func sorted[T any](c call, items []T, orders map[string]order[T]) error {
	var by []order[T]
	for _, text := range c.r.URL.Query()["sort"] {
		for _, part := range strings.Split(text, ",") {
			name, direction, _ := strings.Cut(part, ":")
			compare, ok := orders[name]
			if !ok || direction != "" && direction != "asc" && direction != "desc" {
				return wrong("sort", "%q is not allowed: must be one of %s, with :asc or :desc", part, strings.Join(sortedKeys(orders), ", "))
			}
			if direction == "desc" {
				ascending := compare
				compare = func(a, b T) int { return ascending(b, a) }
			}
			by = append(by, compare)
		}
	}
	slices.SortStableFunc(items, func(a, b T) int {
		for _, compare := range by {
			if n := compare(a, b); n != 0 {
				return n
			}
		}
		return 0
	})
	return nil
}

// resource is what all resources of the cloud are behind a pointer.
type resource[T any] interface {
	*T
	GetMeta() *simcloud.Meta
}

// byMeta are the orders that lists of resources have.
func byMeta[T any, P resource[T]]() map[string]order[T] {
	meta := func(v T) *simcloud.Meta { return P(&v).GetMeta() }
	return map[string]order[T]{
		"id":      func(a, b T) int { return int(numberOf(meta(a).ID) - numberOf(meta(b).ID)) },
		"name":    func(a, b T) int { return strings.Compare(meta(a).Name, meta(b).Name) },
		"created": func(a, b T) int { return meta(a).Created.Compare(meta(b).Created) },
	}
}

// each makes of each item what an answer has; never nil.
func each[T, V any](items []T, view func(T) V) []V {
	views := make([]V, len(items))
	for i, item := range items {
		views[i] = view(item)
	}
	return views
}
