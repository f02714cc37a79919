package scenarios

import (
	"testing"
	"time"
)

func TestBudgetOracle(t *testing.T) {
	byWork := func(World) oracle { return newBudgetOracle(nil) }
	explicit := func(World) oracle {
		return newBudgetOracle(map[string]int{"GetInstance": 3, "*Instance*": 5, "List*": 2})
	}
	trials(t, byWork, []trialCase{
		{"little", func(r *trial) { r.calls("GetInstance", 20) }, ""},
		{"a storm", func(r *trial) { r.calls("GetInstance", 300) }, `the CCM made 300 calls to the cloud of the kind "reads of all else"`},
		{"as many in an hour", func(r *trial) { r.wait(time.Hour); r.calls("GetInstance", 300) }, ""},
		{"tables are read all the time", func(r *trial) { r.wait(10 * time.Second); r.calls("ListRouteTables", 100) }, "reads of route tables"},
		{"routes are written all the time", func(r *trial) { r.wait(time.Minute); r.calls("CreateRoute", 60); r.calls("DeleteRoute", 60) }, "DeleteRoute: 60 times"},
		{"load balancers are polled", func(r *trial) { r.service("web", tells("1.1.1.1")); r.calls("GetLoadBalancer", 200) }, "reads of load balancers"},
		{"while a Service waits", func(r *trial) { r.service("web", nil); r.wait(time.Minute); r.calls("GetLoadBalancer", 200) }, ""},
		{"calls that fail are counted apart", func(r *trial) {
			for range 300 {
				r.cloud.call(ccmAgent, "GetInstance", "", "unavailable")
			}
		}, `300 calls to the cloud of the kind "calls that failed"`},
		{"what steps do is not counted", func(r *trial) {
			for range 300 {
				r.cloud.call(harnessAgent, "GetInstance", "", "")
			}
		}, ""},
	})
	trials(t, explicit, []trialCase{
		{"the longest counts", func(r *trial) { r.calls("GetInstance", 3); r.calls("StartInstance", 5); r.calls("ListVolumes", 2) }, ""},
		{"one too many", func(r *trial) { r.calls("GetInstance", 4) }, `4 calls to the cloud of the kind "GetInstance": 3 are allowed`},
		{"several together", func(r *trial) { r.calls("ListVolumes", 2); r.calls("ListZones", 1) }, `3 calls to the cloud of the kind "List*": 2 are allowed`},
		{"the others as ever", func(r *trial) { r.calls("GetVolume", 300) }, "reads of all else"},
	})
}

// TestBudgetKnowsTheSquare: what grows with the square of the Nodes is too much.
func TestBudgetKnowsTheSquare(t *testing.T) {
	for n, want := range map[int]string{5: "", 200: "reads of all else"} {
		said := try(t, func(World) oracle { return newBudgetOracle(nil) }, func(r *trial) {
			for range 100 {
				r.calls("GetInstance", n)
			}
			for i := range 100 {
				r.node(string(rune('a'+i%26))+string(rune('a'+i/26)), nil)
			}
		})
		says(t, said, want)
	}
}

func TestLoadBudget(t *testing.T) {
	parse := func(budget string) ([]*Scenario, error) {
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
