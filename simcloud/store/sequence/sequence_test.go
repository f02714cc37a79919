package sequence

import (
	"slices"
	"testing"
)

func set(numbers ...uint64) Set {
	of := map[uint64]bool{}
	for _, n := range numbers {
		of[n] = true
	}
	return Keys(of)
}

func TestSets(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		set  Set
		want []uint64
	}{
		{"keys", set(9, 1, 4), []uint64{1, 4, 9}},
		{"no keys", set(), nil},
		{"union", Union{set(1, 4), set(), set(4, 9)}, []uint64{1, 4, 9}},
		{"union of nothing", Union{}, nil},
		{"intersection", Intersection{set(1, 4, 9, 12), set(2, 4, 12), set(4, 5, 12)}, []uint64{4, 12}},
		{"intersection that agrees late", Intersection{set(1, 5), set(2, 5), set(3, 5)}, []uint64{5}},
		{"intersection with nothing", Intersection{set(1, 4), set()}, nil},
		{"without", Without[int]{Of: set(1, 2, 3, 7), Left: map[uint64]int{2: 0, 3: 0, 8: 0}}, []uint64{1, 7}},
	} {
		var got []uint64
		for n, ok := test.set.Seek(0); ok; n, ok = test.set.Seek(n + 1) {
			got = append(got, n)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
