package fault

import (
	"context"
	"slices"
)

// Lies reports whether a fault rule in ctx changes lists.
func Lies(ctx context.Context) bool {
	_, ok := ctx.Value(liarKey{}).(liar)
	return ok
}

// Numbered returns the page of a list whose pages have numbers from 1, and whether another
// page follows, unless a fault rule in ctx changes the list. Pages by number cannot be shifted
// by a token, as those of [List] are: with LieDuplicate a page begins with the last item of the
// page before, with LieShift it lacks its first. The number of a page stays what it is with LieSize.
func Numbered[T any](ctx context.Context, items []T, number, size int) (page []T, more bool) {
	l, lies := ctx.Value(liarKey{}).(liar)
	if lies && l.page.Lie == LieSize {
		size = l.page.Size
	}
	from := min((number-1)*size, len(items))
	to := min(from+size, len(items))
	page, more = slices.Clone(items[from:to]), to < len(items)
	if !lies || len(page) == 0 {
		return page, more
	}
	switch l.page.Lie {
	case LieShort:
		page, more = page[:len(page)/2], false
	case LieDrop:
		i := l.hit.dice.IntN(len(page))
		page = slices.Delete(page, i, i+1)
	case LieDuplicate:
		switch {
		case from > 0:
			page = append([]T{items[from-1]}, page...)
		case !more:
			page = append(page, page[len(page)-1])
		}
	case LieShift:
		if from > 0 {
			page = page[1:]
		}
	case LieSize: // the page is that already
	}
	return page, more
}
