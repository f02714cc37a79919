package process

import "testing"

// TestRandomPort keeps the ports apart from those that others use: a CCM that gets
// 10260, the default of its --webhook-secure-port, as its --secure-port ends at once.
func TestRandomPort(t *testing.T) {
	t.Parallel()
	const webhook, firstOutgoing = 10260, 32768
	if got := randomPort(func(int) int { return 0 }); got != webhook+1 {
		t.Errorf("the lowest port is %d, want %d", got, webhook+1)
	}
	if got := randomPort(func(n int) int { return n - 1 }); got != firstOutgoing-1 {
		t.Errorf("the highest port is %d, want %d", got, firstOutgoing-1)
	}
}
