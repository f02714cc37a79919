package dialect

import (
	"context"
	"fmt"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Paging is what a format knows of pages by number.
type Paging struct {
	// Number and Size are the names of the parameters, such as "page" and "per_page".
	Number, Size string
	// Default is the size of a page that does not say, and Max the largest. A larger one is
	// Invalid, or where Clamp is set as large as Max.
	Default, Max int
	Clamp        bool
}

// Position is the place of a page in its list.
type Position struct {
	Page, Size int
	// Total is how many items the list has; known once the page has been read.
	Total int
}

// Parse reads the parameters of a request, which get returns by their names.
func (p Paging) Parse(get func(name string) string) (Position, error) {
	var wrong []simcloud.FieldError
	read := func(name string, fallback, limit int) int {
		text := get(name)
		if text == "" {
			return fallback
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > limit {
			detail := fmt.Sprintf("%q must be a number between 1 and %d", text, limit)
			wrong = append(wrong, simcloud.FieldError{Field: name, Detail: detail})
		}
		return n
	}
	largest := p.Max
	if p.Clamp {
		largest = simcloud.MaxPage
	}
	at := Position{Page: read(p.Number, 1, simcloud.MaxPage), Size: min(read(p.Size, p.Default, largest), p.Max)}
	return at, simcloud.InvalidFields("", wrong)
}

// List reads the page of a list that is at a position, in one transaction, and returns
// the position with the Total.
func List[T any](ctx context.Context, list simcloud.ListFunc[T], opts simcloud.ListOptions, at Position) ([]T, Position, error) {
	opts.Page, opts.PageSize, opts.PageToken = at.Page, at.Size, ""
	page, err := list(ctx, opts)
	at.Total = page.Total
	return page.Items, at, err
}

// Cut is List of items that are there already, in their order: for lists that the format
// filters or sorts in its own way. Read them within a View.
func Cut[T any](items []T, at Position) ([]T, Position) {
	at.Total = len(items)
	from := min((at.Page-1)*at.Size, len(items))
	return items[from:min(from+at.Size, len(items))], at
}

// Last is the number of the last page, which is 1 for an empty list.
func (p Position) Last() int { return max(1, (p.Total+p.Size-1)/p.Size) }

// Previous is the number of the page before; 0 for none. Behind the end it is the last page.
func (p Position) Previous() int { return min(p.Page-1, p.Last()) }

// Next is the number of the page that follows; 0 for none.
func (p Position) Next() int {
	if p.Page >= p.Last() {
		return 0
	}
	return p.Page + 1
}
