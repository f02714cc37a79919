// Package reporttest has a report with scenarios that ended in every way, for tests of
// what shows reports.
package reporttest

import (
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Hostile is what a cloud or a log may say to whoever reads the report in a browser.
const Hostile = `</script><img src=x onerror="document.title='taken'"><b>bold</b> | [x](http://a) ` + "`` ``` ````"

// Example has scenarios that ended in every way, one of them with a timeline.
func Example() scenarios.Report {
	failed := scenarios.Result{
		Name: "lb-answer-lost", Labels: map[string]string{"tier": "museum", "area": "service"}, File: "library/museum/lb-answer-lost.yaml",
		Description: "The cloud makes the load balancer and the answer is lost.", Status: scenarios.Failed, Seconds: 12.5, Timeline: exampleTimeline(),
		Steps: []scenarios.StepResult{
			{Position: "lb.yaml:9:5", Step: "apply service/web", At: 0.5, Seconds: 0.1, Passed: true},
			{Position: "lb.yaml:12:5", Step: "expect within 5s: loadBalancers.size() == 1", At: 0.6, Seconds: 5, Passed: false},
			{Position: "lb.yaml:20:5", Step: "delete service/web", Finally: true, At: 5.7, Seconds: 0.2, Passed: true},
		},
		Failures: []scenarios.Failure{
			{Position: "lb.yaml:12:5", Headline: "the expectation did not become true within 5s (7 snapshots)", Because: "A CCM must make one load balancer.",
				Expression: "loadBalancers.size() == 1", Values: []string{"loadBalancers.size() = 2"}, CloudErrors: []string{Hostile}, CCMLog: []string{"I1 one", "I1 two"}},
			{Oracle: "one-load-balancer", Headline: "the Service web has 2 load balancers", Because: "It pays for both.", Values: []string{"lb-1", "lb-2"}},
		},
	}
	return scenarios.Report{
		Started: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), Seconds: 75.25, Seed: 7, Subject: "my-ccm", Parallel: 2, Flags: []string{"--ccm", "./my-ccm --kubeconfig={kubeconfig}"},
		Phases: map[scenarios.Phase]float64{scenarios.PhaseCluster: 12, scenarios.PhaseSteps: 100},
		Scenarios: []scenarios.Result{
			{Name: "node-initialised", Labels: map[string]string{"area": "node"}, File: "library/core/node.yaml", Status: scenarios.Passed, Seconds: 3, Timeline: []scenarios.TimelineEntry{{At: 1, Lane: scenarios.LaneSteps, Title: "apply"}}},
			failed,
			{Name: "route-gone", File: "mine/route.yaml", Status: scenarios.Broken, Seconds: 1, Error: "etcd ended: " + Hostile},
			{Name: "lb-own-config", File: "library/core/lb.yaml", Status: scenarios.Skipped, Reason: "it is for another CCM"},
			{Name: "lb-flavor", File: "mine/flavor.yaml", Status: scenarios.Undecided, Seconds: 2, Reason: "the CCM had asked for what simcloud does not simulate, so that the failure may not be its fault: octavia:ListFlavors: no flavors (1 call)",
				Unsimulated: map[string]int{"octavia:ListFlavors: no flavors": 1},
				Failures:    []scenarios.Failure{{Position: "flavor.yaml:9:5", Headline: "the expectation is false", Undecided: true, Because: "A CCM must use the flavor."}}},
			{Name: "never[a=1,b=2]", File: "mine/never.yaml", Status: scenarios.NotRun},
		},
	}
}

// exampleExchange is the request of a call whose answer was lost.
func exampleExchange() *simcloud.Exchange {
	return &simcloud.Exchange{
		Request: "POST /v1/load-balancers", Sent: &simcloud.Body{Type: "application/json", Size: 5000, Text: `{"name":"web"}` + Hostile, Cut: true},
	}
}

func exampleTimeline() []scenarios.TimelineEntry {
	return []scenarios.TimelineEntry{
		{At: 0.05, Until: 12.4, Lane: scenarios.LaneCCM, Title: "the CCM runs"},
		{At: 0.5, Until: 0.6, Lane: scenarios.LaneSteps, Title: "apply service/web", Detail: map[string]string{"position": "lb.yaml:9:5"}},
		{At: 0.55, Until: 6, Lane: scenarios.LaneFaults, Title: "fault lost", Detail: map[string]string{"hits": "1"}},
		{At: 0.6, Until: 5.6, Lane: scenarios.LaneExpectations, Title: "expect within 5s: loadBalancers.size() == 1", Failed: true, Detail: map[string]string{"position": "lb.yaml:12:5"}},
		{At: 0.8, Until: 0.81, Lane: scenarios.LaneCalls, Title: "CreateLoadBalancer → unavailable (reset)", Failed: true, Detail: map[string]string{"message": Hostile, "caller": "my-ccm/1", "answer": "none"}, Exchange: exampleExchange()},
		{At: 0.8, Lane: scenarios.LaneFaults, Title: "lost: reset of CreateLoadBalancer"},
		{At: 0.9, Lane: scenarios.LaneCloud, Title: "lb-1 web created"},
		{At: 1.9, Lane: scenarios.LaneCloud, Title: "lb-2 web created"},
		{At: 2.5, Lane: scenarios.LaneKube, Title: "Event Warning SyncLoadBalancerFailed service/web"},
		{At: 5.7, Until: 5.9, Lane: scenarios.LaneSteps, Title: "delete service/web"},
		{At: 12.4, Lane: scenarios.LaneOracles, Title: "one-load-balancer: the Service web has 2 load balancers", Failed: true},
	}
}
