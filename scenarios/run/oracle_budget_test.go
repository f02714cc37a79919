package run

import (
	"fmt"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/oracle"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

func TestBudgetOracle(t *testing.T) {
	t.Parallel()
	byWork := named("call-budget")
	explicit := func() oracle.Oracle {
		return oracle.New("call-budget", oracle.Given{Budget: map[string]int{"GetInstance": 3, "*Instance*": 5, "List*": 2}})
	}
	const lb = "lb-1"
	trials(t, byWork, []trialCase{
		{"little", func(r *trial) { r.ccm.calls(20, "GetInstance", ownVM) }, ""},
		{"a storm", func(r *trial) { r.ccm.calls(300, "GetInstance", ownVM) }, `the CCM made 300 calls to the cloud of the kind "reads of all else"`},
		{"as many in an hour", func(r *trial) { r.wait(time.Hour); r.ccm.calls(300, "GetInstance", ownVM) }, ""},
		{"tables are read all the time", func(r *trial) { r.wait(10 * time.Second); r.ccm.calls(100, "ListRouteTables", "") }, "reads of route tables"},
		{"routes are written all the time", func(r *trial) {
			r.wait(time.Minute)
			for range 60 {
				r.ccm.deleteRoute(r.ccm.createRoute("10.244.0.0/24", ownVM))
			}
		}, "DeleteRoute: 60 times"},
		{"load balancers are polled", func(r *trial) {
			r.service("web", tells(lbAddress))
			r.harness.createBalancer("x", lbAddress)
			r.ccm.calls(200, "GetLoadBalancer", lb)
		}, "reads of load balancers"},
		{"while a Service waits", func(r *trial) {
			r.service("web", nil)
			r.harness.createBalancer("x", lbAddress)
			r.wait(time.Minute)
			r.ccm.calls(200, "GetLoadBalancer", lb)
		}, ""},
		{"calls that fail are counted apart", func(r *trial) {
			r.inject(300, "GetInstance", fault.Effect{Error: &fault.Problem{Code: simcloud.Unavailable}})
			r.refused(300)
		}, `300 calls to the cloud of the kind "calls that failed"`},
		{"what the cloud answered", func(r *trial) {
			r.inject(300, "GetInstance", fault.Effect{Error: &fault.Problem{Code: simcloud.Locked}})
			r.refused(300)
		}, "GetInstance: 300 times, all locked\n"},
		{"several answers", func(r *trial) {
			r.inject(200, "GetInstance", fault.Effect{Error: &fault.Problem{Code: simcloud.Locked}})
			r.refused(200)
			r.inject(100, "GetInstance", fault.Effect{Error: &fault.Problem{Code: simcloud.Unavailable}})
			r.refused(100)
		}, "GetInstance: 300 times, 200 locked, 100 unavailable\n"},
		{"what steps do is not counted", func(r *trial) { r.harness.calls(300, "GetInstance", ownVM) }, ""},
	})
	trials(t, explicit, []trialCase{
		{"the longest counts", func(r *trial) {
			r.ccm.calls(3, "GetInstance", ownVM)
			r.ccm.calls(5, "StartInstance", ownVM)
			r.ccm.calls(2, "ListVolumes", "")
		}, ""},
		{"those that failed count too", func(r *trial) {
			r.inject(2, "GetInstance", fault.Effect{Error: &fault.Problem{Code: simcloud.Locked}})
			r.refused(2)
			r.ccm.calls(2, "GetInstance", ownVM)
		}, "GetInstance: 4 times, 2 locked\n"},
		{"one too many", func(r *trial) { r.ccm.calls(4, "GetInstance", ownVM) }, `4 calls to the cloud of the kind "GetInstance": 3 are allowed`},
		{"several together", func(r *trial) { r.ccm.calls(2, "ListVolumes", ""); r.ccm.calls(1, "ListZones", "") }, `3 calls to the cloud of the kind "List*": 2 are allowed`},
		{"the others as ever", func(r *trial) { r.ccm.calls(300, "GetZone", "zone-a") }, "reads of all else"},
	})
}

// refused lets the CCM make calls that fail.
func (r *trial) refused(times int) {
	for range times {
		if _, err := r.cloud.CCM.GetInstance(r.t.Context(), ownVM); err == nil {
			r.t.Error("the call has succeeded, and must fail")
		}
	}
}

// TestBudgetKnowsTheSquare: what grows with the square of the Nodes is too much.
func TestBudgetKnowsTheSquare(t *testing.T) {
	t.Parallel()
	const nodes = 30
	for each, want := range map[int]string{5: "", nodes: "reads of all else"} {
		said := try(t, named("call-budget"), func(r *trial) {
			r.ccm.calls(nodes*each, "GetInstance", ownVM)
			for i := range nodes {
				r.node(fmt.Sprint("node-", i), nil)
			}
		})
		says(t, said, want)
	}
}

func TestLoadBudget(t *testing.T) {
	t.Parallel()
	parse := func(budget string) ([]*scenarios.Scenario, error) {
		return Parse("s.yaml", []byte("apiVersion: simcloud.dev/v1alpha1\nkind: Scenario\nmetadata: {name: one}\nspec:\n  description: d\n  budget: "+
			budget+"\n  steps: [{sleep: 1ms}]\n"))
	}
	all, err := parse(`{GetInstance: 40, "*": 200}`)
	if err != nil || all[0].Budget["GetInstance"] != 40 || all[0].Budget["*"] != 200 {
		t.Errorf("%v %v", all, err)
	}
	for budget, want := range map[string]string{
		"{GetInstanze: 1}": `s.yaml:6:12: the cloud has no operation that matches "GetInstanze"`, "[]": "budget is a list", "{GetInstance: -1}": "a whole number from 0",
	} {
		_, err := parse(budget)
		if err == nil {
			t.Errorf("%s is taken", budget)
			continue
		}
		says(t, err.Error(), want)
	}
}
