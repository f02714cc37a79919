package fault

import (
	"context"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

type liarKey struct{}

// liar is a lie that is to be told to one call.
type liar struct {
	page *Page
	hit  *Hit
}

func (p *Page) override(ctx context.Context, h *Hit) context.Context {
	return context.WithValue(ctx, liarKey{}, liar{p, h})
}

// List lists as op does, unless a fault rule in ctx changes the list.
func List[T any](ctx context.Context, op simcloud.ListFunc[T], opts simcloud.ListOptions) (simcloud.Page[T], error) {
	l, ok := ctx.Value(liarKey{}).(liar)
	if !ok {
		return op(ctx, opts)
	}
	if l.page.Lie == LieSize {
		opts.PageSize = l.page.Size
	}
	page, err := op(ctx, opts)
	if err != nil || len(page.Items) == 0 {
		return page, err
	}
	return lie(ctx, l, op, opts, page)
}

func lie[T any](ctx context.Context, l liar, op simcloud.ListFunc[T], opts simcloud.ListOptions, page simcloud.Page[T]) (simcloud.Page[T], error) {
	var err error
	last := len(page.Items) - 1
	switch l.page.Lie {
	case LieShort:
		page.Items, page.NextPage = page.Items[:len(page.Items)/2], ""
	case LieDrop:
		i := l.hit.dice.IntN(len(page.Items))
		page.Items = slices.Delete(page.Items, i, i+1)
	case LieDuplicate:
		if page.NextPage == "" || last == 0 {
			page.Items = append(page.Items, page.Items[last])
			break
		}
		// The next page begins where one of a smaller size would have ended.
		page.NextPage, err = following(ctx, op, opts, last)
	case LieShift:
		if page.NextPage == "" {
			break
		}
		opts.PageToken = page.NextPage
		page.NextPage, err = following(ctx, op, opts, 1)
	case LieSize: // the page is that already
	}
	return page, err
}

// following returns the token of the page after one of that size.
func following[T any](ctx context.Context, op simcloud.ListFunc[T], opts simcloud.ListOptions, size int) (string, error) {
	opts.PageSize = size
	page, err := op(ctx, opts)
	return page.NextPage, err
}
