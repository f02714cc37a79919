package embedded

import (
	"testing"
	"time"
)

func TestCalibrate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		took   time.Duration
		grace  time.Duration // of the configuration
		factor float64
		want   time.Duration
	}{
		{nominalStart / 2, 0, 1, defaultNodeGrace},
		{nominalStart, 0, 1, defaultNodeGrace},
		{nominalStart * 3 / 2, 0, 1.5, defaultNodeGrace * 3 / 2},
		{nominalStart * 100, 0, 8, defaultNodeGrace * 8},
		{nominalStart * 2, time.Hour, 2, time.Hour},
	} {
		p := &plane{grace: c.grace}
		if p.calibrate(c.took); p.factor != c.factor || p.grace != c.want {
			t.Errorf("%s: factor %v and grace %s, want %v and %s", c.took, p.factor, p.grace, c.factor, c.want)
		}
	}
}

// TestNodeMaskFor gives each node a prefix, as long as the cluster's has one for it.
func TestNodeMaskFor(t *testing.T) {
	t.Parallel()
	for nodes, want := range map[int]int{0: 24, 200: 24, 250: 25, 1000: 27, 3000: 28, 100_000: 28} {
		if got := NodeMaskFor(nodes); got != want {
			t.Errorf("%d nodes get /%d, want /%d", nodes, got, want)
		}
	}
}
