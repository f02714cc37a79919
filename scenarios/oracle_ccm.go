package scenarios

import (
	"context"
	"fmt"
)

// ccmOracle is "ccm-alive": the CCM ends only when it is told to, and never panics.
type ccmOracle struct{}

func (ccmOracle) begin(*Snapshot) {}

func (ccmOracle) resourceChanged(string, string, map[string]any, map[string]any) {}

func (ccmOracle) objectChanged(*Snapshot, string, map[string]any, map[string]any) {}

func (ccmOracle) verdict(_ context.Context, st *stage, _ bool) []Failure {
	exits := st.CCM.Exits()
	if len(exits) == 0 {
		return nil
	}
	return []Failure{{
		Oracle:   "ccm-alive",
		Headline: fmt.Sprintf("the CCM did not stay alive: %s", exits[0].Reason),
		Because:  "Whatever the cloud and the cluster answer, a CCM must go on: while it is down nobody follows the VMs, and a panic comes back with every restart.",
		CCMLog:   exits[0].Log,
	}}
}
