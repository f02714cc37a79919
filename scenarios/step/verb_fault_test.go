package step_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// withCCM lets the step {cloud: {operation: GetRegion, args: {id: OPERATION}}} be a call of the CCM.
func withCCM(t *testing.T) *steptest.Cluster {
	c := steptest.NewCluster(t)
	c.Instead("GetRegion", func(args map[string]any) (any, error) {
		return map[string]any{"effect": c.Cloud.CCMCalls(t, args["id"].(string))}, nil
	})
	return c
}

// TestFaultBendsTheCCM: a rule holds for the CCM's calls until it is cleared, and what it did stays to be seen.
func TestFaultBendsTheCCM(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := withCCM(t)
		runtest.Passes(t, runtest.PerformSpec(t, c, `ccm: stopped
  skipOracles: [leak]
  steps:
  - capture: {operation: '"CreateLoadBalancer"'}
  - fault: {name: lost, match: {operation: "${operation}"}, when: {times: 2}, effect: {reset: {when: after}}}
  - expect: faults["lost"].hits == 0 && faults["lost"].calls == 0
  - cloud: {operation: GetRegion, args: {id: CreateLoadBalancer}, capture: call}
  - expect: dyn(call).effect == "reset" && faults["lost"].hits == 1
  - cloud: {operation: GetRegion, args: {id: GetZone}, capture: call}
  - expect: dyn(call).effect == "" && faults["lost"].calls == 1
  - clearFaults: lost
  - cloud: {operation: GetRegion, args: {id: CreateLoadBalancer}, capture: call}
  - expect: dyn(call).effect == "" && faults["lost"].hits == 1
  - fault: {name: lost, effect: {hang: {}}}
  - expect: faults["lost"].hits == 0
`))
	})
}

// TestFaultOfOthers: a rule names the callers to whose calls it applies.
func TestFaultOfOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tests := []struct{ match, caller string }{
			{``, "tok-2"},
			{`match: {operation: GetZone}, `, "tok-2"},
			{`match: {operation: GetZone, caller: "*"}, `, "*"},
			{`match: {caller: "cli*"}, `, "cli*"},
		}
		for _, test := range tests {
			c := steptest.NewCluster(t)
			caller := ""
			old := c.Cloud.Answer
			c.Cloud.Answer = func(operation string, args map[string]any) (any, error) {
				if operation == "AddFault" {
					caller, _ = args["match"].(map[string]any)["caller"].(string)
				}
				return old(operation, args)
			}
			runtest.Passes(t, runtest.Perform(t, c, "  - fault: {name: x, "+test.match+"effect: {hang: {}}}\n"))
			if caller != test.caller {
				t.Errorf("%q is for the caller %q, want %q", test.match, caller, test.caller)
			}
		}
	})
}

// TestFaultsAreSeenAtOnce: an expectation that waits for a hit sees it though nothing else happens.
func TestFaultsAreSeenAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		old := c.Cloud.Answer
		var reads atomic.Int32
		c.Cloud.Answer = func(operation string, args map[string]any) (any, error) {
			if n := reads.Add(1); operation == "ListFaults" && n > 5 {
				c.Cloud.CCMCalls(t, "GetZone")
			}
			return old(operation, args)
		}
		runtest.Passes(t, runtest.Perform(t, c, `
  - fault: {name: stuck, effect: {hang: {}}}
  - {expect: 'faults["stuck"].hits >= 2', within: 60s}
`))
	})
}

// TestFaultsEndBeforeFinally: what steps have let go wrong is over when finally runs, also after a failure.
func TestFaultsEndBeforeFinally(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		runtest.Fails(t, runtest.Perform(t, c, `
  - fault: {name: a, effect: {hang: {}}}
  - fault: {name: b, effect: {hang: {}}}
  - cloud: {operation: AddFault, args: {name: other, match: {operation: GetZone}, effect: {hang: {}}}}
  - kube: {forbid: {verbs: [delete], resources: [nodes]}}
  - expect: faults["a"].hits == 7
  finally:
  - cloud: {operation: ListFaults, capture: left}
  - expect: left.items.size() == 0 && faults.size() == 2
  - clearFaults: all
`), "the expectation is false")
		if got := c.Control.Said(); got != "forbid [delete] of [nodes], allow" {
			t.Errorf("the cluster was told %s", got)
		}
	})
}

func TestFaultThatTheCloudRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		c.Instead("AddFault", func(map[string]any) (any, error) {
			return nil, simcloud.Errorf(simcloud.Capacity, "fault", "there are too many")
		})
		runtest.Fails(t, runtest.Perform(t, c, "  - fault: {name: x, effect: {hang: {}}}\n"), "add the fault x: capacity (fault): there are too many")
		runtest.Fails(t, runtest.Perform(t, steptest.NewCluster(t), "  - fault: {name: x, match: {resource: \"${ns}/a\"}, effect: {lock: {for: 3s}}}\n"), "match.resource")
	})
}

// TestClearFaults: those that are named end, and those that are gone already are as good.
func TestClearFaults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := withCCM(t)
		runtest.Passes(t, runtest.Perform(t, c, `
  - fault: {name: a, match: {operation: GetZone}, effect: {hang: {}}}
  - fault: {name: b, match: {operation: GetZone}, effect: {error: {code: locked}}}
  - fault: {name: c, match: {operation: GetZone}, effect: {error: {code: locked}}}
  - clearFaults: [a, b]
  - clearFaults: [a, b]
  - cloud: {operation: GetRegion, args: {id: GetZone}, capture: call}
  - expect: dyn(call).effect == "error" && faults["c"].hits == 1 && faults["b"].calls == 0
  - cloud: {operation: DeleteFault, args: {id: c}}
  - clearFaults: c
  - fault: {name: c, match: {operation: GetZone}, effect: {error: {code: locked}}}
  - clearFaults: all
  - cloud: {operation: ListFaults, capture: left}
  - expect: left.items.size() == 0
`))
	})
}
