package step_test

import (
	"strconv"
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
	renewed := 0
	lease := func(holder string) *unstructured.Unstructured {
		renewed++
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": map[string]any{"name": "cloud-controller-manager", "namespace": "kube-system"},
			"spec": map[string]any{"holderIdentity": holder, "renewTime": strconv.Itoa(renewed)},
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
	const failover = "  - {ccm: {failover: stop}, timeout: 300ms}\n"
	c, _ := heldBy(t, "second")
	runtest.Fails(t, runtest.Perform(t, c, failover), "the other replica did not take the lease cloud-controller-manager, which second holds")
	c, _ = heldBy(t, "")
	runtest.Fails(t, runtest.Perform(t, c, failover), "the lease cloud-controller-manager has no holder")
	c, _ = heldBy(t, "second")
	c.Standby.Page = step.LeaderMetric + "{name=\"cloud-controller-manager\"} 0\n"
	runtest.Fails(t, runtest.Perform(t, c, failover), "no replica says in its /metrics")
	c, _ = heldBy(t, "second")
	c.Standby.Page = ""
	runtest.Fails(t, runtest.Perform(t, c, failover), "the lease cloud-controller-manager had no holder when the standby started")
	c, _ = heldBy(t, "second")
	c.Standby.Runs = false
	runtest.Fails(t, runtest.Perform(t, c, failover), "both replicas must run")
	c, _ = heldBy(t, "second")
	runtest.Fails(t, runtest.Perform(t, c, "  - {ccm: {failover: stop, lease: other}, timeout: 300ms}\n"), "the lease other has no holder")
}

// TestFailoverByLease: where no metric tells who leads, it is who was known to hold the lease, and renews it still.
func TestFailoverByLease(t *testing.T) {
	const (
		start = "  - {ccm: {standby: start}}\n"
		kill  = "  - {ccm: {failover: kill}, timeout: 5s}\n"
	)
	// The lease is renewed when the standby has started, and whenever one of them ends it is the other's.
	open := func(t *testing.T, next string) *steptest.Cluster {
		c, elect := heldBy(t, "first")
		c.Standby.Page, c.Standby.Runs = "", false
		c.Standby.Began = func() { elect(next) }
		c.CCM.Ended = func() { elect("second"); elect("second") }
		c.CCM.Began = c.Standby.Began
		c.Standby.Ended = func() { elect("third") }
		return c
	}
	c := open(t, "first")
	runtest.Passes(t, runtest.Perform(t, c, start+kill+"  - expect: '!ccm.running && ccm.standby.running'\n"))
	if got := c.CCM.Said(); got != "get /metrics, kill" {
		t.Errorf("the leader was told %q", got)
	}
	c = open(t, "first")
	c.CCM.Began, c.CCM.Ended = nil, nil
	runtest.Fails(t, runtest.Perform(t, c, start+kill), "did not take the lease")
	runtest.Fails(t, runtest.Perform(t, open(t, "second"), start+"  - {expect: 'leases[\"cloud-controller-manager\"].spec.holderIdentity == \"second\"', within: 5s}\n"+kill),
		"went from first to second: it cannot be told whose that is")
	c, _ = heldBy(t, "gone") // of a process that is no more
	c.Standby.Page, c.Standby.Runs = "", false
	runtest.Fails(t, runtest.Perform(t, c, start+"  - {ccm: {failover: kill}, timeout: 300ms}\n"), "gone, which held the lease cloud-controller-manager when the standby started, does not renew it")
	if got := c.CCM.Said(); got != "get /metrics" {
		t.Errorf("one that may not lead was told %q", got)
	}
}

// TestFailoverTwice: who has taken the lead is known, and the next failover takes it back.
func TestFailoverTwice(t *testing.T) {
	c, elect := heldBy(t, "first")
	c.Standby.Page, c.Standby.Runs = "", false
	c.Standby.Began = func() { elect("first") }
	c.CCM.Ended = func() { elect("second") }
	c.CCM.Began = func() { elect("second") }
	c.Standby.Ended = func() { elect("third") }
	runtest.Passes(t, runtest.Perform(t, c, `
  - {ccm: {standby: start}}
  - {ccm: {failover: kill}, timeout: 5s}
  - {ccm: start}
  - {ccm: {failover: stop}, timeout: 5s}
  - expect: leases["cloud-controller-manager"].spec.holderIdentity == "third" && ccm.running && !ccm.standby.running
`))
}
