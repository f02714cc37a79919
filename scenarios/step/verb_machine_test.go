package step_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestMachine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for step, want := range map[string]string{
			`{boot: "x-${ns}"}`: "boot {Name:x-test-one Labels:map[] Light:false NodeIPs:[] ProviderID: Initialized:false}",
			`{boot: node-9, light: true, nodeIPs: [10.0.0.5, "${ns}"], providerID: "kubemark://${ns}", initialized: true, labels: {a: "${ns}", b: c}}`: "boot {Name:node-9 Labels:map[a:test-one b:c] Light:true NodeIPs:[10.0.0.5 test-one] ProviderID:kubemark://test-one Initialized:true}",
			`{kill: "${ns}"}`:      "kill test-one",
			`{freeze: "${ns}"}`:    "freeze test-one",
			`{thaw: "${ns}"}`:      "thaw test-one",
			`{partition: "${ns}"}`: "partition test-one",
			`{heal: "${ns}"}`:      "heal test-one",
		} {
			tells(t, "machine", step, want)
		}
		c := steptest.NewCluster(t)
		c.Control.Err = errors.New("no way")
		runtest.Fails(t, runtest.Perform(t, c, "  - machine: {kill: \"${ns}\"}\n"), "kill the machine ${ns}: no way")
	})
}

// TestMachineDownInFinally: what a scenario kills in the end may be down already, and nothing else may be wrong there.
func TestMachineDownInFinally(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			err   error
			step  string
			fails bool
		}{
			{simcloud.Conflict, "kill", false},
			{simcloud.NotFound, "kill", false},
			{simcloud.Unavailable, "kill", true},
			{simcloud.Conflict, "freeze", true},
		} {
			c := steptest.NewCluster(t)
			c.Control.Err = test.err
			r := runtest.Perform(t, c, "  - sleep: 1ms\n  finally:\n  - machine: {"+test.step+": \"${ns}\"}\n")
			if failed := r.Status != scenarios.Passed; failed != test.fails {
				t.Errorf("%s with %v: it is %s: %v", test.step, test.err, r.Status, r.Failures)
			}
		}
		c := steptest.NewCluster(t)
		c.Control.Err = simcloud.Conflict
		runtest.Fails(t, runtest.Perform(t, c, "  - machine: {kill: \"${ns}\"}\n"), "kill the machine ${ns}: conflict")
	})
}

// TestLightNodes: light: true makes the scenario's nodes light ones.
func TestLightNodes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for spec, want := range map[string]any{"nodes: 1\n  light: true": "light", "nodes: 1": nil} {
			c := steptest.NewCluster(t)
			var kind any
			old := c.Cloud.Answer
			c.Cloud.Answer = func(operation string, args map[string]any) (any, error) {
				if operation == "CreateInstance" {
					kind = observe.Dig(args, "labels", "sim.simcloud.dev/node")
				}
				return old(operation, args)
			}
			runtest.Passes(t, runtest.PerformSpec(t, c, spec+"\n  steps: [{sleep: 1ms}]\n"))
			if kind != want {
				t.Errorf("%q: the instance is %v, want %v", spec, kind, want)
			}
		}
	})
}
