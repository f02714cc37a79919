package scenarios

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestTimelineOfAScenario: steps, expectations, faults and verdicts of a run are on it, in their order.
func TestTimelineOfAScenario(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cluster := newFakeCluster(t)
		r := performSpec(t, cluster, `steps:
  - {fault: {name: lost, match: {operation: CreateLoadBalancer}, effect: {hang: {}}}}
  - {cloud: {operation: CreateLoadBalancer, args: {name: web}}}
  - {ccm: restart}
  - {expect: nodes.size() == 9, within: 50ms, because: There must be nine.}`)
		if r.Status != Failed {
			t.Fatalf("%s: %s %v", r.Status, r.Error, r.Failures)
		}
		lanes := map[Lane][]string{}
		for i, m := range r.Timeline {
			lanes[m.Lane] = append(lanes[m.Lane], m.Title)
			if i > 0 && m.At < r.Timeline[i-1].At {
				t.Errorf("%q comes before %q", m.Title, r.Timeline[i-1].Title)
			}
			if m.Failed && m.Lane == LaneExpectations && (m.Detail["because"] != "There must be nine." || m.Until-m.At < 0.049 || m.Until < r.Steps[3].At) {
				t.Errorf("the expectation: %+v, its step: %+v", m, r.Steps[3])
			}
		}
		for lane, want := range map[Lane]string{
			LaneSteps: "cloud CreateLoadBalancer", LaneExpectations: "nodes.size() == 9", LaneFaults: "fault lost", LaneCCM: "restart",
			LaneCloud: "lb-1 web created", LaneOracles: "leak: 1 of the cloud's resources",
		} {
			if !strings.Contains(strings.Join(lanes[lane], "\n"), want) {
				t.Errorf("the lane %s has %q, want %q", lane, lanes[lane], want)
			}
		}
	})
}
