package timeline_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestTimelineOfAScenario: steps, expectations, faults and verdicts of a run are on it, in their order.
func TestTimelineOfAScenario(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cluster := steptest.NewCluster(t)
		r := runtest.PerformSpec(t, cluster, `steps:
  - {fault: {name: lost, match: {operation: CreateLoadBalancer}, effect: {hang: {}}}}
  - {cloud: {operation: CreateLoadBalancer, args: {name: web}}}
  - {ccm: restart}
  - {expect: nodes.size() == 9, within: 50ms, because: There must be nine.}`)
		if r.Status != scenarios.Failed {
			t.Fatalf("%s: %s %v", r.Status, r.Error, r.Failures)
		}
		lanes := map[scenarios.Lane][]string{}
		for i, m := range r.Timeline {
			lanes[m.Lane] = append(lanes[m.Lane], m.Title)
			if i > 0 && m.At < r.Timeline[i-1].At {
				t.Errorf("%q comes before %q", m.Title, r.Timeline[i-1].Title)
			}
			if m.Failed && m.Lane == scenarios.LaneExpectations && (m.Detail["because"] != "There must be nine." || m.Until-m.At < 0.049 || m.Until < r.Steps[3].At) {
				t.Errorf("the expectation: %+v, its step: %+v", m, r.Steps[3])
			}
		}
		for lane, want := range map[scenarios.Lane]string{
			scenarios.LaneSteps: "cloud CreateLoadBalancer", scenarios.LaneExpectations: "nodes.size() == 9", scenarios.LaneFaults: "fault lost", scenarios.LaneCCM: "restart",
			scenarios.LaneCloud: "lb-1 web created", scenarios.LaneOracles: "leak: the scenario left over 1 resource",
		} {
			if !strings.Contains(strings.Join(lanes[lane], "\n"), want) {
				t.Errorf("the lane %s has %q, want %q", lane, lanes[lane], want)
			}
		}
	})
}
