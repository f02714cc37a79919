package scenarios

import (
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"strings"
)

// alsoIn are the lanes that show the steps of a verb too, because they are what happens there.
var alsoIn = map[string]Lane{"ccm": LaneCCM, "kube": LaneKube}

// step takes a step in that has ended; failure is nil when it passed.
func (r *recorder) step(s Step, result StepResult, failure error) {
	m := Moment{
		At: result.At, Until: words.TenthMilli(result.At + result.Seconds), Lane: LaneSteps, Title: s.Text, Failed: !result.Passed,
		Detail: map[string]string{"position": result.Position, "because": s.Because},
	}
	if failure != nil {
		m.Detail["failure"] = failure.Error()
	}
	if result.Finally {
		m.Detail["finally"] = "true"
	}
	if s.Verb == "expect" {
		m.Lane = LaneExpectations
	}
	r.add(m)
	if lane, also := alsoIn[s.Verb]; also {
		r.add(Moment{At: m.At, Until: m.Until, Lane: lane, Title: s.Text, Failed: m.Failed, Detail: map[string]string{"step": result.Position}})
	}
}

// verdict takes in what an oracle objects to. What does not say when it was seen was seen now.
func (r *recorder) verdict(f Failure) {
	at := words.TenthMilli(f.At)
	if at == 0 {
		at = r.now()
	}
	r.add(Moment{
		At: at, Lane: LaneOracles, Title: oracleTitle(f), Failed: true,
		Detail: map[string]string{"because": f.Because, "values": strings.Join(f.Values, "\n")},
	})
}
