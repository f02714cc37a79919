package run

import "github.com/simcloud-dev/simcloud/scenarios"

// compared is the result of a scenario, compared with what is known of the CCM: a failure that is
// known has a status of its own, also where it is undecided, and a scenario that passed all the same keeps the entry. One that
// fails in another way stays failed. What is broken or was interrupted shows nothing of the CCM.
func (r *Runner) compared(s *scenarios.Scenario, result scenarios.Result) scenarios.Result {
	known := r.Known.Of(s)
	if known == nil {
		return result
	}
	switch covers := known.Covers(result.Failures); {
	case result.Status == scenarios.Failed && !covers:
		result.Failures = known.Otherwise(result.Failures)
		return result
	case result.Status == scenarios.Failed, result.Status == scenarios.Undecided && covers:
		result.Status, result.Reason = scenarios.KnownFailed, ""
	}
	if result.Status == scenarios.KnownFailed || result.Status == scenarios.Passed {
		result.Known = known
	}
	return result
}
