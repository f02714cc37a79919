package step_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// heldBy is a fake cluster with two replicas, of which the standby says that it leads.
func heldBy(t *testing.T, holder string) (*steptest.Cluster, func(holder string)) {
	t.Helper()
	c := steptest.NewCluster(t)
	c.CCM.Runs, c.Standby.Runs = true, true
	c.Standby.Page = step.LeaderMetric + "{name=\"cloud-controller-manager\"} 1\n"
	leases := c.Kube.Resource(schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}).Namespace("kube-system")
	lease := func(holder string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": map[string]any{"name": "cloud-controller-manager", "namespace": "kube-system"},
			"spec": map[string]any{"holderIdentity": holder},
		}}
	}
	if _, err := leases.Create(t.Context(), lease(holder), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return c, func(holder string) {
		if _, err := leases.Update(t.Context(), lease(holder), metav1.UpdateOptions{}); err != nil {
			t.Error(err)
		}
	}
}

// TestFailover ends the replica that leads, whichever it is, and waits for the other one.
func TestFailover(t *testing.T) {
	c, elect := heldBy(t, "second")
	c.Standby.Ended = func() { elect("first") }
	runtest.Passes(t, runtest.Perform(t, c, `
  - {ccm: {failover: kill}, timeout: 5s}
  - expect: leases["cloud-controller-manager"].spec.holderIdentity == "first" && !ccm.standby.running
`))
	if got := c.Standby.Said(); got != "get /metrics, kill" {
		t.Errorf("the leader was told %q", got)
	}
	if got := c.CCM.Said(); got != "get /metrics" {
		t.Errorf("the other one was told %q", got)
	}
}

// TestFailoverFails: what is missing is told.
func TestFailoverFails(t *testing.T) {
	const step = "  - {ccm: {failover: stop}, timeout: 300ms}\n"
	c, _ := heldBy(t, "second")
	runtest.Fails(t, runtest.Perform(t, c, step), "the other replica did not take the lease cloud-controller-manager, which second holds")
	c, _ = heldBy(t, "")
	runtest.Fails(t, runtest.Perform(t, c, step), "the lease cloud-controller-manager has no holder")
	c, _ = heldBy(t, "second")
	c.Standby.Page = ""
	runtest.Fails(t, runtest.Perform(t, c, step), "the lease cloud-controller-manager had no holder when the standby started")
	c, _ = heldBy(t, "second")
	c.Standby.Runs = false
	runtest.Fails(t, runtest.Perform(t, c, step), "both replicas must run")
	c, _ = heldBy(t, "second")
	runtest.Fails(t, runtest.Perform(t, c, "  - {ccm: {failover: stop, lease: other}, timeout: 300ms}\n"), "the lease other has no holder")
}

// TestFailoverByLease: where no metric tells who leads, it is who held the lease before there was a standby, and holds it still.
func TestFailoverByLease(t *testing.T) {
	const (
		start = "  - {ccm: {standby: start}}\n"
		kill  = "  - {ccm: {failover: kill}, timeout: 5s}\n"
	)
	c, elect := heldBy(t, "first")
	c.Standby.Page, c.Standby.Runs = "", false
	c.CCM.Ended = func() { elect("second") }
	runtest.Passes(t, runtest.Perform(t, c, start+kill+"  - expect: '!ccm.running && ccm.standby.running'\n"))
	if got := c.CCM.Said(); got != "get /metrics, kill" {
		t.Errorf("the leader was told %q", got)
	}

	c, elect = heldBy(t, "first")
	c.Standby.Page, c.Standby.Runs = "", false
	c.Standby.Began = func() { elect("second") }
	runtest.Fails(t, runtest.Perform(t, c, start+"  - {expect: 'leases[\"cloud-controller-manager\"].spec.holderIdentity == \"second\"', within: 5s}\n"+kill),
		"went from first to second since the standby started")
}
