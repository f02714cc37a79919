package run_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestInitialisedFirst: where there will be load balancers the steps begin when the CCM has
// initialised the nodes, or after a while.
func TestInitialisedFirst(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takes time.Duration // to initialise
		spec  string
	}{
		"in time":          {3 * time.Second, `capabilities: [nodes, loadBalancers]` + finds("!has(spec.taints)")},
		"never":            {time.Hour, `capabilities: [nodes, loadBalancers]` + finds("has(spec.taints)")},
		"no Services":      {3 * time.Second, `capabilities: [nodes]` + finds("has(spec.taints)")},
		"by another":       {3 * time.Second, `capabilities: [loadBalancers]` + finds("has(spec.taints)")},
		"a CCM that waits": {3 * time.Second, "capabilities: [nodes, loadBalancers]\n  ccm: stopped" + finds("has(spec.taints)")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := steptest.NewCluster(t)
				taint := func(patch string) error {
					_, err := c.Kube.Resource(observe.Watched[0].GVR).Patch(context.Background(), "node-1", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
					return err
				}
				c.After("CreateInstance", func(map[string]any) error {
					time.AfterFunc(test.takes, func() { _ = taint(`{"spec": {"taints": null}}`) })
					return taint(`{"spec": {"taints": [{"key": "node.cloudprovider.kubernetes.io/uninitialized", "effect": "NoSchedule"}]}}`)
				})
				runtest.Passes(t, runtest.PerformSpec(t, c, "nodes: 1\n  "+test.spec))
			})
		})
	}
}

// finds is the steps of a spec that look at the node once.
func finds(what string) string {
	return "\n  steps:\n  - expect: 'nodes.all(name, [nodes[name].spec].all(spec, " + what + "))'\n"
}
