package budget

import "testing"

// TestPassCalls: with many instances of others, single questions are cheaper for a few Nodes.
func TestPassCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ nodes, instances, want int }{
		{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {1000, 1000, 2}, {1001, 1001, 4},
		{1, 5000, 1}, {2, 5000, 6}, {5, 5000, 6}, {6, 5000, 10}, {1000, 5000, 10},
	} {
		if got := PassCalls(c.nodes, c.instances); got != c.want {
			t.Errorf("%d Nodes of %d instances: %d calls, want %d", c.nodes, c.instances, got, c.want)
		}
	}
}
