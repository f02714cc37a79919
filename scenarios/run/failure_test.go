package run

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/golden"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestFailureOutput pins the whole message of a step that failed.
func TestFailureOutput(t *testing.T) { synctest.Test(t, failureOutput) }

func failureOutput(t *testing.T) {
	seq := uint64(0)
	st := &step.Stage{
		World:    step.World{CCM: &steptest.CCM{}},
		Scenario: &scenarios.Scenario{Description: "Something that a CCM must do."},
		Store:    observe.NewStore("default"),
	}
	event := func(uid, reason string) {
		st.Store.SetEvent(map[string]any{
			"metadata": map[string]any{"uid": uid, "resourceVersion": uid}, "type": "Warning", "reason": reason, "message": "could\nnot",
			"involvedObject": map[string]any{"kind": "Service", "name": "web"},
		})
	}
	event("1", "Earlier")
	since := markOf(st)
	event("2", "SyncLoadBalancerFailed")
	entry := func(operation, resource string, code simcloud.Code) simcloud.JournalEntry {
		seq++
		endpoint, _ := simcloud.EndpointOf(operation)
		return simcloud.JournalEntry{
			Seq: seq, Operation: operation, Write: endpoint.Write(), Resource: resource, Code: code,
			Committed: endpoint.Write() && code == "", Status: 200, Caller: simcloud.Caller{UserAgent: "ccm"},
		}
	}
	var calls []simcloud.JournalEntry
	for range 3 {
		calls = append(calls, entry("ListLoadBalancers", "load_balancer", ""))
	}
	calls = append(calls, entry("CreateLoadBalancer", "load_balancer", simcloud.Invalid), entry("CreateFloatingIP", "floating_ip/fip-1", ""))
	calls[4].Fault, calls[4].Effect = "fault-1", "delay"
	st.Store.AddCalls(calls, steptest.IsHarness)
	a := parsedScenario(t, "one", `- {expect: 'loadBalancers.map(lb, lb.id) == ["lb-1"]', because: A CCM must make one.}`).Steps[4].Action.(*step.ExpectAction)
	step := scenarios.Step{Position: scenarios.Position{File: "s.yaml", Line: 7, Column: 5}, Text: "expect " + a.Text(), Because: "A CCM must make one load balancer for each Service of type LoadBalancer, and it must write its address into the status of the Service."}
	got := stepFailure(st, step, since, a.Wait(t.Context(), st.Store, func() {})).String()
	got += scenarios.Failure{Position: "s.yaml:8:5", Step: "delete service/web", Headline: errors.New("delete service/web: not found").Error()}.String()
	golden.Check(t, "testdata/failure.txt", []byte(got))
}
