package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// change is a change that a CCM has to follow, by calls at each of which it is killed in turn.
type change struct {
	name string
	// prepare makes what act is about; undo takes away what act has left.
	prepare, act, undo func(k *killing)
	// done reports whether the CCM has followed, and nothing is there that should not be.
	done func(k *killing, ctx context.Context) (bool, error)
}

// killing is a cluster in which a CCM is killed again and again.
type killing struct {
	*testing.T
	*e2e.Cluster
	nodes int // that were made so far
	kills int
}

// TestKillAtEveryCall kills the CCM before and after each call that it makes of
// the cloud, to follow each change, and starts it again. It must always
// get there, and leave nothing behind. The calls are those that it made when
// it was not killed, whatever CCM it is.
func TestKillAtEveryCall(t *testing.T) {
	planetest.Cluster(t) // the gate knows it by that
	planetest.Nightly(t, "TestEveryCallMayFail kills and fails every call in process, s16-killed-while-creating and its kin on a cluster")
	killAtEveryCall(t, planetest.Borrow(t, planetest.CCM(t)))
}

// killAtEveryCall does so on an empty cluster.
func killAtEveryCall(t *testing.T, cluster *e2e.Cluster) {
	t.Helper()
	k := &killing{T: t, Cluster: cluster}
	startSubject(t, k.Cluster)
	k.addNode()
	k.addNode()
	k.await("the nodes are taken in", allNodes)
	always, nodes := k.idleCalls(), k.nodes
	for _, c := range changes() {
		t.Run(c.name, func(t *testing.T) {
			k := &killing{T: t, Cluster: k.Cluster, nodes: nodes}
			k.each(c, always)
			nodes = k.nodes
		})
	}
	k.empties()
}

// each kills the CCM at each of its calls for the change.
func (k *killing) each(c change, always map[string]int) {
	k.Helper()
	began := time.Now()
	calls := k.record(c, always)
	k.Logf("killed at %+v", calls)
	for _, p := range calls {
		for _, after := range []bool{false, true} {
			p.After = after
			k.killAt(c, p, always)
		}
	}
	if k.kills == 0 {
		k.Errorf("the CCM was not killed around any of %d calls", len(calls))
	}
	k.Logf("%d calls, killed %d times in %s", len(calls), k.kills, time.Since(began).Round(time.Second))
}

// record makes the change undisturbed and returns the calls for it, in their
// order. Of those that the CCM makes all the time only the first one counts.
func (k *killing) record(c change, always map[string]int) (points []control.KillPoint) {
	k.Helper()
	c.prepare(k)
	after := k.lastCall()
	c.act(k)
	k.converge(c)
	count := map[string]int{}
	for _, entry := range k.calls(after) {
		if _, known := simcloud.EndpointOf(entry.Operation); !known {
			continue // only a dialect has it, such as the list of its catalogue: no fault rule can hold it
		}
		count[entry.Operation]++
		if n := count[entry.Operation]; n == 1 || always[entry.Operation] == 0 {
			points = append(points, control.KillPoint{Operation: entry.Operation, Call: n})
		}
	}
	c.undo(k)
	return points
}

// killAt makes the change with a CCM that dies at the point, and is started again. The
// first write of a kind is one that the change needs: it must be reached.
func (k *killing) killAt(c change, p control.KillPoint, always map[string]int) {
	k.Helper()
	point := fmt.Sprintf("%s %d, after %t", p.Operation, p.Call, p.After)
	c.prepare(k)
	if err := k.CCM.KillAt(k.Context(), p); err != nil {
		k.Fatal(err)
	}
	c.act(k)
	reached := k.killed(c, always)
	endpoint, _ := simcloud.EndpointOf(p.Operation)
	switch {
	case reached:
		k.kills++
		startSubject(k.T, k.Cluster)
	case endpoint.Write() && p.Call == 1:
		k.Errorf("%s: not called, and the CCM has followed all the same", point)
	default:
		k.Logf("%s: not called this time", point)
	}
	k.await(point+": "+c.name, func(k *killing, ctx context.Context) (bool, error) { return c.done(k, ctx) })
	c.undo(k)
}

// killed waits until the CCM is killed. A call that it can do without may not
// come: the CCM is spared, or it would be killed later, when it has followed and since then made
// each call again that it makes all the time.
func (k *killing) killed(c change, always map[string]int) bool {
	k.Helper()
	var followed uint64
	waittest.For(k.T, "the CCM is killed, or has followed", func(ctx context.Context) (bool, error) {
		if k.CCM.Killed() {
			return true, nil
		}
		if done, err := c.done(k, ctx); followed == 0 && (!done || err != nil) {
			return false, err
		}
		if followed == 0 {
			followed = k.lastCall()
		}
		return madeAll(always, k.calls(followed)), nil
	})
	killed, err := k.CCM.Disarm(k.Context())
	if err != nil {
		k.Fatal(err)
	}
	return killed
}

// madeAll reports whether each of the operations was called.
func madeAll(operations map[string]int, calls []simcloud.JournalEntry) bool {
	for operation := range operations {
		if !slices.ContainsFunc(calls, func(e simcloud.JournalEntry) bool { return e.Operation == operation }) {
			return false
		}
	}
	return true
}

func (k *killing) converge(c change) {
	k.Helper()
	k.await(c.name, c.done)
}

func (k *killing) await(what string, done func(*killing, context.Context) (bool, error)) {
	k.Helper()
	waittest.For(k.T, what, func(ctx context.Context) (bool, error) { return done(k, ctx) })
}

// idleCalls are the calls that the CCM makes when there is nothing to do.
func (k *killing) idleCalls() map[string]int {
	k.Helper()
	after := k.lastCall()
	quiet(k.T, e2e.DefaultTimings().NodeStatusUpdate+time.Second) // its longest period
	// A busy machine may not get round to all in that time; another CCM may look in other ways.
	for end := time.Now().Add(waittest.Patience()); !looksAround(k.calls(after)) && time.Now().Before(end); {
		quiet(k.T, 100*time.Millisecond)
	}
	count := map[string]int{}
	for _, entry := range k.calls(after) {
		if entry.Write {
			k.Errorf("%s of %s in an idle cluster", entry.Operation, entry.Resource)
		}
		count[entry.Operation]++
	}
	return count
}

// looksAround reports whether calls are about the nodes as well as about the routes.
func looksAround(calls []simcloud.JournalEntry) bool {
	made := func(operations ...string) bool {
		return slices.ContainsFunc(calls, func(e simcloud.JournalEntry) bool { return slices.Contains(operations, e.Operation) })
	}
	return made("ListInstances", "GetInstance") && made("GetRouteTable", "ListRouteTables", "GetNetwork")
}

func (k *killing) lastCall() uint64 {
	k.Helper()
	entries, err := k.Cloud.ListJournal(k.Context(), simcloud.JournalFilter{})
	if err != nil {
		k.Fatal(err)
	}
	return entries[len(entries)-1].Seq
}

// calls are those of the CCM after a number.
func (k *killing) calls(after uint64) []simcloud.JournalEntry {
	k.Helper()
	entries, err := k.Cloud.ListJournal(k.Context(), simcloud.JournalFilter{After: after})
	if err != nil {
		k.Fatal(err)
	}
	return slices.DeleteFunc(entries, func(e simcloud.JournalEntry) bool { return e.Caller.Token != k.CCM.TokenID() })
}

// changes are the life of a Service, and a node that joins.
func changes() []change {
	serve := func(k *killing) {
		k.createService()
		k.await("the Service is served", func(k *killing, ctx context.Context) (bool, error) { return k.served(ctx, 80) })
	}
	return []change{
		{
			name: "create a Service", prepare: nothing, act: (*killing).createService, undo: (*killing).deleteService,
			done: func(k *killing, ctx context.Context) (bool, error) { return k.served(ctx, 80) },
		},
		{
			name: "update a Service", prepare: serve, act: (*killing).changePorts, undo: (*killing).deleteService,
			done: func(k *killing, ctx context.Context) (bool, error) { return k.served(ctx, 8080, 443) },
		},
		{name: "delete a Service", prepare: serve, act: (*killing).delete, undo: nothing, done: (*killing).unserved},
		{name: "initialise a node", prepare: nothing, act: (*killing).addNode, undo: nothing, done: allNodes},
	}
}

func nothing(*killing) {}

func (k *killing) createService() { createService(k.T, k.Cluster, "web") }

func (k *killing) deleteService() {
	k.Helper()
	k.delete()
	k.await("the Service is gone", (*killing).unserved)
}

func (k *killing) delete() {
	k.Helper()
	if err := k.Kube.CoreV1().Services("default").Delete(k.Context(), "web", metav1.DeleteOptions{}); err != nil {
		k.Fatal(err)
	}
}

// changePorts makes a CCM take one listener away and make two.
func (k *killing) changePorts() {
	k.Helper()
	patch := []byte(`{"spec": {"ports": [{"name": "a", "port": 8080}, {"name": "b", "port": 443}], "loadBalancerSourceRanges": ["10.0.0.0/8"]}}`)
	if _, err := k.Kube.CoreV1().Services("default").Patch(k.Context(), "web", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		k.Fatal(err)
	}
}

// served reports whether there is one load balancer with these ports, which
// leads to all nodes, and whose addresses the Service reports.
func (k *killing) served(ctx context.Context, ports ...int) (bool, error) {
	svc, err := k.Kube.CoreV1().Services("default").Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return false, err
	}
	state, err := k.Cloud.GetState(ctx)
	if err != nil {
		return false, err
	}
	if n, m := len(state.LoadBalancers), len(state.FloatingIPs); n != 1 || m > 1 {
		return false, fmt.Errorf("%d load balancers and %d floating IPs", n, m)
	}
	lb := state.LoadBalancers[0]
	var listens []int
	for _, l := range lb.Listeners {
		listens = append(listens, l.Port)
	}
	slices.Sort(listens)
	slices.Sort(ports)
	told, has := ingressOf(svc), vipsOf(lb)
	if !slices.Equal(listens, ports) || len(lb.Targets) != len(state.Instances) || len(has) == 0 || !slices.Equal(told, has) {
		return false, fmt.Errorf("ports %v, %d targets of %d, VIPs %v, ingress %v", listens, len(lb.Targets), len(state.Instances), has, told)
	}
	return true, nil
}

// ingressOf are the addresses that a Service reports, sorted.
func ingressOf(svc *corev1.Service) []string {
	var told []string
	for _, i := range svc.Status.LoadBalancer.Ingress {
		told = append(told, i.IP)
	}
	slices.Sort(told)
	return told
}

// vipsOf are the addresses of a load balancer, sorted.
func vipsOf(lb simcloud.LoadBalancer) []string {
	var has []string
	for _, vip := range lb.VIPs {
		has = append(has, vip.Address)
	}
	slices.Sort(has)
	return has
}

func (k *killing) unserved(ctx context.Context) (bool, error) {
	_, err := k.Kube.CoreV1().Services("default").Get(ctx, "web", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return false, err
	}
	state, err := k.Cloud.GetState(ctx)
	if err != nil || len(state.LoadBalancers)+len(state.FloatingIPs) > 0 {
		return false, fmt.Errorf("%d load balancers and %d floating IPs are left, %w", len(state.LoadBalancers), len(state.FloatingIPs), err)
	}
	return true, nil
}

func (k *killing) addNode() {
	k.Helper()
	k.nodes++
	createInstance(k.T, k.Cluster, fmt.Sprintf("node-%d", k.nodes), map[string]string{machine.LabelNode: machine.NodeHollow})
}

// allNodes reports whether each node is taken in and has its one route.
func allNodes(k *killing, ctx context.Context) (bool, error) {
	nodes, err := k.Kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, err
	}
	tables, err := k.Cloud.ListRouteTables(ctx, simcloud.ListOptions{})
	if err != nil {
		return false, err
	}
	joined := 0
	for i := range nodes.Items {
		if hasJoined(&nodes.Items[i]) && !isTainted(&nodes.Items[i]) {
			joined++
		}
	}
	if routes := len(tables.Items[0].Routes); joined != k.nodes || routes != k.nodes {
		return false, fmt.Errorf("%d of %d nodes, %d routes", joined, k.nodes, routes)
	}
	return true, nil
}

func isTainted(n *corev1.Node) bool {
	return slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == "node.cloudprovider.kubernetes.io/uninitialized" })
}

// empties deletes all instances: their Nodes must go, and their routes.
func (k *killing) empties() {
	k.Helper()
	state, err := k.Cloud.GetState(k.Context())
	if err != nil {
		k.Fatal(err)
	}
	for _, vm := range state.Instances {
		if _, err := k.Cloud.DeleteInstance(k.Context(), vm.ID); err != nil {
			k.Fatal(err)
		}
	}
	k.nodes = 0
	k.await("nothing is left", allNodes)
	if exits := k.CCM.Exits(); len(exits) > 0 {
		k.Errorf("the CCM ended by itself: %+v", exits)
	}
}
