package step_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestCCMSettings: settings hold from a start on until they are set again, each by itself.
func TestCCMSettings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		runtest.Passes(t, runtest.PerformSpec(t, c, `ccm: {state: stopped, config: {region: "${ns}"}, flags: ["--a=${ns}"]}
  steps:
  - capture: {period: '"5s"'}
  - ccm: start
  - ccm: stop
  - ccm: {start: {config: {nodeGracePeriod: "${period}", retries: 3}}}
  - ccm: stop
  - ccm: {start: {flags: []}}
  - expect: ccm.running
`))
		want := "configure map[region:test-one] [--a=test-one], start, stop, configure map[nodeGracePeriod:5s retries:3] [--a=test-one], start, stop, " +
			"configure map[nodeGracePeriod:5s retries:3] [], start"
		if got := c.CCM.Said(); got != want {
			t.Errorf("the CCM was told\n%s, want\n%s", got, want)
		}
	})
}

// TestCCMStartsAnother: an upgrade keeps all settings, and holds until the CCM's own program is named again.
func TestCCMStartsAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		result := runtest.PerformSpec(t, c, `ccm: {state: stopped, flags: [--x]}
  steps:
  - capture: {version: '"2"'}
  - ccm: {start: {binary: "./my-ccm-v${version}"}}
  - ccm: restart
  - ccm: stop
  - ccm: {start: {flags: [--y]}}
  - ccm: stop
  - ccm: {start: {binary: ""}}
`)
		runtest.Passes(t, result)
		want := `configure map[] [--x], configure map[] [--x] as "./my-ccm-v2", start, restart, stop, configure map[] [--y] as "./my-ccm-v2", start, stop, configure map[] [--y] as "", start`
		if got := c.CCM.Said(); got != want {
			t.Errorf("the CCM was told\n%s, want\n%s", got, want)
		}
		c = steptest.NewCluster(t)
		c.CCM.NoBinary = "./my-ccm-v2"
		result = runtest.Perform(t, c, "  - ccm: stop\n  - ccm: {start: {binary: ./my-ccm-v2}}\n")
		if result.Status != scenarios.Invalid || !strings.Contains(fmt.Sprint(result.Failures), "ccm.binary: cannot run ./my-ccm-v2") {
			t.Errorf("a program that does not exist: %s, %+v; want that the file is wrong", result.Status, result.Failures)
		}
	})
}

// TestCCMRunsBySettings: it starts with the scenario's settings unless it is to be stopped.
func TestCCMRunsBySettings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for spec, want := range map[string]string{
			"ccm: {flags: [--x]}":                 "configure map[] [--x], start",
			"ccm: {state: running}":               "start",
			"ccm: {state: stopped, flags: [--x]}": "configure map[] [--x]",
		} {
			c := steptest.NewCluster(t)
			runtest.Passes(t, runtest.PerformSpec(t, c, spec+"\n  steps: [{sleep: 1ms}]\n"))
			if got := c.CCM.Said(); got != want {
				t.Errorf("%s: the CCM was told %s, want %s", spec, got, want)
			}
		}
	})
}

func TestCCMStartsFailing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		c.CCM.Log = "F1121 the cloud refuses the token\n"
		runtest.Passes(t, runtest.Perform(t, c, `
  - ccm: {start: {config: {region: nowhere}}, fails: refuses the token}
  - expect: '!ccm.running'
`))
		if got := c.CCM.Said(); got != "configure map[region:nowhere] [], start failing" {
			t.Errorf("the CCM was told %s", got)
		}
		c = steptest.NewCluster(t)
		c.CCM.Log = "F1121 the cloud refuses the token\n"
		runtest.Fails(t, runtest.Perform(t, c, "  - ccm: {start: {}, fails: knows no region}\n"), `its log does not say "knows no region": F1121 the cloud refuses the token`)
		c = steptest.NewCluster(t)
		c.CCM.Runs = true
		runtest.Fails(t, runtest.Perform(t, c, "  - ccm: {start: {flags: [--x]}}\n"), "it runs already")
	})
}

// TestSkippedForOtherCCMs: a scenario that sets the cloud config is not for a CCM that does not read it.
func TestSkippedForOtherCCMs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for spec, skipped := range map[string]bool{
			"ccm: {config: {region: x}}\n  steps: [{sleep: 1ms}]\n":                            true,
			"ccm: stopped\n  steps: [{ccm: {start: {config: {}}}}]\n":                          true,
			"ccm: stopped\n  steps: [{sleep: 1ms}]\n  finally: [{ccm: {start: {config: {}}}}]": true,
			"ccm: {flags: [--x]}\n  steps: [{sleep: 1ms}]\n":                                   false,
		} {
			c := steptest.NewCluster(t)
			c.CCM.ReadsNo = true
			r := runtest.PerformSpec(t, c, spec)
			if (r.Status == scenarios.Skipped) != skipped || skipped != strings.Contains(r.Reason, "does not read") || skipped && c.CCM.Said() != "" {
				t.Errorf("%q: %s, because %q; the CCM was told %q", spec, r.Status, r.Reason, c.CCM.Said())
			}
		}
	})
}
