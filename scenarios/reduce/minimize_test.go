package reduce

import (
	"slices"
	"testing"
)

// TestMinimizer: what is left is what the failure needs, in its order, however many lists are tried at a time.
func TestMinimizer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		size   int
		needed []int
	}{
		{"nothing", 10, nil},
		{"one", 10, []int{7}},
		{"first and last", 10, []int{0, 9}},
		{"neighbours", 4, []int{3, 4, 5}},
		{"singles", 1, []int{2, 8}},
		{"all", 10, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
	}
	for _, test := range tests {
		for n := 1; n <= 3; n++ {
			shows := func(list []int) bool {
				return !slices.ContainsFunc(test.needed, func(i int) bool { return !slices.Contains(list, i) })
			}
			m := Minimizer[int]{Items: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, Size: test.size, Repeat: true}
			tries := 0
			for lists := m.Next(n); len(lists) > 0 && tries < 100; lists = m.Next(n) {
				tries += len(lists)
				m.Tell(slices.IndexFunc(lists, shows))
			}
			if !slices.Equal(m.Items, test.needed) || tries > 40 {
				t.Errorf("%s, %d at a time: %v is left after %d tries, want %v", test.name, n, m.Items, tries, test.needed)
			}
		}
	}
}

// TestMinimizerNeeds: an item that only another one needs is left out after that one, if items are tried again.
func TestMinimizerNeeds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		repeat bool
		left   []string
	}{
		{true, []string{"fault"}},
		{false, []string{"vm", "fault"}},
	}
	for _, test := range tests {
		m := Minimizer[string]{Items: []string{"vm", "service", "fault"}, Size: 1, Repeat: test.repeat}
		for lists := m.Next(2); len(lists) > 0; lists = m.Next(2) {
			m.Tell(slices.IndexFunc(lists, func(list []string) bool {
				return slices.Contains(list, "fault") && (slices.Contains(list, "vm") || !slices.Contains(list, "service"))
			}))
		}
		if !slices.Equal(m.Items, test.left) {
			t.Errorf("with Repeat %v, %v is left, want %v", test.repeat, m.Items, test.left)
		}
	}
}
