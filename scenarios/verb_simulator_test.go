package scenarios

import (
	"errors"
	"testing"
)

// TestSimulatorRestart: a cloud that starts again has no faults. What they have
// done stays to be seen, and no call is missed or seen twice.
func TestSimulatorRestart(t *testing.T) {
	c := newFakeCluster(t)
	c.controls.restarted = func() {
		c.cloud.do(func() { c.cloud.broken = true })
		c.cloud.call("ccm/2", "ListInstances", "instance", "")
		c.cloud.do(func() { c.cloud.broken = false })
		_ = c.rules.ClearFaults(t.Context())
	}
	old := c.cloud.answer
	c.cloud.answer = func(operation string, args map[string]any) (any, error) {
		if operation == "GetRegion" {
			c.cloud.call("ccm/1", "GetZone", "zone/a", "")
			c.ccmCalls("GetZone")
			return nil, nil
		}
		return old(operation, args)
	}
	passes(t, perform(t, c, `
  - fault: {name: x, match: {operation: GetZone}, effect: {hang: {}}}
  - cloud: {operation: GetRegion, args: {id: x}}
  - cloud: {operation: GetRegion, args: {id: x}}
  - expect: calls.size() == 2 && faults["x"].hits == 2
  - simulator: restart
  - expect: calls.map(c, c.seq) == [1, 2, 3] && faults["x"].hits == 2
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
	if got := c.controls.said(); got != "restart the cloud, restart the cloud" {
		t.Errorf("the simulator was told %s", got)
	}
	c = newFakeCluster(t)
	c.controls.err = errors.New("no way")
	fails(t, perform(t, c, "  - simulator: restart\n"), "restart the simulator: no way")
}
