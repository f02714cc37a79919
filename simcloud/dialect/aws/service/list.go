package service

import (
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
)

// WithIDs returns the items that have one of the ids, or all when there are no ids. An id that nothing has is an
// error with a code of AWS' own.
func WithIDs[T any](items []T, ids []string, id func(T) string, code, what string) ([]T, error) {
	if len(ids) == 0 {
		return items, nil
	}
	missing := slices.DeleteFunc(slices.Clone(ids), func(wanted string) bool {
		return slices.ContainsFunc(items, func(item T) bool { return id(item) == wanted })
	})
	if len(missing) > 0 {
		return nil, Refuse(simcloud.NotFound, code, "The %s ID '%s' does not exist", what, query.Clip(strings.Join(missing, ", ")))
	}
	return slices.DeleteFunc(items, func(item T) bool { return !slices.Contains(ids, id(item)) }), nil
}
