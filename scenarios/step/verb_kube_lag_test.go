package step_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestLag: the API server is told what to show late, and to catch up before finally.
func TestLag(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for step, want := range map[string]string{
			"{stale: {resources: [nodes, services], for: 10s}}": "stale [nodes services] for 10s, catch up",
			"{unobserved: {resources: ['*']}}":                  "unobserved [*] for 0s, catch up",
			"{timeTravel: {resources: [services], to: 0s}}":     "timeTravel [services] for 0s, catch up",
			"{stale: {resources: [nodes]}}\n  - kube: catchUp":  "stale [nodes] for 0s, catch up",
			"catchUp": "catch up",
			"{stale: {resources: [pods]}}\n  finally:\n  - kube: restart": "stale [pods] for 0s, catch up, restart the API server",
		} {
			tells(t, "kube", step, want)
		}
	})
}

// TestTimeTravel: the moment is one of the scenario, and not of the future.
func TestTimeTravel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const wait, travel = "  - capture: {before: elapsed}\n  - sleep: 30s\n", "  - kube: {timeTravel: {resources: [services], to: "
		for to, ago := range map[string]time.Duration{"'${before}'": 30 * time.Second, `'${elapsed - duration("7s")}'`: 7 * time.Second} {
			c := steptest.NewCluster(t)
			runtest.Passes(t, runtest.Perform(t, c, wait+travel+to+"}}\n"))
			if lags := c.Control.Lags; len(lags) != 1 || lags[0].Kind != control.TimeTravel || time.Since(lags[0].To).Round(time.Second) != ago {
				t.Errorf("%s: %+v, want %s ago", to, lags, ago)
			}
		}
		for to, says := range map[string]string{
			"1h":                                 "invalid moment 1h0m0s: must not be in the future",
			`'${elapsed - duration("1h")}'`:      `invalid moment "-59m`,
			`'${"node-1" in nodes ? "a" : "a"}'`: `invalid moment "a"`,
		} {
			runtest.Fails(t, runtest.Perform(t, steptest.NewCluster(t), wait+travel+to+"}}\n"), "kube timeTravel services to "+strings.Trim(to, "'")+": "+says)
		}
	})
}

// TestLagNeedsASimulatedAPIServer: elsewhere the scenario is skipped, and one without such a step is not.
func TestLagNeedsASimulatedAPIServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		c.Control.CannotLag = true
		r := runtest.Perform(t, c, "  - kube: {unobserved: {resources: [nodes]}}\n")
		if r.Status != scenarios.Skipped || !strings.Contains(r.Reason, "--backend simulated can") || c.Control.Said() != "" {
			t.Errorf("it is %s: %s; the cluster was told %q", r.Status, r.Reason, c.Control.Said())
		}
		runtest.Passes(t, runtest.Perform(t, c, "  - kube: restart\n"))
	})
}
