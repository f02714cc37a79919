package elbv2

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// pages are the parameters of a list in pages.
type pages struct {
	Marker   string `aws:"Marker"`
	PageSize *int   `aws:"PageSize"`
}

// pageSizes is how many items a page has.
var pageSizes = service.PageSize{Least: 1, Most: 400}

// page returns the page that is asked for, and the marker of the next one.
func page[T any](c service.Call, items []T, id func(T) simcloud.ID, p pages, question any) ([]T, string, error) {
	if p.PageSize != nil && (*p.PageSize < pageSizes.Least || *p.PageSize > pageSizes.Most) {
		return nil, "", service.Refuse(simcloud.Invalid, "ValidationError", "PageSize is %d: must be between %d and %d", *p.PageSize, pageSizes.Least, pageSizes.Most)
	}
	shown, next, err := service.Cut(c, items, func(item T) string { return string(id(item)) },
		service.Pages{MaxResults: p.PageSize, NextToken: p.Marker}, pageSizes, question)
	if simcloud.CodeOf(err) == simcloud.Invalid {
		err = service.Refuse(simcloud.Invalid, "ValidationError", "The Marker is not one of this list and these parameters")
	}
	return shown, next, err
}
