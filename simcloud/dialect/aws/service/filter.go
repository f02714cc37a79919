package service

import (
	"maps"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
)

// Filter is a filter of a list of EC2: one of its values must fit.
type Filter struct {
	Name   string   `aws:"Name,required"`
	Values []string `aws:"Value"`
}

// The bounds of filters, as EC2's documents have them.
const (
	maxFilters = 50
	maxValues  = 200
)

// Facts returns the texts that an item has for a filter.
type Facts[T any] func(T) []string

// Filters are the filters that a list knows, by name. Each list knows "tag:KEY" and "tag-key" besides.
type Filters[T any] struct {
	Facts map[string]Facts[T]
	Tags  func(T) map[string]string
}

// Choose returns the items that all filters fit.
func (f Filters[T]) Choose(items []T, filters []Filter) ([]T, error) {
	if len(filters) > maxFilters {
		return nil, Refuse(simcloud.Invalid, "FilterLimitExceeded", "The request has %d filters: at most %d are allowed", len(filters), maxFilters)
	}
	for _, filter := range filters {
		facts, err := f.facts(filter)
		if err != nil {
			return nil, err
		}
		items = slices.DeleteFunc(items, func(item T) bool { return !fitsAny(filter.Values, facts(item)) })
	}
	return items, nil
}

// facts are those that a filter asks for.
func (f Filters[T]) facts(filter Filter) (Facts[T], error) {
	switch {
	case len(filter.Values) == 0:
		return nil, Refuse(simcloud.Invalid, "InvalidParameterValue", "The filter '%s' has no values: at least one is required", query.Clip(filter.Name))
	case len(filter.Values) > maxValues:
		return nil, Refuse(simcloud.Invalid, "FilterLimitExceeded", "The filter '%s' has %d values: at most %d are allowed",
			query.Clip(filter.Name), len(filter.Values), maxValues)
	}
	if facts, ok := f.Facts[filter.Name]; ok {
		return facts, nil
	}
	if key, ok := strings.CutPrefix(filter.Name, "tag:"); ok {
		return func(item T) []string {
			if value, has := f.Tags(item)[key]; has {
				return []string{value}
			}
			return nil
		}, nil
	}
	if filter.Name == "tag-key" {
		return func(item T) []string { return slices.Collect(maps.Keys(f.Tags(item))) }, nil
	}
	return nil, Refuse(simcloud.Invalid, "InvalidParameterValue", "The filter '%s' is invalid: must be one of %s, tag:KEY and tag-key",
		query.Clip(filter.Name), strings.Join(slices.Sorted(maps.Keys(f.Facts)), ", "))
}

func fitsAny(patterns, texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool { return fits(pattern, text) })
	})
}

// fits reports whether a text matches a value of a filter, in which * stands for any text, ? for any
// one character, and \ takes that from the next one.
func fits(pattern, text string) bool {
	p, t := []rune(pattern), []rune(text)
	// back is where the last * is tried once more, for one character more of the text.
	i, j, back, tried := 0, 0, -1, 0
	for j < len(t) {
		switch {
		case i < len(p) && p[i] == '*':
			back, tried = i, j
			i++
		case i+1 < len(p) && p[i] == '\\' && p[i+1] == t[j]:
			i, j = i+2, j+1
		case i < len(p) && p[i] != '\\' && (p[i] == '?' || p[i] == t[j]):
			i, j = i+1, j+1
		case back >= 0:
			tried++
			i, j = back+1, tried
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
