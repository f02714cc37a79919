package timeline

import (
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// alsoIn are the lanes that show the steps of a verb too, because they are what happens there.
var alsoIn = map[string]scenarios.Lane{"ccm": scenarios.LaneCCM, "kube": scenarios.LaneKube}

// Step takes a step in that has ended; failure is nil when it passed.
func (r *Recorder) Step(s scenarios.Step, result scenarios.StepResult, failure error) {
	m := scenarios.TimelineEntry{
		At: result.At, Until: words.TenthMilli(result.At + result.Seconds), Lane: scenarios.LaneSteps, Title: s.Text, Failed: !result.Passed,
		Detail: map[string]string{"position": result.Position, "because": s.Because},
	}
	if failure != nil {
		m.Detail["failure"] = failure.Error()
	}
	if result.Finally {
		m.Detail["finally"] = "true"
	}
	if s.Verb == "expect" {
		m.Lane = scenarios.LaneExpectations
	}
	r.add(m)
	if lane, also := alsoIn[s.Verb]; also {
		r.add(scenarios.TimelineEntry{At: m.At, Until: m.Until, Lane: lane, Title: s.Text, Failed: m.Failed, Detail: map[string]string{"step": result.Position}})
	}
}

// Verdict takes in what an oracle objects to. What does not say when it was seen was seen now.
func (r *Recorder) Verdict(f scenarios.Failure) {
	at := words.TenthMilli(f.At)
	if at == 0 {
		at = r.now()
	}
	r.add(scenarios.TimelineEntry{
		At: at, Lane: scenarios.LaneOracles, Title: scenarios.OracleTitle(f), Failed: true,
		Detail: map[string]string{"because": f.Because, "values": strings.Join(f.Values, "\n")},
	})
}
