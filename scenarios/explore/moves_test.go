package explore

import (
	"context"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/mutant"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/simulation"
)

// judgedBy runs a history in simulated time with a mutant.
func judgedBy(t *testing.T, bug string, h History) scenarios.Result {
	t.Helper()
	m, err := mutant.Find(bug)
	if err != nil {
		t.Fatal(err)
	}
	s, err := h.scenario()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	runner := run.Runner{
		Open: func(ctx context.Context, _ int) (run.Cluster, error) {
			return simulation.Start(ctx, simulation.Config{Subject: m.Subject(), Seed: 1, Dir: dir})
		},
		Isolate: simulation.Isolate(nil), Seed: 1, Reporter: silent{},
	}
	report, err := runner.Run(t.Context(), []*scenarios.Scenario{s})
	if err != nil {
		t.Fatal(err)
	}
	return report.Scenarios[0]
}

// TestMovesShowBugs: the provider without a bug passes a history with each of these moves, and the mutant whose bug the move is for fails it.
func TestMovesShowBugs(t *testing.T) {
	if planetest.RaceDetector {
		t.Skip("the detector reports a race in upstream's service controller: the gate runs this without it")
	}
	t.Parallel()
	if err := simulation.Prepare(); err != nil {
		t.Fatal(err)
	}
	served := []Op{addService{name: "web-1", ports: 1}, check{part: partRoutes}, check{part: partAddress}, check{part: partTargets}}
	web, vm := of("web-1"), of("node-1")
	for bug, moves := range map[string][]Op{
		"panic-on-missing-fields":         {addVM{name: "node-3", bare: true}},
		"node-ip-never-found":             {addToldVM{name: "node-3"}},
		"dual-stack-address-lost":         {addAddress{vm}},
		"resized-vm-has-old-type":         {resizeVM{name: "node-1"}},
		"answer-never-comes":              {arm{operation: "*Instance*", effects: "{hang: {}}", times: 1}, addVM{name: "node-3"}, deleteVM{vm}, wait{}},
		"only-first-page":                 {smallPages{}, addVM{name: "node-3"}},
		"route-table-full":                {fullTable{name: "node-3"}},
		"same-address-in-another-network": {addTwin{name: "node-1"}, wait{}},
		"lb-in-error-for-ever":            {breakBalancer{web}},
		"requested-address-removed":       {rivalService{name: "web-1", wants: wantsAddress}},
		"lb-id-taken-over":                {rivalService{name: "web-1", wants: wantsBalancer}},
		"clusters-share-lb-by-name":       {nameTaken{name: "web-1"}},
		"foreign-address-released":        {foreignAddress{}, changePorts{named: web, port: 81, ports: 1}},
		"dependency-left-behind":          {deleteRefused{name: "web-1", rule: arm{operation: "DeleteFloatingIP", effects: "{error: {code: in_use}}", times: 1}}, wait{}},
		"recreated-while-deleting":        {slowBalancers{}, replaceService{web}},
	} {
		t.Run(bug, func(t *testing.T) {
			t.Parallel()
			before := append([]Op{check{part: partNodes}}, served...)
			h := everything().finished(History{Nodes: 2, Ops: append(before, moves...)})
			for i, move := range moves {
				if h.Ops[len(before)+i] != move {
					t.Fatalf("move %d is %+v, want %+v, which is not legal", i, h.Ops[len(before)+i], move)
				}
			}
			if r := judgedBy(t, mutant.None, h); r.Status != scenarios.Passed {
				t.Errorf("without a bug: %s", reports.Finished(r))
			}
			if r := judgedBy(t, bug, h); r.Status != scenarios.Failed {
				t.Errorf("with the bug: %s %s", r.Status, r.Error)
			}
		})
	}
}
