package hcloud

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// The sizes of a page.
const (
	defaultPerPage = 25
	maxPerPage     = 50
)

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

// page answers the page of a list that was asked for: view makes of the items of the page
// what the answer has.
func page[T any](c call, name string, items []T, view func([]T) (any, error)) (edge.Reply, error) {
	number, size, err := c.paging()
	if err != nil {
		return edge.Reply{}, err
	}
	list := func(_ context.Context, opts simcloud.ListOptions) (simcloud.Page[T], error) {
		before, err := strconv.Atoi(opts.PageToken)
		from := min(before*opts.PageSize, len(items))
		to := min(from+opts.PageSize, len(items))
		part := simcloud.Page[T]{Items: slices.Clone(items[from:to])}
		if to < len(items) {
			part.NextPage = strconv.Itoa(before + 1)
		}
		return part, err
	}
	part, err := fault.List(c.ctx(), list, simcloud.ListOptions{PageSize: size, PageToken: strconv.Itoa(number - 1)})
	if err != nil {
		return edge.Reply{}, err
	}
	shown, err := view(part.Items)
	if err != nil {
		return edge.Reply{}, err
	}
	p := paginationOf(number, size, len(items), part.NextPage != "")
	return edge.Reply{Status: 200, Body: listing{
		map[string]any{name: shown, "meta": map[string]any{"pagination": p}}, c.link(p),
	}}, nil
}

// paging reads which page is asked for. More than the largest page is that.
func (c call) paging() (number, size int, err error) {
	query := c.r.URL.Query()
	if number, err = positive(query, "page", 1); err != nil {
		return 0, 0, err
	}
	size, err = positive(query, "per_page", defaultPerPage)
	return number, min(size, maxPerPage), err
}

func positive(query url.Values, name string, otherwise int) (int, error) {
	text := query.Get(name)
	if text == "" {
		return otherwise, nil
	}
	const largest = 1 << 31
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > largest {
		return 0, wrong(name, "%q is not a number from 1", text)
	}
	return n, nil
}

func paginationOf(number, size, total int, more bool) pagination {
	last := max(1, (total+size-1)/size)
	p := pagination{Page: number, PerPage: size, LastPage: &last, TotalEntries: &total}
	if number > 1 {
		previous := number - 1
		p.PreviousPage = &previous
	}
	if more {
		next := number + 1
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
