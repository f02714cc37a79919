package run

import (
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
)

// neverExcused are the oracles whose findings follow from no answer of a cloud: to write to what others own, or to tell a secret, is
// the CCM's own act.
var neverExcused = []string{"foreign-kept", "no-secrets"}

// excuses reports whether a failure may follow from what the CCM has asked for so far and simcloud does not simulate.
func excuses(asked map[string]int, f scenarios.Failure) bool {
	return len(asked) > 0 && !f.Invalid && !slices.Contains(neverExcused, f.Oracle)
}

// undecidedReason names what the CCM has asked for, with how often.
func undecidedReason(asked map[string]int) string {
	calls := report.Unsimulated(scenarios.Report{Scenarios: []scenarios.Result{{Unsimulated: asked}}})
	return "the CCM had asked for what simcloud does not simulate, so that the failure may not be its fault: " + strings.Join(calls, "; ")
}
