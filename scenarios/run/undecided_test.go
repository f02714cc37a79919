package run

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// unsimulatedStep is a step at which the CCM asks for what the cloud refuses as not simulated.
const unsimulatedStep = "- {cloud: {operation: ListZones}}"

// asksForAGap is a cluster whose CCM makes a call that is refused as not simulated, when a step lists the zones.
func asksForAGap(t *testing.T) *steptest.Cluster {
	c := steptest.NewCluster(t)
	c.When("ListZones", func() { c.Cloud.RefuseUnsimulated(t) })
	return c
}

// TestUndecided: a scenario that fails after the CCM has asked for what is not simulated is undecided, with the call as its reason. It
// does not run again, and does not end a run that fails fast.
func TestUndecided(t *testing.T) {
	t.Parallel()
	const fails = "- {expect: 'loadBalancers.size() == 7', because: A CCM must make seven.}"
	for name, test := range map[string]struct {
		extra string
		known scenarios.KnownFailures
		want  string
	}{
		"after the call":        {unsimulatedStep + "\n  " + fails, nil, "one undecided"},
		"without a call":        {fails, nil, "one failed"},
		"it is known":           {unsimulatedStep + "\n  " + fails, knownOne, "one known_failure"},
		"it is known otherwise": {unsimulatedStep + "\n  " + fails, scenarios.KnownFailures{{Scenario: "one", Issue: "a/b#1", Why: "x", Says: "no address"}}, "one undecided"},
		"it passes":             {unsimulatedStep, nil, "one passed"},
		"it is invalid":         {unsimulatedStep + "\n  - {cloud: {operation: CreateInstance, args: {name: a, zone: nope}}}", nil, "one invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				opened := 0
				open := func(context.Context, int) (Cluster, error) { opened++; return asksForAGap(t), nil }
				all := []*scenarios.Scenario{parsedScenario(t, "one", test.extra)}
				report, out, err := runAll(t, t.Context(), Runner{Open: open, Known: test.known, FailFast: true, Retries: 1}, all...)
				if err != nil {
					t.Fatal(err)
				}
				result := report.Scenarios[0]
				if got := endings(report)[0]; got != test.want {
					t.Errorf("%s, want %s:\n%s", got, test.want, out)
				}
				undecided := result.Status == scenarios.Undecided
				if undecided != strings.Contains(result.Reason, "does not simulate") || undecided && (result.Retries > 0 || opened > 1) {
					t.Errorf("%s for the reason %q, after %d retries", result.Status, result.Reason, result.Retries)
				}
				if told := strings.Contains(out, scenarios.UndecidedWords); told != (undecided || test.want == "one known_failure") {
					t.Errorf("whose fault it is is told wrong:\n%s", out)
				}
				if sum := reports.Summary(report); strings.Contains(sum, "0 failed, 1 undecided") != undecided {
					t.Error(sum)
				}
			})
		})
	}
}

// TestNeverExcused: a write to what others own is the CCM's own act, whatever it has asked for.
func TestNeverExcused(t *testing.T) {
	t.Parallel()
	asked := map[string]int{"octavia:ListFlavors: no": 1}
	for _, oracle := range scenarios.Oracles() {
		got, want := excuses(asked, scenarios.Failure{Oracle: oracle}), oracle != "foreign-kept" && oracle != "no-secrets"
		if got != want {
			t.Errorf("the finding of %s is excused: %t", oracle, got)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		cluster := asksForAGap(t)
		cluster.Cloud.Must(t)(cluster.Cloud.CreateFloatingIP(t.Context(), simcloud.FloatingIPSpec{Name: "reserved"}))
		cluster.When("ListZones", func() { _, _ = cluster.Cloud.CCM.Call(t.Context(), "DeleteFloatingIP", map[string]any{"id": "fip-1"}) })
		s := parsedScenario(t, "one", unsimulatedStep+"\n  - {expect: 'loadBalancers.size() == 7'}")
		report, out, err := runAll(t, t.Context(), Runner{Open: func(context.Context, int) (Cluster, error) { return cluster, nil }}, s)
		if err != nil || report.Scenarios[0].Status != scenarios.Failed || report.Scenarios[0].Reason != "" {
			t.Errorf("%v, it is %s because %q:\n%s", err, report.Scenarios[0].Status, report.Scenarios[0].Reason, out)
		}
		if first := report.Scenarios[0].Failures[0]; first.Oracle != "foreign-kept" {
			t.Errorf("reports lead with %s", first)
		}
	})
}

// TestProfileSkipsOracles: an oracle that does not hold for a CCM judges none of its scenarios.
func TestProfileSkipsOracles(t *testing.T) {
	t.Parallel()
	for _, skip := range [][]string{nil, {"foreign-kept", "leak"}} {
		synctest.Test(t, func(t *testing.T) {
			cluster := skipping{steptest.NewCluster(t), skip}
			cluster.Cloud.Must(t)(cluster.Cloud.CreateFloatingIP(t.Context(), simcloud.FloatingIPSpec{Name: "reserved"}))
			cluster.When("ListZones", func() { _, _ = cluster.Cloud.CCM.Call(t.Context(), "DeleteFloatingIP", map[string]any{"id": "fip-1"}) })
			s := parsedScenario(t, "one", "- {cloud: {operation: ListZones}}")
			report, out, err := runAll(t, t.Context(), Runner{Open: func(context.Context, int) (Cluster, error) { return cluster, nil }}, s)
			if want := skip == nil; err != nil || strings.Contains(out, "oracle foreign-kept") != want || (report.Scenarios[0].Status == scenarios.Failed) != want {
				t.Errorf("without %v: %v\n%s", skip, err, out)
			}
		})
	}
}

// skipping is a cluster for whose CCM oracles do not hold.
type skipping struct {
	*steptest.Cluster

	oracles []string
}

// World gives access to the cluster.
func (c skipping) World() (step.World, error) {
	w, err := c.Cluster.World()
	w.SkipOracles = c.oracles
	return w, err
}
