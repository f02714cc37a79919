package step_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestSimulatorRestart: a cloud that starts again has no faults. What they have
// done stays to be seen, and no call is missed or seen twice.
func TestSimulatorRestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		c.Control.Restarted = func() {
			c.Cloud.Link(true)
			c.Cloud.CCMCalls(t, "ListInstances")
			c.Cloud.Link(false)
			_ = c.Cloud.Sim.Faults().ClearFaults(context.Background())
		}
		c.Instead("GetRegion", func(map[string]any) (any, error) {
			c.Cloud.CCMCalls(t, "GetZone")
			return nil, nil
		})
		runtest.Passes(t, runtest.Perform(t, c, `
  - fault: {name: x, match: {operation: GetZone}, effect: {hang: {}}}
  - cloud: {operation: GetRegion, args: {id: x}}
  - cloud: {operation: GetRegion, args: {id: x}}
  - expect: calls.size() == 2 && faults["x"].hits == 2
  - simulator: restart
  - expect: calls.map(c, c.operation) == ["GetZone", "GetZone", "ListInstances"] && faults["x"].hits == 2
  - cloud: {operation: GetRegion, args: {id: x}}
  - expect: calls.size() == 4 && faults["x"].hits == 2
  - {expect: calls.size() == 4, holds: 300ms}
  - fault: {name: x, match: {operation: GetZone}, effect: {hang: {}}}
  - cloud: {operation: GetRegion, args: {id: x}}
  - expect: faults["x"].hits == 1 && calls.size() == 5
  - simulator: restart
  - fault: {name: other, effect: {hang: {}}}
  - clearFaults: x
  - cloud: {operation: ListFaults, capture: left}
  - expect: left.items.map(r, r.name) == ["other"]
`))
		if got := c.Control.Said(); got != "restart the cloud, restart the cloud" {
			t.Errorf("the simulator was told %s", got)
		}
		c = steptest.NewCluster(t)
		c.Control.Err = errors.New("no way")
		runtest.Fails(t, runtest.Perform(t, c, "  - simulator: restart\n"), "restart the simulator: no way")
	})
}
