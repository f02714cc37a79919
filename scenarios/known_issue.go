package scenarios

import (
	"fmt"
	"strconv"
	"strings"
)

// KnownIssue is a defect of one CCM. A scenario that has one asserts what that CCM does today: it passes
// as long as the defect is there, and is skipped for every other CCM.
type KnownIssue struct {
	// Profile is the name of the profile that starts the CCM.
	Profile string
	// Issues are the numbers of the reports in the tracker of the CCM; empty when no report is known.
	Issues []int
	// Cloud is what the cloud does, CCM is what the CCM does then: a sentence each.
	Cloud, CCM string
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

// Changed is the headline of a failure of the scenario: the CCM may have been repaired.
func (k KnownIssue) Changed(headline string) string {
	return fmt.Sprintf("today's behaviour of the CCM has changed, perhaps by a repair (known issue %s): %s", k.Name(), headline)
}

// NotConcerned is why the scenario is skipped for the CCM of another profile, or of none.
func (k KnownIssue) NotConcerned() string {
	return fmt.Sprintf("it asserts a known issue of the CCM of the profile %s (%s): --profile %s runs it", k.Profile, k.Name(), k.Profile)
}
