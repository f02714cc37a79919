package step_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestCCMForms: each form reaches the CCM as it was written.
func TestCCMForms(t *testing.T) {
	tests := []struct{ step, ccm, standby string }{
		{"start", "start", ""},
		{"stop", "stop", ""},
		{"restart", "restart", ""},
		{"kill", "kill", ""},
		{"pause", "pause", ""},
		{"resume", "resume", ""},
		{"renewToken", "renewToken", ""},
		{"revokeToken", "revokeToken", ""},
		{"{standby: start}", "", "start"},
		{"{standby: stop}", "", "stop"},
		{"{standby: kill}", "", "kill"},
		{"{standby: pause}", "", "pause"},
		{"{standby: resume}", "", "resume"},
		{"{killAt: {operation: CreateLoadBalancer, when: after}}", "kill at {Operation:CreateLoadBalancer Call:1 After:true}", ""},
		{"{killAt: {operation: 'Delete*', call: 3, when: before}}", "kill at {Operation:Delete* Call:3 After:false}", ""},
		{"{get: /healthz, capture: m}", "get /healthz", ""},
	}
	for _, test := range tests {
		t.Run(test.step, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := steptest.NewCluster(t)
				runtest.Passes(t, runtest.Perform(t, c, "  - ccm: "+test.step+"\n"))
				if c.CCM.Said() != test.ccm || c.Standby.Said() != test.standby {
					t.Errorf("the CCM was told %q, its standby %q", c.CCM.Said(), c.Standby.Said())
				}
				c = steptest.NewCluster(t)
				c.CCM.Err, c.Standby.Err = errors.New("no way"), errors.New("no way")
				runtest.Fails(t, runtest.Perform(t, c, "  - ccm: "+test.step+"\n"), "no way")
			})
		})
	}
}

// TestCCMVariable: the snapshot tells how the CCM is, also when nothing else happens.
func TestCCMVariable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		old := c.Cloud.Answer
		c.Cloud.Answer = func(operation string, args map[string]any) (any, error) {
			if operation == "GetRegion" {
				c.CCM.Mu.Lock()
				defer c.CCM.Mu.Unlock()
				c.CCM.WasKilled, c.CCM.Runs = true, false
				return nil, nil
			}
			return old(operation, args)
		}
		runtest.Passes(t, runtest.Perform(t, c, `
  - expect: '!ccm.running && !ccm.killed && ccm.tokenID == "tok-2" && !ccm.standby.running'
  - ccm: start
  - ccm: {standby: start}
  - ccm: renewToken
  - expect: ccm.running && ccm.standby.running && ccm.tokenID == "tok-3" && ccm.restarts == 0
  - ccm: restart
  - expect: ccm.restarts == 1
  - cloud: {operation: GetRegion, args: {id: x}}
  - {expect: ccm.killed && !ccm.running, within: 5s}
`))
	})
}

// TestCCMGet: what the CCM answers is there for the steps after.
func TestCCMGet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		runtest.Passes(t, runtest.Perform(t, steptest.NewCluster(t), `
  - ccm: {get: /metrics, capture: m}
  - expect: m.status == 200 && m.body.contains("/metrics") && metric(m.body, "up", {"a":"b"}) == 2.0
`))
	})
}

// TestCCMShape: what expressions are checked against has the fields that the variable ccm then has.
func TestCCMShape(t *testing.T) {
	t.Parallel()
	fields, err := json.Marshal(expr.TypeOf(reflect.TypeFor[observe.CCM]()).Fields())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		runtest.Passes(t, runtest.Perform(t, steptest.NewCluster(t), "  - expect: 'dyn(ccm).map(name, name).sort() == "+string(fields)+"'\n"))
	})
}
