package kind_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/backendtest"
	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/kind"
	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
	"github.com/simcloud-dev/simcloud/e2e/kind/leftover"
	"github.com/simcloud-dev/simcloud/e2e/kind/nodeimage"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// patience bounds the wait for something that must happen.
const patience = 2 * time.Minute

// needEngine returns the container engine, or skips the test.
func needEngine(t *testing.T) *engine.Engine {
	t.Helper()
	if os.Getenv("SIMCLOUD_KIND") != "1" {
		t.Skip("needs a container engine and a node image: make kind sets SIMCLOUD_KIND=1")
	}
	e, err := engine.Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// needNightly skips what the gate leaves to the night: a test beside it, or a
// scenario on such a cluster, still fails when the same code is broken, or it takes long.
func needNightly(t *testing.T) {
	t.Helper()
	if os.Getenv("SIMCLOUD_NIGHTLY") != "1" {
		t.Skip("left to the nightly gate: make kind-nightly sets SIMCLOUD_NIGHTLY=1")
	}
}

// clusterName is the name of a cluster of this run alone.
func clusterName(base string) string { return fmt.Sprintf("simcloud-%s-%d", base, os.Getpid()) }

// newBackend returns a backend that is not started, and checks in the end that nothing of it is left.
func newBackend(t *testing.T, e *engine.Engine, name string, change func(*kind.Config)) *kind.Backend {
	t.Helper()
	image, err := nodeimage.Resolve(t.Context(), "", e, func(line string) { t.Log(line) })
	if err != nil {
		t.Fatal(err)
	}
	cfg := kind.Config{Name: name, Dir: filepath.Join(t.TempDir(), "kind"), Engine: e, Image: image, Progress: func(line string) { t.Log(line) }}
	if change != nil {
		change(&cfg)
	}
	b, err := kind.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		if err := b.Stop(ctx); err != nil {
			t.Error(err)
		}
		wantNothingLeft(t, ctx, e, name)
	})
	return b
}

func wantNothingLeft(t *testing.T, ctx context.Context, e *engine.Engine, name string) {
	t.Helper()
	for _, label := range []string{engine.KindClusterLabel, leftover.LabelCluster} {
		containers, err := e.List(ctx, label+"="+name)
		if err != nil || len(containers) > 0 {
			t.Errorf("containers with the label %s: %v, %v", label, containers, err)
		}
	}
	networks, err := e.Networks(ctx, leftover.LabelCluster+"="+name)
	if err != nil || len(networks) > 0 {
		t.Errorf("networks: %v, %v", networks, err)
	}
}

// startCluster starts a cluster on a cloud in memory. The CCM, if any, is not started.
func startCluster(t *testing.T, b *kind.Backend, subject manager.CCMSpec) *e2e.Cluster {
	t.Helper()
	begun := time.Now()
	c, err := e2e.Start(t.Context(), e2e.Config{
		Name: "test", Dir: t.TempDir(), Backend: b, Cloud: sim.Config{Ephemeral: true, Seed: 1}, Subject: subject,
		Timings: e2e.Timings{Reset: patience, Stop: patience},
		Log:     slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the control plane took %s", time.Since(begun).Round(100*time.Millisecond))
	t.Cleanup(func() {
		if t.Failed() && os.Getenv("SIMCLOUD_KIND_LOGS") != "" {
			_ = c.CollectLogs(context.WithoutCancel(t.Context()), os.Getenv("SIMCLOUD_KIND_LOGS"))
		}
		if err := c.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return c
}

func within(t *testing.T, what string, ask func(context.Context) (bool, error)) {
	t.Helper()
	took := waittest.For(t, what, ask)
	t.Logf("after %s: %s", took.Round(100*time.Millisecond), what)
}

func isReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

func isSilent(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionUnknown
	})
}

func awaitNode(t *testing.T, kube kubernetes.Interface, name, what string, is func(*corev1.Node) bool) *corev1.Node {
	t.Helper()
	var node *corev1.Node
	within(t, "the node "+name+" is "+what, func(ctx context.Context) (ok bool, err error) {
		node, err = kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		return err == nil && is(node), err
	})
	return node
}

func nodeNames(t *testing.T, kube kubernetes.Interface) []string {
	t.Helper()
	list, err := kube.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, node := range list.Items {
		names = append(names, node.Name)
	}
	return names
}

func createInstance(t *testing.T, c *e2e.Cluster, name string) simcloud.Instance {
	t.Helper()
	result, err := c.Cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return result.Resource
}

func awaitMachine(t *testing.T, c *e2e.Cluster, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := c.Machines.Wait(ctx, func(list []machine.Status) bool {
		var got []string
		for _, m := range list {
			got = append(got, m.Name+" "+string(m.State))
		}
		return strings.Join(got, ", ") == want
	}); err != nil {
		t.Fatalf("want %q: %v", want, err)
	}
}

// TestBackend runs on one cluster, because starting one takes half a minute. It
// leaves to the night what waits until the control plane gives up a silent Node.
func TestBackend(t *testing.T) {
	e := needEngine(t)
	b := newBackend(t, e, clusterName("test"), nil)
	c := startCluster(t, b, manager.CCMSpec{Name: "none"})
	t.Logf("the machine has the factor %.1f", b.Factor())
	if names := nodeNames(t, c.Kube); len(names) != 0 {
		t.Errorf("without machines there are the nodes %q: want none", names)
	}
	inst := createInstance(t, c, "node-1")
	for _, test := range []struct {
		name    string
		nightly bool
		run     func(*testing.T)
	}{
		{"Boot", false, func(t *testing.T) { machineIsANode(t, c, b, inst) }},
		{"Restart", true, func(t *testing.T) { diskStays(t, c, b, inst) }},
		{"Partition", true, func(t *testing.T) { partitionedIsSilent(t, c, b, inst) }},
		{"OffWhileCut", false, func(t *testing.T) { offWhileCutComesBack(t, c, b, inst) }},
		{"APIServer", true, func(t *testing.T) { apiServerRestarts(t, c) }},
		{"Abort", true, func(t *testing.T) { abortedBootLeavesNoHarm(t, c, inst) }},
		{"Delete", false, func(t *testing.T) { diskGoes(t, c, e, inst) }},
		{"Reset", false, func(t *testing.T) { resetEmpties(t, c, e) }},
		{"Routes", true, func(t *testing.T) { routesCarryPackets(t, c, b) }},
		{"Empty", false, func(t *testing.T) { emptied(t, c) }},
		{"Suite", false, func(t *testing.T) {
			backendtest.Run(t, backendtest.Harness{
				Cluster: c, Slow: needNightly,
				Logs: []string{clusterName("test") + "-node-1/kubelet.log", clusterName("test") + "-control-plane/journal.log"},
				Left: func(t *testing.T) { wantNothingLeft(t, t.Context(), e, clusterName("test")) },
			})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.nightly {
				needNightly(t)
			}
			test.run(t)
		})
	}
}

func machineIsANode(t *testing.T, c *e2e.Cluster, b *kind.Backend, inst simcloud.Instance) {
	awaitMachine(t, c, "node-1 running")
	node := awaitNode(t, c.Kube, "node-1", "ready, with a pod network", isReady)
	if node.Spec.ProviderID != "" {
		t.Errorf("providerID %q: that is for the CCM to say", node.Spec.ProviderID)
	}
	if got, want := node.Annotations["alpha.kubernetes.io/provided-node-ip"], inst.Addresses[0].Address; got != want {
		t.Errorf("provided-node-ip is %q, want the VM's %q", got, want)
	}
	out, err := b.Exec(t.Context(), "node-1", nil, "hostname", "--ip-address")
	if err != nil || strings.TrimSpace(string(out)) != inst.Addresses[0].Address {
		t.Errorf("the machine has the address %q, %v: want the VM's %s", out, err, inst.Addresses[0].Address)
	}
	if names, err := b.NodeNames(t.Context()); err != nil || !slices.Equal(names, []string{"node-1"}) {
		t.Errorf("nodes to run programs on: %q, %v", names, err)
	}
}

// mark leaves something on a machine's disk, marked reports whether it is there.
func mark(t *testing.T, b *kind.Backend) {
	t.Helper()
	if _, err := b.Exec(t.Context(), "node-1", nil, "touch", "/var/marked"); err != nil {
		t.Fatal(err)
	}
}

func marked(t *testing.T, b *kind.Backend) bool {
	t.Helper()
	out, err := b.Exec(t.Context(), "node-1", nil, "sh", "-c", "ls /var/marked || true")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(out), "/var/marked")
}

func diskStays(t *testing.T, c *e2e.Cluster, b *kind.Backend, inst simcloud.Instance) {
	mark(t, b)
	uid := awaitNode(t, c.Kube, "node-1", "ready", isReady).UID
	if _, err := c.Cloud.StopInstance(t.Context(), inst.ID); err != nil {
		t.Fatal(err)
	}
	awaitMachine(t, c, "")
	awaitNode(t, c.Kube, "node-1", "silent", isSilent)
	if _, err := c.Cloud.StartInstance(t.Context(), inst.ID); err != nil {
		t.Fatal(err)
	}
	awaitMachine(t, c, "node-1 running")
	node := awaitNode(t, c.Kube, "node-1", "ready again", isReady)
	if node.UID != uid || !marked(t, b) {
		t.Errorf("after a stop and a start the Node is %s (was %s), the disk is the same: %v", node.UID, uid, marked(t, b))
	}
	boots := c.Machines.List()[0].Boots
	if _, err := c.Cloud.RebuildInstance(t.Context(), inst.ID, simcloud.InstanceRebuild{}); err != nil {
		t.Fatal(err)
	}
	within(t, "the machine is rebuilt", func(context.Context) (bool, error) {
		list := c.Machines.List()
		return len(list) == 1 && list[0].Boots > boots && list[0].State == machine.Running, nil
	})
	if marked(t, b) {
		t.Error("a rebuilt machine has its old disk")
	}
	awaitNode(t, c.Kube, "node-1", "ready after it was rebuilt", isReady)
}

func partitionedIsSilent(t *testing.T, c *e2e.Cluster, b *kind.Backend, inst simcloud.Instance) {
	if _, err := c.Cloud.SetZoneState(t.Context(), inst.Zone, simcloud.ZoneStateSpec{State: simcloud.ZoneDown}); err != nil {
		t.Fatal(err)
	}
	awaitMachine(t, c, "node-1 partitioned")
	awaitNode(t, c.Kube, "node-1", "silent when its zone is down", isSilent)
	if _, err := b.Exec(t.Context(), "node-1", nil, "systemctl", "is-active", "kubelet"); err != nil {
		t.Errorf("the kubelet of a machine that is cut off does not run on: %v", err)
	}
	if _, err := c.Cloud.SetZoneState(t.Context(), inst.Zone, simcloud.ZoneStateSpec{State: simcloud.ZoneAvailable}); err != nil {
		t.Fatal(err)
	}
	awaitNode(t, c.Kube, "node-1", "ready when its zone is up", isReady)
	out, err := b.Exec(t.Context(), "node-1", nil, "ip", "-4", "address", "show", "scope", "global")
	if err != nil || !strings.Contains(string(out), inst.Addresses[0].Address+"/") {
		t.Errorf("back in the network it has not its address %s: %s, %v", inst.Addresses[0].Address, out, err)
	}
}

// offWhileCutComesBack kills a machine that is cut off, and boots it: with its disk, and in the network.
func offWhileCutComesBack(t *testing.T, c *e2e.Cluster, b *kind.Backend, inst simcloud.Instance) {
	mark(t, b)
	for _, step := range []struct {
		do   func(string) error
		want string
	}{{c.Machines.Partition, "node-1 partitioned"}, {c.Machines.Kill, "node-1 killed"}} {
		if err := step.do("node-1"); err != nil {
			t.Fatal(err)
		}
		awaitMachine(t, c, step.want)
	}
	was := lastReport(t, c)
	if err := c.Machines.Boot(t.Context(), control.Machine{Name: "node-1"}); err != nil {
		t.Fatal(err)
	}
	out, err := b.Exec(t.Context(), "node-1", nil, "ip", "-4", "address", "show", "scope", "global")
	if err != nil || !strings.Contains(string(out), inst.Addresses[0].Address+"/") {
		t.Errorf("booted, it is not in the network with %s: %s, %v", inst.Addresses[0].Address, out, err)
	}
	if !marked(t, b) {
		t.Error("booted, it has another disk")
	}
	within(t, "its kubelet reports again", func(context.Context) (bool, error) { return lastReport(t, c).After(was), nil })
	awaitNode(t, c.Kube, "node-1", "ready", isReady)
}

// lastReport is when the kubelet of node-1 has renewed its lease; the zero time before it has one.
func lastReport(t *testing.T, c *e2e.Cluster) time.Time {
	t.Helper()
	lease, err := c.Kube.CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(t.Context(), "node-1", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return time.Time{}
	}
	if err != nil {
		t.Fatal(err)
	}
	return lease.Spec.RenewTime.Time
}

func apiServerRestarts(t *testing.T, c *e2e.Cluster) {
	for range 3 { // the kubelet must not wait longer each time
		begun := time.Now()
		if err := c.RestartAPIServer(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Logf("the API server was back after %s", time.Since(begun).Round(100*time.Millisecond))
	}
	awaitNode(t, c.Kube, "node-1", "ready", isReady)
}

// abortedBootLeavesNoHarm stops an instance whose machine has hardly begun to boot.
func abortedBootLeavesNoHarm(t *testing.T, c *e2e.Cluster, inst simcloud.Instance) {
	boots := c.Machines.List()[0].Boots
	if _, err := c.Cloud.RebuildInstance(t.Context(), inst.ID, simcloud.InstanceRebuild{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	bootsAnew := func(list []machine.Status) bool { return len(list) == 1 && list[0].Boots > boots }
	if err := c.Machines.Wait(ctx, bootsAnew); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Cloud.StopInstance(t.Context(), inst.ID); err != nil {
		t.Fatal(err)
	}
	awaitMachine(t, c, "")
	if _, err := c.Cloud.StartInstance(t.Context(), inst.ID); err != nil {
		t.Fatal(err)
	}
	awaitMachine(t, c, "node-1 running")
	awaitNode(t, c.Kube, "node-1", "ready", isReady)
}

func diskGoes(t *testing.T, c *e2e.Cluster, e *engine.Engine, inst simcloud.Instance) {
	if _, err := c.Cloud.DeleteInstance(t.Context(), inst.ID); err != nil {
		t.Fatal(err)
	}
	within(t, "the container of a deleted instance is gone", func(ctx context.Context) (bool, error) {
		_, err := e.Inspect(ctx, clusterName("test")+"-node-1")
		return errors.Is(err, simcloud.NotFound), nil
	})
}

func resetEmpties(t *testing.T, c *e2e.Cluster, e *engine.Engine) {
	createInstance(t, c, "node-2")
	awaitMachine(t, c, "node-2 running")
	awaitNode(t, c.Kube, "node-2", "there", func(*corev1.Node) bool { return true })
	begun := time.Now()
	if err := c.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("the reset took %s", time.Since(begun).Round(100*time.Millisecond))
	if names := nodeNames(t, c.Kube); len(names) != 0 {
		t.Errorf("after a reset there are the nodes %q", names)
	}
	containers, err := e.List(t.Context(), engine.KindClusterLabel+"="+clusterName("test"))
	if err != nil || len(containers) != 1 {
		t.Errorf("after a reset there are the containers %v, %v: want the control plane's alone", containers, err)
	}
}

// emptied resets the cluster: the suite begins with an empty one.
func emptied(t *testing.T, c *e2e.Cluster) {
	if err := c.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
}
