package service

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// Pages is how a service cuts its lists.
type Pages struct {
	// Default is the size of a page whose request has no limit, 0 for the whole list, and Max the largest; 0: any.
	Default, Max int
	// LosesFilters is whether the link to the next page lacks the filters of the request, as Octavia's does.
	LosesFilters bool
}

// Link leads to another page of a list.
type Link struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

// List answers the page that is asked for of items in their order. The links to the next page have the name of the
// collection with "_links" behind it.
func List[T any](c Call, collection string, items []T, uuid func(T) string, pages Pages) (any, error) {
	opts, err := pages.options(c.Query())
	if err != nil {
		return nil, err
	}
	page, err := fault.List(c.Ctx(), func(_ context.Context, opts simcloud.ListOptions) (simcloud.Page[T], error) {
		return cut(items, uuid, opts)
	}, opts)
	if err != nil {
		return nil, err
	}
	body := map[string]any{collection: append([]T{}, page.Items...)} // never null
	if page.NextPage != "" {
		body[collection+"_links"] = []Link{{"next", c.next(page.NextPage, pages)}}
	}
	return body, nil
}

func (p Pages) options(query url.Values) (simcloud.ListOptions, error) {
	opts := simcloud.ListOptions{PageSize: p.Default, PageToken: query.Get("marker")}
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return opts, Wrong("limit", "%q is not valid: must be a number that is not negative", text)
		}
		if n > 0 {
			opts.PageSize = n
		}
	}
	if p.Max > 0 {
		opts.PageSize = min(opts.PageSize, p.Max)
	}
	return opts, nil
}

// next is the URL of the page behind the item of an id.
func (c Call) next(marker string, pages Pages) string {
	query := maps.Clone(c.Query())
	if pages.LosesFilters {
		query = url.Values{"limit": query["limit"]}
		if len(query["limit"]) == 0 {
			delete(query, "limit")
		}
	}
	query.Set("marker", marker)
	return c.Endpoint() + c.request.URL.Path[len(Root):] + "?" + query.Encode()
}

// cut returns the page behind the item that the token names.
func cut[T any](items []T, uuid func(T) string, opts simcloud.ListOptions) (simcloud.Page[T], error) {
	rest := items
	if opts.PageToken != "" {
		i := slices.IndexFunc(items, func(item T) bool { return uuid(item) == opts.PageToken })
		if i < 0 {
			return simcloud.Page[T]{}, Wrong("marker", "%q is not an item of the list", opts.PageToken)
		}
		rest = items[i+1:]
	}
	if opts.PageSize == 0 || len(rest) <= opts.PageSize {
		return simcloud.Page[T]{Items: slices.Clone(rest)}, nil
	}
	shown := slices.Clone(rest[:opts.PageSize])
	return simcloud.Page[T]{Items: shown, NextPage: uuid(shown[len(shown)-1])}, nil
}

// All reads a whole list of the cloud.
func All[T any](c Call, list simcloud.ListFunc[T]) ([]T, error) {
	return simcloud.ListAll(c.Ctx(), list, simcloud.ListOptions{PageSize: simcloud.MaxPageSize})
}

// Matches reports whether a query has no filter of a name, or one of its values is the given one.
func Matches(query url.Values, filter, value string) bool {
	wanted, ok := query[filter]
	return !ok || slices.Contains(wanted, value)
}

// ListAs is List of items of the cloud, of which only those of the page are made into what the answer has.
func ListAs[T any](c Call, collection string, items []T, uuid func(T) string, show func(T) any, pages Pages) (any, error) {
	listed, err := List(c, collection, items, uuid, pages)
	if err != nil {
		return nil, err
	}
	body := listed.(map[string]any) //nolint:errcheck // it is one
	page := body[collection].([]T)  //nolint:errcheck // it is one
	shown := make([]any, len(page))
	for i, item := range page {
		shown[i] = show(item)
	}
	body[collection] = shown
	return body, nil
}
