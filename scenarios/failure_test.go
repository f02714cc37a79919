package scenarios

import (
	"errors"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestFailureOutput pins the whole message of a step that failed.
func TestFailureOutput(t *testing.T) {
	seq := uint64(0)
	st := &stage{
		World:    World{CCM: &fakeCCM{}},
		scenario: &Scenario{Description: "Something that a CCM must do."},
		store:    newStore("default"),
	}
	event := func(uid, reason string) {
		st.store.setEvent(map[string]any{
			"metadata": map[string]any{"uid": uid, "resourceVersion": uid}, "type": "Warning", "reason": reason, "message": "could\nnot",
			"involvedObject": map[string]any{"kind": "Service", "name": "web"},
		})
	}
	event("1", "Earlier")
	since := st.mark()
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
	st.store.addCalls(calls, isHarness)
	a := expectation(t, `{expect: 'loadBalancers.map(lb, lb.id) == ["lb-1"]', because: A CCM must make one.}`)
	step := Step{Position: Position{File: "s.yaml", Line: 7, Column: 5}, Text: "expect " + a.text(), Because: "A CCM must make one load balancer for each Service of type LoadBalancer, and it must write its address into the status of the Service."}
	got := st.stepFailure(step, since, a.wait(t.Context(), st.store, func() {})).String()
	got += Failure{Position: "s.yaml:8:5", Step: "delete service/web", Headline: errors.New("delete service/web: not found").Error()}.String()
	golden(t, "testdata/failure.txt", []byte(got))
}

// TestJUnit pins the file that CI servers read. A case has one end at most, as JUnit's schemas want it.
func TestJUnit(t *testing.T) {
	raw, err := JUnit(Report{Seconds: 3, Seed: 7, Subject: "my-ccm", Parallel: 2, Scenarios: []Result{
		{Name: "one", File: "one.yaml", Status: Passed, Seconds: 1},
		{Name: "two", File: "two.yaml", Status: Failed, Seconds: 2, Failures: []Failure{{Position: "two.yaml:3:5", Headline: "it is not so", Because: "A CCM must <do> it.", CCMLog: []string{"\x1b[31mred"}}, {Oracle: "leak", Headline: "something is left"}}},
		{Name: "judged[how=kill]#2", File: "two.yaml", Status: Failed, Seconds: 2, Failures: []Failure{{Oracle: "leak", Headline: "something is left"}}},
		{Name: "three", File: "three.yaml", Status: Broken, Error: "no etcd\nthe end of its log"},
		{Name: "half", File: "half.yaml", Status: Interrupted},
		{Name: "four", File: "four.yaml", Status: NotRun},
		{Name: "five", File: "five.yaml", Status: Skipped, Reason: "it is for another CCM"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/junit.xml", raw)
}
