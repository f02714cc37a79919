package neutron

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// filters are the texts that an item has for each filter of its list. An item is shown that has, for each filter of
// a request, one of the texts that the request gives. Neutron ignores filters that it does not know.
type filters[T any] map[string]func(T) []string

// listed is an item of a list.
type listed interface{ get() standard }

// list is the handler of a list.
func list[T listed](collection string, all func(service.Call) ([]T, error), own filters[T]) service.Handler {
	known := standardFilters[T]()
	maps.Copy(known, own)
	return service.Read(func(c service.Call) (any, error) {
		items, err := all(c)
		if err != nil {
			return nil, err
		}
		return service.List(c, collection, known.choose(c.Query(), items), func(item T) string { return item.get().ID }, service.Pages{})
	})
}

// one is the text of a filter for items that have one each.
func one[T any](of func(T) string) func(T) []string {
	return func(item T) []string { return []string{of(item)} }
}

// standardFilters are those of every list.
func standardFilters[T listed]() filters[T] {
	return filters[T]{
		"id":              one(func(item T) string { return item.get().ID }),
		"description":     one(func(item T) string { return item.get().Description }),
		"project_id":      one(func(item T) string { return item.get().ProjectID }),
		"tenant_id":       one(func(item T) string { return item.get().TenantID }),
		"revision_number": one(func(item T) string { return strconv.FormatUint(item.get().RevisionNumber, 10) }),
	}
}

// choose returns the items that a request asks for.
func (f filters[T]) choose(query url.Values, items []T) []T {
	return slices.DeleteFunc(slices.Clone(items), func(item T) bool { return !f.match(query, item) })
}

func (f filters[T]) match(query url.Values, item T) bool {
	for name, wanted := range query {
		texts, known := f[name]
		if known && !slices.ContainsFunc(texts(item), func(text string) bool { return contains(wanted, text) }) {
			return false
		}
	}
	tagged, ok := any(item).(listed)
	return !ok || hasTags(query, tagged.get().Tags)
}

// contains is whether a text is one of those that are wanted. Booleans may be written with capitals, as Python does.
func contains(wanted []string, text string) bool {
	if text == "true" || text == "false" {
		return slices.ContainsFunc(wanted, func(want string) bool { return strings.EqualFold(want, text) })
	}
	return slices.Contains(wanted, text)
}

// hasTags reports whether an item with tags fits the four filters of tags, of which each has a list.
func hasTags(query url.Values, tags []string) bool {
	has := func(tag string) bool { return slices.Contains(tags, tag) }
	all := func(filter string) bool {
		return !slices.ContainsFunc(strings.Split(query.Get(filter), ","), func(tag string) bool { return !has(tag) })
	}
	anyOf := func(filter string) bool { return slices.ContainsFunc(strings.Split(query.Get(filter), ","), has) }
	return (!query.Has("tags") || all("tags")) && (!query.Has("tags-any") || anyOf("tags-any")) &&
		(!query.Has("not-tags") || !all("not-tags")) && (!query.Has("not-tags-any") || !anyOf("not-tags-any"))
}
