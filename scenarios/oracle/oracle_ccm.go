package oracle

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// ccmOracle is "ccm-alive": the CCM and its standby end only when they are told to, and never panic.
type ccmOracle struct{ observe.NopObserver }

func (ccmOracle) Begin(*observe.Snapshot) {}

func (ccmOracle) verdict(r Run, _ *observe.Snapshot) []scenarios.Failure {
	exits, which := r.CCM().Exits(), "the CCM"
	if len(exits) == 0 && r.Standby() != nil {
		exits, which = r.Standby().Exits(), "the standby of the CCM"
	}
	if len(exits) == 0 {
		return nil
	}
	at := 0.0
	if when := exits[0].Time; !when.IsZero() {
		at = r.Since(when)
	}
	return []scenarios.Failure{{
		Oracle: "ccm-alive", At: at,
		Headline: fmt.Sprintf("%s did not stay alive: %s", which, exits[0].Reason),
		Because:  "Whatever the cloud and the cluster answer, a CCM must go on: while it is down no change is followed, and a panic comes back with every restart.",
		CCMLog:   exits[0].Log,
	}}
}
