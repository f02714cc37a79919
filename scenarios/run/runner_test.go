package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

const runnerScenario = `
apiVersion: simcloud.dev/v1alpha1
kind: Scenario
metadata: {name: %s}
spec:
  description: Something that a CCM must do.
  nodes: 2
  steps:
  - expect: nodes.size() == 2 && ccm.running
  - {cloud: {operation: CreateLoadBalancer, args: {name: "x-${ns}"}, capture: lb}}
  - expect: loadBalancers[0].name == "x-test-%[1]s" && lb.resource.id == "lb-1"
  - {cloud: {operation: GetInstance, args: {id: i-9}, fails: not_found}}
  %s
  finally:
  - {cloud: {operation: DeleteLoadBalancer, args: {id: lb-1}}}
  - {cloud: {operation: DeleteLoadBalancer, args: {id: "${loadBalancers[7].id}"}}}
  - {cloud: {operation: GetInstance, args: {id: i-9}}}
`

func parsedScenario(t *testing.T, name, extra string) *scenarios.Scenario {
	t.Helper()
	all, err := Parse(name+".yaml", fmt.Appendf(nil, runnerScenario, name, extra))
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

func runAll(t *testing.T, ctx context.Context, r Runner, all ...*scenarios.Scenario) (scenarios.Report, string, error) {
	t.Helper()
	var out bytes.Buffer
	r.Reporter = reports.NewLines(&out, true)
	report, err := r.Run(ctx, all)
	return report, out.String(), err
}

func TestRunner(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cluster, dir := steptest.NewCluster(t), t.TempDir()
		opened := 0
		r := Runner{Dir: dir, Seed: 7, Subject: "fake", Parallel: 4, Open: func(context.Context, int) (Cluster, error) {
			opened++
			return cluster, nil
		}}
		r.Parallel = 1
		report, out, err := runAll(t, t.Context(), r,
			parsedScenario(t, "one", ""),
			parsedScenario(t, "two", `- {expect: 'loadBalancers.all(lb, lb.name == "other")', within: 50ms, because: A CCM must name it other.}
  - sleep: 1ms`),
			parsedScenario(t, "three", ""),
		)
		if err != nil {
			t.Fatal(err)
		}
		var statuses []string
		for _, s := range report.Scenarios {
			statuses = append(statuses, s.Name+" "+string(s.Status))
		}
		if got := strings.Join(statuses, ", "); got != "one passed, two failed, three passed" {
			t.Errorf("%s\n%s", got, out)
		}
		if got := len(report.Scenarios[1].Steps); got != 8 {
			t.Errorf("%d steps of two ran: the one after the failure must not, finally must", got)
		}
		if got := strings.Join(cluster.Did, " "); got != "reset reset logs stop" || opened != 1 {
			t.Errorf("the cluster was opened %d times and did %s", opened, got)
		}
		for _, want := range []string{"two.yaml:13:5: the expectation did not become true within 50ms", "A CCM must name it other.", "for lb = lb-1:", `lb.name = "x-test-two"`, "I1121 all good"} {
			if !strings.Contains(out, want) {
				t.Errorf("the output lacks %q:\n%s", want, out)
			}
		}
		if err := reports.Write(dir, report); err != nil {
			t.Fatal(err)
		}
		checkReport(t, dir)
	})
}

func checkReport(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"junit.xml", "report.html", "report.md", "logs/cluster-1-1/etcd.log", "logs/two/calls.jsonl"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	raw, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var report scenarios.Report
	if err := json.Unmarshal(raw, &report); err != nil || report.Seed != 7 || len(report.Scenarios[1].Failures) != 1 {
		t.Errorf("report.json: %v\n%s", err, raw)
	}
}

// TestRunnerJudgesLeaks: what finally leaves behind fails the scenario.
func TestRunnerJudgesLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cluster := steptest.NewCluster(t)
		s := parsedScenario(t, "one", "")
		s.Finally = nil
		cluster.After("CreateLoadBalancer", func(map[string]any) error { // the leak is not waited for when something failed before
			return simcloud.Errorf(simcloud.Locked, "", "busy")
		})
		report, out, err := runAll(t, t.Context(), Runner{Open: func(context.Context, int) (Cluster, error) { return cluster, nil }}, s)
		if err != nil || report.Count(scenarios.Failed) != 1 {
			t.Errorf("%v\n%s", err, out)
		}
		if !strings.Contains(out, "oracle leak: the scenario left over 1 resource that it made itself") || !strings.Contains(out, "made by CreateLoadBalancer of "+steptest.HarnessAgent) {
			t.Errorf("the leak is not told:\n%s", out)
		}
	})
}

// TestRunnerLeavesSomethingOver: what the scenario has made itself and not removed makes it invalid, once all else has passed.
func TestRunnerLeavesSomethingOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := parsedScenario(t, "one", "")
		s.Finally = nil
		report, out, err := runAll(t, t.Context(), Runner{Open: func(context.Context, int) (Cluster, error) { return steptest.NewCluster(t), nil }, Retries: 1}, s)
		if err != nil || report.Count(scenarios.Invalid) != 1 || report.Scenarios[0].Retries != 0 {
			t.Errorf("%v\n%s", err, out)
		}
		if !strings.Contains(out, "INVALID one") || !strings.Contains(out, "the scenario left over 1 resource") || strings.Contains(out, "what a CCM must do") {
			t.Errorf("whose fault it is is not told:\n%s", out)
		}
	})
}

// TestRunnerWantsFailuresToo: a call that should have failed and did not fails the scenario.
func TestRunnerWantsFailuresToo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		report, out, err := runAll(t, t.Context(), Runner{Open: func(context.Context, int) (Cluster, error) { return steptest.NewCluster(t), nil }},
			parsedScenario(t, "one", `- {cloud: {operation: DeleteLoadBalancer, args: {id: lb-1}, fails: in_use}}`))
		if err != nil || report.Count(scenarios.Failed) != 1 || !strings.Contains(out, "DeleteLoadBalancer succeeded: it should have failed with in_use") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// TestRunnerSkips: what is not for this CCM is told with the reason, costs no reset, and is no failure.
func TestRunnerSkips(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cluster := steptest.NewCluster(t)
		cluster.CCM.ReadsNo = true
		skipped := parsedScenario(t, "one", "")
		skipped.UsesCloudConfig = true
		report, out, err := runAll(t, t.Context(), Runner{Open: func(context.Context, int) (Cluster, error) { return cluster, nil }},
			skipped, parsedScenario(t, "two", ""))
		if err != nil || report.Count(scenarios.Skipped) != 1 || report.Count(scenarios.Passed) != 1 || strings.Join(cluster.Did, " ") != "stop" {
			t.Errorf("%v, the cluster did %v\n%s", err, cluster.Did, out)
		}
		for _, want := range []string{"SKIP  one", "does not read that file ({cloud-config})"} {
			if !strings.Contains(out, want) {
				t.Errorf("the output lacks %q:\n%s", want, out)
			}
		}
		if sum := reports.Summary(report); !strings.Contains(sum, "1 passed, 0 failed, 1 skipped") || !strings.Contains(sum, "skipped       one") {
			t.Error(sum)
		}
	})
}

// TestRunnerThrowsAwayAClusterThatCannotBeReset.
func TestRunnerThrowsAwayAClusterThatCannotBeReset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, second := steptest.NewCluster(t), steptest.NewCluster(t)
		first.ResetErr = errors.New("a node is left")
		clusters := []Cluster{first, second}
		report, out, err := runAll(t, t.Context(), Runner{Open: func(context.Context, int) (Cluster, error) {
			c := clusters[0]
			clusters = clusters[1:]
			return c, nil
		}}, parsedScenario(t, "one", ""), parsedScenario(t, "two", ""))
		if err != nil || report.Count(scenarios.Passed) != 2 || strings.Join(first.Did, " ") != "reset stop" || !strings.Contains(out, "a node is left") {
			t.Errorf("%v, the first did %v\n%s", err, first.Did, out)
		}
	})
}

func TestRunnerWithoutAnEnvironment(t *testing.T) {
	report, _, err := runAll(t, t.Context(), Runner{Open: func(context.Context, int) (Cluster, error) {
		return nil, errors.New("there is no etcd")
	}}, parsedScenario(t, "one", ""), parsedScenario(t, "two", ""))
	if err == nil || !strings.Contains(err.Error(), "there is no etcd") || report.Count(scenarios.Broken) != 1 || report.Count(scenarios.NotRun) != 1 {
		t.Errorf("%v: %+v", err, report.Scenarios)
	}
}

// TestRunnerInterrupted: finally runs and the cluster stops when the context ends in the middle of a step.
func TestRunnerInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cluster := steptest.NewCluster(t)
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		cluster.When("GetInstance", interrupt)
		report, out, err := runAll(t, ctx, Runner{Open: func(context.Context, int) (Cluster, error) { return cluster, nil }},
			parsedScenario(t, "one", `- {expect: nodes.size() == 9, within: 60s}`), parsedScenario(t, "two", ""))
		if !errors.Is(err, context.Canceled) || strings.Contains(fmt.Sprint(err), "stop a cluster") || report.Count(scenarios.NotRun) != 1 || report.Count(scenarios.Interrupted) != 1 {
			t.Errorf("%v\n%s", err, out)
		}
		if len(cluster.Cloud.State(t).LoadBalancers) != 0 || strings.Join(cluster.Did, " ") != "stop" {
			t.Errorf("finally did not run, or the cluster did not stop: %v, %v", cluster.Cloud.State(t).LoadBalancers, cluster.Did)
		}
	})
}
