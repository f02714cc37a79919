package output

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/client-go/util/jsonpath"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

// sorted returns values in the order that --sort-by asks for; equal ones keep theirs.
func sorted[T any](w io.Writer, items []T) ([]T, error) {
	path := screenOf(w).sortBy
	if path == nil {
		return items, nil
	}
	type keyed struct {
		item T
		key  any
	}
	all := make([]keyed, 0, len(items))
	for _, item := range items {
		key, err := sortKey(path, item)
		if err != nil {
			return nil, exit.Usage(fmt.Errorf("--%s: %w", flagSortBy, err))
		}
		all = append(all, keyed{item, key})
	}
	slices.SortStableFunc(all, func(a, b keyed) int { return compareKeys(a.key, b.key) })
	ordered := make([]T, 0, len(items))
	for _, k := range all {
		ordered = append(ordered, k.item)
	}
	return ordered, nil
}

// sortKey is the first value that a path finds; nil when it finds none.
func sortKey(path *jsonpath.JSONPath, item any) (any, error) {
	value, err := tree(item)
	if err != nil {
		return nil, err
	}
	found, err := findAll(path, value)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// compareKeys orders numbers by their size and all else by its text, in which numbers count as such: i-9 is before
// i-10. A value that is missing is the first.
func compareKeys(a, b any) int {
	if x, ok := number(a); ok {
		if y, ok := number(b); ok {
			return cmp.Compare(x, y)
		}
	}
	if a == nil || b == nil {
		return cmp.Compare(boolInt(a != nil), boolInt(b != nil))
	}
	return compareNatural(fmt.Sprint(a), fmt.Sprint(b))
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func number(value any) (float64, bool) {
	switch n := value.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// compareNatural compares texts piece by piece: runs of digits by their number, all else by its letters.
func compareNatural(a, b string) int {
	for a != "" && b != "" {
		x, y := piece(a), piece(b)
		a, b = a[len(x):], b[len(y):]
		if order := comparePieces(x, y); order != 0 {
			return order
		}
	}
	return cmp.Compare(len(a), len(b))
}

func comparePieces(x, y string) int {
	if isDigit(x[0]) && isDigit(y[0]) {
		x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
	}
	return cmp.Compare(x, y)
}

// piece is the beginning of a text that is all digits, or has none.
func piece(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return isDigit(text[0]) != (r >= '0' && r <= '9') })
	if end < 0 {
		return text
	}
	return text[:end]
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
