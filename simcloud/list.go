package simcloud

import "context"

// Limits of a list's page size.
const (
	DefaultPageSize = 100
	MaxPageSize     = 1000
)

// ListOptions chooses what a list shows. The zero value shows the first page of everything.
type ListOptions struct {
	// Name is the exact name; empty for any.
	Name string
	// Selector is a label selector in Kubernetes' syntax; empty for any.
	Selector string
	// State is the exact state; empty for any.
	State string
	// RefersTo is a resource to which all of the list refer, as kind/id: the load balancers that have
	// instance/i-7 as a target, what is in network/net-1. Empty for any.
	RefersTo string
	// PageSize is the number of items of a page; 0 means DefaultPageSize, at most MaxPageSize.
	PageSize int
	// PageToken is the NextPage of the page before. It is valid only with the same Name, Selector, State and RefersTo.
	PageToken string
	// Page asks for a page by its number, from 1, in place of PageToken; the answer has
	// the Total and no NextPage. What is deleted between two pages moves the rest forward, so
	// that something is not seen: to see everything, use tokens.
	Page int
}

// MaxPage is the highest number of a page that can be asked for.
const MaxPage = 1_000_000

// ListFunc is a list operation of API, such as API.ListInstances.
type ListFunc[T any] func(context.Context, ListOptions) (Page[T], error)

// ListAll reads all pages. It returns an error, and no items, unless it has seen every page.
func ListAll[T any](ctx context.Context, list ListFunc[T], opts ListOptions) ([]T, error) {
	var items []T
	for {
		page, err := list(ctx, opts)
		if err != nil {
			return nil, err
		}
		items = append(items, page.Items...)
		if page.NextPage == "" {
			return items, nil
		}
		if page.NextPage == opts.PageToken {
			return nil, Errorf(Internal, "", "the list's next page is the page itself")
		}
		opts.PageToken = page.NextPage
	}
}
