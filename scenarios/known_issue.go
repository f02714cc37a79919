package scenarios

import (
	"fmt"
	"strconv"
	"strings"
)

// KnownIssue is a defect of one CCM. A scenario that has one asserts what that CCM does today: it passes
// as long as the defect is there, or as long as a fixed one does not come back. It is skipped for every other CCM.
type KnownIssue struct {
	// Profile is the name of the profile that starts the CCM.
	Profile string
	// Issues are the numbers of the reports in the tracker of the CCM; empty when no report is known.
	Issues []int
	// Cloud is what the cloud does, CCM is what the CCM does then: a sentence each.
	Cloud, CCM string
	// Fixed is whether the CCM had the defect once, and behaves correctly today.
	Fixed bool
}

// Name is what reports call the issue, such as "hcloud#249, #86".
func (k KnownIssue) Name() string {
	if len(k.Issues) == 0 {
		return k.Profile + ", without a number"
	}
	numbers := make([]string, len(k.Issues))
	for i, n := range k.Issues {
		numbers[i] = "#" + strconv.Itoa(n)
	}
	return k.Profile + strings.Join(numbers, ", ")
}

// Changed is the headline of a failure of the scenario: the CCM may have been repaired, or have a fixed defect again.
func (k KnownIssue) Changed(headline string) string {
	if k.Fixed {
		return fmt.Sprintf("the CCM may have a defect again that was fixed (issue %s): %s", k.Name(), headline)
	}
	return fmt.Sprintf("today's behaviour of the CCM has changed, perhaps by a repair (known issue %s): %s", k.Name(), headline)
}

// NotConcerned is why the scenario is skipped for the CCM of another profile, or of none.
func (k KnownIssue) NotConcerned() string {
	state := "known"
	if k.Fixed {
		state = "fixed"
	}
	return fmt.Sprintf("it asserts a %s issue of the CCM of the profile %s (%s): --profile %s runs it", state, k.Profile, k.Name(), k.Profile)
}
