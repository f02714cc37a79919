package backendtest

import (
	"context"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// node is the machine of most parts.
const node = "node-1"

// boots: an instance gets a machine, and the machine a Node, which waits for a CCM.
func boots(t *testing.T, h Harness) {
	c := h.Cluster
	create(t, c, node)
	awaitMachines(t, c, node+" running")
	n := awaitReady(t, c, corev1.ConditionTrue)
	if n.Spec.ProviderID != "" {
		t.Errorf("providerID %q: that is for the CCM to say", n.Spec.ProviderID)
	}
	if !slices.ContainsFunc(n.Spec.Taints, func(taint corev1.Taint) bool {
		return taint.Key == cloudproviderapi.TaintExternalCloudProvider && taint.Effect == corev1.TaintEffectNoSchedule
	}) {
		t.Errorf("no taint of an uninitialized node in %v", n.Spec.Taints)
	}
}

// oneOfAName: a machine that runs has its name for itself.
func oneOfAName(t *testing.T, h Harness) {
	if h.Cluster.Backend.Capabilities().SharedCluster != nil {
		t.Skip("the backend boots no kubelets")
	}
	if _, err := h.Cluster.Backend.StartNode(t.Context(), machine.Spec{Name: node}); err == nil {
		t.Error("a second node of the same name boots")
	}
}

// offAndOn: a machine goes and comes with its instance, and its Node is the same.
func offAndOn(t *testing.T, h Harness) {
	c := h.Cluster
	uid, inst := awaitReady(t, c, corev1.ConditionTrue).UID, instance(t, c)
	if _, err := c.Cloud.StopInstance(t.Context(), inst); err != nil {
		t.Fatal(err)
	}
	awaitMachines(t, c)
	if _, err := c.Cloud.StartInstance(t.Context(), inst); err != nil {
		t.Fatal(err)
	}
	awaitMachines(t, c, node+" running")
	if again := awaitReady(t, c, corev1.ConditionTrue).UID; again != uid {
		t.Errorf("after a stop and a start the Node is %s, and was %s", again, uid)
	}
}

// freezes: a machine that is frozen is silent, and goes on when it is thawed.
func freezes(t *testing.T, h Harness) {
	c := h.Cluster
	do(t, c.Machines.Freeze)
	awaitMachines(t, c, node+" frozen")
	awaitReady(t, c, corev1.ConditionUnknown)
	do(t, c.Machines.Thaw)
	awaitMachines(t, c, node+" running")
	awaitReady(t, c, corev1.ConditionTrue)
}

// partitions: a machine that is cut off is silent; where none can be cut off it is frozen.
func partitions(t *testing.T, h Harness) {
	c, state := h.Cluster, "frozen"
	if h.Cluster.Backend.Capabilities().Cut != nil {
		state = "partitioned"
	}
	do(t, c.Machines.Partition)
	awaitMachines(t, c, node+" "+state)
	do(t, c.Machines.Partition) // twice is once
	awaitReady(t, c, corev1.ConditionUnknown)
	do(t, c.Machines.Heal)
	awaitMachines(t, c, node+" running")
	awaitReady(t, c, corev1.ConditionTrue)
}

// kills: a machine that was killed is silent, and booted again it has its Node.
func kills(t *testing.T, h Harness) {
	c := h.Cluster
	uid := awaitReady(t, c, corev1.ConditionTrue).UID
	do(t, c.Machines.Kill)
	awaitMachines(t, c, node+" killed")
	awaitReady(t, c, corev1.ConditionUnknown)
	if err := c.Machines.Boot(t.Context(), control.Machine{Name: node}); err != nil {
		t.Fatal(err)
	}
	awaitMachines(t, c, node+" running")
	if again := awaitReady(t, c, corev1.ConditionTrue).UID; again != uid {
		t.Errorf("the Node is another object than before: %s, and was %s", again, uid)
	}
}

func do(t *testing.T, verb func(name string) error) {
	t.Helper()
	if err := verb(node); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, c *e2e.Cluster, name string) {
	t.Helper()
	if _, err := c.Cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: name}); err != nil {
		t.Fatal(err)
	}
}

// instance is the VM of the machine.
func instance(t *testing.T, c *e2e.Cluster) simcloud.ID {
	t.Helper()
	for _, m := range c.Machines.List() {
		if m.Name == node {
			return m.Instance
		}
	}
	t.Fatalf("no machine %s: the part Boot makes it", node)
	return ""
}

// awaitMachines waits until the machines are as told: "name state" each.
func awaitMachines(t *testing.T, c *e2e.Cluster, want ...string) {
	t.Helper()
	ctx, cancel := waittest.Context(t)
	defer cancel()
	if err := c.Machines.Wait(ctx, func(list []machine.Status) bool {
		var got []string
		for _, m := range list {
			got = append(got, m.Name+" "+string(m.State))
		}
		return slices.Equal(got, want)
	}); err != nil {
		t.Fatalf("want %q: %v", strings.Join(want, ", "), err)
	}
}

// awaitReady waits until the condition Ready of the machine's Node has the status, and returns the Node.
func awaitReady(t *testing.T, c *e2e.Cluster, want corev1.ConditionStatus) *corev1.Node {
	t.Helper()
	var n *corev1.Node
	waittest.For(t, "Ready="+string(want)+" on "+node, func(ctx context.Context) (_ bool, err error) {
		n, err = c.Kube.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
		return err == nil && slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type == corev1.NodeReady && c.Status == want
		}), err
	})
	return n
}
