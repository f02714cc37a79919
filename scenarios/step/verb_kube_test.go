package step_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

func TestKube(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for step, want := range map[string]string{
			"restart": "restart the API server",
			"allow":   "allow",
			"{forbid: {verbs: [delete, patch], resources: [nodes, nodes/status]}}": "forbid [delete patch] of [nodes nodes/status], allow",
			"{delay: {verbs: [watch, '*'], resources: [services/status], by: 2s}}": "delay [watch *] of [services/status] by 2s, undelay",
			"undelay": "undelay",
		} {
			tells(t, "kube", step, want)
		}
		c := steptest.NewCluster(t)
		c.Control.Err = errors.New("no way")
		runtest.Fails(t, runtest.Perform(t, c, "  - kube: restart\n"), "kube restart: no way")
	})
}

// TestForbiddenToTheEnd: a cluster whose rights cannot be given back says nothing of the CCM.
func TestForbiddenToTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		c.Control.Err = errors.New("no way")
		r := runtest.Perform(t, c, "  - kube: {forbid: {verbs: [delete], resources: [nodes]}}\n")
		if r.Status != scenarios.Broken || r.Error != "give the CCM its rights back: no way" {
			t.Errorf("it is %s: %s", r.Status, r.Error)
		}
	})
}

// TestDelayNeedsAProxy: the CCM is started so that what it asks can be delayed,
// where that is possible, and a scenario that delays nothing is spared the detour.
func TestDelayNeedsAProxy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const step = "  - kube: {delay: {verbs: [list], resources: [nodes], by: 1s}}\n"
		c := steptest.NewCluster(t)
		runtest.Passes(t, runtest.Perform(t, c, step))
		if got := c.CCM.Said(); got != "configure proxied" {
			t.Errorf("the CCM was told %q", got)
		}
		c = steptest.NewCluster(t)
		runtest.Passes(t, runtest.Perform(t, c, "  - kube: restart\n"))
		if got := c.CCM.Said(); got != "" {
			t.Errorf("a CCM that is not delayed was told %q", got)
		}
		c = steptest.NewCluster(t)
		c.Control.CannotDelay = true
		if r := runtest.Perform(t, c, step); r.Status != scenarios.Skipped || !strings.Contains(r.Reason, "a CCM in a pod") {
			t.Errorf("it is %s: %s", r.Status, r.Reason)
		}
	})
}

// tells wants a step to tell the controls of a cluster just this.
func tells(t *testing.T, verb, step, want string) {
	t.Helper()
	c := steptest.NewCluster(t)
	runtest.Passes(t, runtest.Perform(t, c, "  - "+verb+": "+step+"\n"))
	if got := c.Control.Said(); got != want {
		t.Errorf("%s: the cluster was told\n%s, want\n%s", step, got, want)
	}
}
