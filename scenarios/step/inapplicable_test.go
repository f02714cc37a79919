package step_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestDoesNotApply: a step that names something of a kind that a CCM need not make, and of which there never was anything, shows
// that the scenario does not apply. It is skipped with the reason, and what it has begun is cleaned up.
func TestDoesNotApply(t *testing.T) {
	t.Parallel()
	const captured = `steps: [{cloud: {operation: CreateVolume, args: {name: v, sizeGiB: 1, zone: zone-a}}}, {capture: {addresses: 'floatingIPs.map(f, f.id)'}}, {cloud: {operation: DetachFloatingIP, args: {id: "${addresses[0]}"}}}, {expect: 'nodes.size() == 7'}]
  finally: [{cloud: {operation: DeleteVolume, args: {id: "${volumes[0].id}"}}}, {machine: {kill: "${loadBalancers[0].name}"}}]`
	address := func(t *testing.T, c *steptest.Cluster) {
		c.Cloud.Must(t)(c.Cloud.CreateFloatingIP(t.Context(), simcloud.FloatingIPSpec{Name: "other"}))
		c.When("DetachFloatingIP", func() { t.Error("the step is done") })
	}
	for name, test := range map[string]struct {
		spec string
		with func(*testing.T, *steptest.Cluster)
		want scenarios.Status
		says string
	}{
		"arguments":            {captured, nil, scenarios.Skipped, "it does not apply: the arguments of DetachFloatingIP: ${addresses[0]}: index out of bounds: 0, and there were no floatingIPs in this scenario"},
		"it asks for them":     {"capabilities: [floatingIPs]\n  " + captured, nil, scenarios.Invalid, "let an expectation wait for it first"},
		"there is another one": {strings.ReplaceAll(captured, "addresses[0]", "addresses[1]"), address, scenarios.Invalid, "index out of bounds: 1: let"},
		"a capture":            {"steps: [{capture: {a: 'floatingIPs[0].id'}}]", nil, scenarios.Skipped, "there is no value for a, and there were no floatingIPs"},
		"a text in a manifest": {`steps: [{apply: '{apiVersion: v1, kind: Service, metadata: {name: "${loadBalancers[0].id}"}}'}]`, nil, scenarios.Skipped, "and there were no loadBalancers"},
		"what there always is": {"steps: [{capture: {a: 'instances[7].id'}}]", nil, scenarios.Invalid, "let an expectation"},
		"an expectation fails": {"steps: [{expect: 'floatingIPs[0].id == \"x\"'}]", nil, scenarios.Failed, "the expectation is false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := steptest.NewCluster(t)
				if test.with != nil {
					test.with(t, c)
				}
				r := runtest.PerformSpec(t, c, "ccm: stopped\n  nodes: 1\n  "+test.spec)
				if text := r.Reason + allText(r); r.Status != test.want || !strings.Contains(text, test.says) {
					t.Fatalf("it is %s (%s), want %s with %q: %s", r.Status, r.Error, test.want, test.says, text)
				}
				if test.want == scenarios.Skipped && len(r.Failures) > 0 {
					t.Errorf("it is skipped, and has failures: %s", allText(r))
				}
				if left := c.Cloud.State(t).Volumes; len(left) > 0 {
					t.Errorf("finally has not run: %v is left", left)
				}
			})
		})
	}
}
