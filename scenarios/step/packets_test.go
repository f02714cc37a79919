package step_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestPackets: a scenario that needs pods with traffic is skipped where there is none, with the reason.
func TestPackets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		runtest.Passes(t, packets(t, c, `  - expect: testImage == "testserver:1"`+"\n"))
		c.NoPackets = true
		r := packets(t, c, "  - machine: {kill: node-1}\n")
		if r.Status != scenarios.Skipped || !strings.Contains(r.Reason, "--backend kind") {
			t.Errorf("it is %s: %q, want it skipped", r.Status, r.Reason)
		}
		if got := c.Control.Said(); got != "" {
			t.Errorf("it did: %s", got)
		}
	})
}
