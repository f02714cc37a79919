package octavia

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// pages are those of Octavia. The link to the next one lacks the filters of the first.
var pages = service.Pages{Default: 1000, Max: 1000, LosesFilters: true}

// attributes are those of an item of a list, as JSON has them.
type attributes map[string]any

func attributesOf(item any) attributes {
	raw, _ := json.Marshal(item) // texts, numbers and lists of them always are JSON
	var all attributes
	_ = json.Unmarshal(raw, &all)
	return all
}

// The parameters of a list that are no filters by an attribute.
var (
	paging     = []string{"limit", "marker", "page_reverse"}
	sorting    = []string{"sort", "sort_key", "sort_dir"}
	tagFilters = []string{"tags", "tags-any", "not-tags", "not-tags-any"}
)

// parents are the filters by what an item is a part of, with the attribute that they go by.
var parents = map[string]string{"loadbalancer_id": "loadbalancers", "listener_id": "listeners", "pool_id": "pools"}

// listing is what a request asks of a list.
type listing struct {
	// filters are the wanted values of attributes, and tags those of the filters by tags.
	filters, tags map[string][]string
	order         []order
	// fields are the attributes that the answer has; empty: all.
	fields []string
}

// order is an attribute that a list is sorted by.
type order struct {
	attribute  string
	descending bool
}

// listed answers the page of the items that a request asks for. Each attribute of an item is a filter, and can be sorted by.
func listed[T any](c service.Call, collection string, items []T, uuid func(T) string) (any, error) {
	var none T
	l, err := listingOf(c.Query(), attributesOf(none))
	if err != nil {
		return nil, err
	}
	answer, err := service.List(c, collection, choose(l, items), uuid, pages)
	if body, ok := answer.(map[string]any); ok && len(l.fields) > 0 {
		body[collection] = selected(body[collection], l.fields)
	}
	return answer, err
}

// listingOf reads a query about items that have certain attributes.
func listingOf(query url.Values, known attributes) (listing, error) {
	l := listing{filters: map[string][]string{}, tags: map[string][]string{}, fields: query["fields"]}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		attribute := cmp.Or(parents[name], name)
		_, ok := known[attribute]
		switch {
		case name == "fields" || slices.Contains(paging, name) || slices.Contains(sorting, name):
		case slices.Contains(tagFilters, name):
			l.tags[name] = split(query[name])
		case !ok:
			return l, unknown("filter", name, known)
		default:
			l.filters[attribute] = query[name]
		}
	}
	l.order = ordersIn(query)
	for _, by := range l.order {
		if _, ok := known[by.attribute]; !ok {
			return l, unknown("sort key", by.attribute, known)
		}
	}
	for _, field := range l.fields {
		if _, ok := known[field]; !ok {
			return l, unknown("field", field, known)
		}
	}
	return l, nil
}

func unknown(what, name string, known attributes) error {
	return bad("Unknown %s %q: must be one of %v", what, name, slices.Sorted(maps.Keys(known)))
}

// split returns the items of lists with commas.
func split(lists []string) []string { return strings.Split(strings.Join(lists, ","), ",") }

// ordersIn reads sort_key and sort_dir, or sort, such as name:desc,id.
func ordersIn(query url.Values) []order {
	var all []order
	for i, key := range query["sort_key"] {
		directions := query["sort_dir"]
		all = append(all, order{key, i < len(directions) && directions[i] == "desc"})
	}
	if query.Has("sort") {
		for _, key := range split(query["sort"]) {
			attribute, direction, _ := strings.Cut(key, ":")
			all = append(all, order{attribute, direction == "desc"})
		}
	}
	return all
}

// choose returns the items that a request asks for, in its order.
func choose[T any](l listing, items []T) []T {
	if len(l.filters)+len(l.tags)+len(l.order) == 0 {
		return items
	}
	type candidate struct {
		item T
		has  attributes
	}
	var chosen []candidate
	for _, item := range items {
		if has := attributesOf(item); l.takes(has) {
			chosen = append(chosen, candidate{item, has})
		}
	}
	slices.SortStableFunc(chosen, func(a, b candidate) int { return l.compare(a.has, b.has) })
	found := make([]T, len(chosen))
	for i, one := range chosen {
		found[i] = one.item
	}
	return found
}

// takes reports whether the filters of the request take an item.
func (l listing) takes(has attributes) bool {
	for attribute, wanted := range l.filters {
		texts := has.texts(attribute)
		if !slices.ContainsFunc(wanted, func(want string) bool { return slices.Contains(texts, want) }) {
			return false
		}
	}
	tags := has.texts("tags")
	hasTag := func(tag string) bool { return slices.Contains(tags, tag) }
	hasAll := func(filter string) bool {
		return !slices.ContainsFunc(l.tags[filter], func(tag string) bool { return !hasTag(tag) })
	}
	return hasAll("tags") && (l.tags["tags-any"] == nil || slices.ContainsFunc(l.tags["tags-any"], hasTag)) &&
		(l.tags["not-tags"] == nil || !hasAll("not-tags")) && !slices.ContainsFunc(l.tags["not-tags-any"], hasTag)
}

// texts are the values that a filter by an attribute can ask for: those of a list are its items, or their ids.
func (a attributes) texts(attribute string) []string {
	switch value := a[attribute].(type) {
	case nil:
		return nil
	case string:
		return []string{value}
	case float64:
		return []string{strconv.FormatFloat(value, 'f', -1, 64)}
	case bool: // Python writes booleans with a capital
		if value {
			return []string{"true", "True"}
		}
		return []string{"false", "False"}
	case []any:
		var all []string
		for _, item := range value {
			if object, ok := item.(map[string]any); ok {
				item = object["id"]
			}
			if text, ok := item.(string); ok {
				all = append(all, text)
			}
		}
		return all
	default:
		return nil
	}
}

func (l listing) compare(a, b attributes) int {
	for _, by := range l.order {
		result := compareValues(a[by.attribute], b[by.attribute])
		if by.descending {
			result = -result
		}
		if result != 0 {
			return result
		}
	}
	return 0
}

// compareValues compares two values of one attribute. Nothing comes before something.
func compareValues(a, b any) int {
	if x, ok := a.(float64); ok {
		y, _ := b.(float64)
		return cmp.Compare(x, y)
	}
	x, _ := a.(string)
	y, _ := b.(string)
	return cmp.Compare(x, y)
}

// selected are the items of a page with some of their attributes.
func selected(page any, fields []string) []attributes {
	raw, _ := json.Marshal(page)
	all := []attributes{}
	_ = json.Unmarshal(raw, &all)
	for _, item := range all {
		maps.DeleteFunc(item, func(name string, _ any) bool { return !slices.Contains(fields, name) })
	}
	return all
}

// ofBalancer reports whether a request asks for what is a part of a load balancer.
func ofBalancer(query url.Values) func(simcloud.LoadBalancer) bool {
	return func(lb simcloud.LoadBalancer) bool {
		return service.Matches(query, "loadbalancer_id", service.LoadBalancers.UUID(lb.ID))
	}
}
