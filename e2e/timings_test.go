package e2e_test

import (
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/e2e"
)

// TestTimingsFor: hollow nodes report at most 100 times a second together, and silent ones have four of their periods.
func TestTimingsFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		hollow           int
		heartbeat, grace time.Duration
	}{{0, time.Second, 0}, {100, time.Second, 0}, {101, 2 * time.Second, 8 * time.Second}, {1000, 10 * time.Second, 40 * time.Second}} {
		timings, grace := e2e.TimingsFor(test.hollow)
		if timings.Heartbeat != test.heartbeat || grace != test.grace {
			t.Errorf("%d nodes report each %s, and have %s; want %s and %s", test.hollow, timings.Heartbeat, grace, test.heartbeat, test.grace)
		}
		if grace > 0 && timings.NodeLease != grace {
			t.Errorf("%d nodes: a lease of %s, and a grace of %s", test.hollow, timings.NodeLease, grace)
		}
	}
	if timings, _ := e2e.TimingsFor(100); timings != e2e.DefaultTimings() {
		t.Errorf("100 nodes have %+v, not what others have", timings)
	}
}
