package scenarios

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestPackets: a scenario that needs pods with traffic is skipped where there is none, with the reason.
func TestPackets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newFakeCluster(t)
		passes(t, packets(t, c, `  - expect: testImage == "testserver:1"`+"\n"))
		c.noPackets = true
		r := packets(t, c, "  - machine: {kill: node-1}\n")
		if r.Status != Skipped || !strings.Contains(r.Reason, "--backend kind") {
			t.Errorf("it is %s: %q, want it skipped", r.Status, r.Reason)
		}
		if got := c.controls.said(); got != "" {
			t.Errorf("it did: %s", got)
		}
	})
}
