package run_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestKnownIssueHasGone: a scenario that asserts a known issue and fails reports that today's behaviour has changed; where the
// issue is fixed it reports that the defect may be there again.
func TestKnownIssueHasGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cluster := func() *steptest.Cluster {
			c := steptest.NewCluster(t)
			c.Profile = "hcloud"
			return c
		}
		const issue = "ccm: stopped\n  knownIssue: {profile: hcloud, issues: [818], cloud: It waits., ccm: It waits too.}\n  steps:\n"
		runtest.Passes(t, runtest.PerformSpec(t, cluster(), issue+"  - expect: nodes.size() == 0\n"))
		r := runtest.PerformSpec(t, cluster(), issue+"  - expect: nodes.size() == 1\n")
		runtest.Fails(t, r, "today's behaviour of the CCM has changed, perhaps by a repair (known issue hcloud#818): the expectation is false")

		fixed := strings.Replace(issue, "issues:", "state: fixed, issues:", 1)
		runtest.Passes(t, runtest.PerformSpec(t, cluster(), fixed+"  - expect: nodes.size() == 0\n"))
		r = runtest.PerformSpec(t, cluster(), fixed+"  - expect: nodes.size() == 1\n")
		runtest.Fails(t, r, "the CCM may have a defect again that was fixed (issue hcloud#818): the expectation is false")
	})
}
