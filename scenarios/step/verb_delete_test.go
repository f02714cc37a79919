package step_test

import (
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestDeletedNode: a Node that a step deletes is no violation, and one that another client deletes is.
func TestDeletedNode(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		runtest.Passes(t, runtest.PerformSpec(t, steptest.NewCluster(t), "ccm: stopped\n  nodes: 1\n  steps:\n  - delete: node/node-1\n"))

		c := steptest.NewCluster(t)
		c.Instead("StopInstance", func(map[string]any) (any, error) {
			return nil, c.Kube.Resource(observe.Watched[0].GVR).Delete(t.Context(), "node-1", metav1.DeleteOptions{})
		})
		runtest.Fails(t, runtest.PerformSpec(t, c, `ccm: stopped
  nodes: 1
  steps:
  - cloud: {operation: StopInstance, args: {id: i-1}}
  - {within: 60s, expect: nodes.size() == 0}
`), "the Node node-1 was deleted while its VM i-1 exists")
	})
}
