package cli

import (
	"bytes"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/e2e/machine"
)

// TestStatusTable: a node has its zone, and a taint once that has two effects.
func TestStatusTable(t *testing.T) {
	t.Parallel()
	node := &corev1.Node{}
	for _, effect := range []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute} {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: effect})
	}
	status := sandboxStatus{
		State: sandbox.State{Name: "default", Phase: sandbox.PhaseReady, Machines: []machine.Status{{Name: "node-1", State: machine.Running}}},
		Nodes: []nodeRow{{Name: "node-1", Status: nodeStatus(node), Zone: "zone-a", ProviderID: "simcloud://region-1/i-1"}, {Name: "node-2", Status: "NotReady"}},
	}
	var out bytes.Buffer
	if err := status.printTable(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"NODE    STATUS                MACHINE  ZONE    PROVIDER ID\n",
		"node-1  NotReady,unreachable  running  zone-a  simcloud://region-1/i-1\n",
		"node-2  NotReady              off      -       -\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in it:\n%s", want, out.String())
		}
	}
}
