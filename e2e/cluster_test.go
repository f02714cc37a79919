package e2e_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// patientTimings bear a machine that does much else, and change nothing of what a CCM has to keep.
func patientTimings() e2e.Timings {
	return e2e.Timings{Reset: 3 * time.Minute, CCMStart: 2 * time.Minute, Stop: 2 * time.Minute}
}

func TestMain(m *testing.M) { os.Exit(planetest.Main(m)) }

func isReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

func awaitNode(t *testing.T, kube kubernetes.Interface, name string, is func(*corev1.Node) bool) *corev1.Node {
	t.Helper()
	var node *corev1.Node
	waittest.For(t, "the node "+name+" is as wanted", func(ctx context.Context) (ok bool, err error) {
		node, err = kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		return err == nil && is(node), err
	})
	return node
}

func createInstance(t *testing.T, c *e2e.Cluster, name string, labels map[string]string) simcloud.Instance {
	t.Helper()
	result, err := c.Cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: name, Labels: labels})
	if err != nil {
		t.Fatal(err)
	}
	return result.Resource
}

// TestCluster runs on one control plane, because starting one takes seconds. The CCM is not started.
func TestCluster(t *testing.T) {
	c := planetest.Borrow(t, planetest.CCM(t))
	t.Run("Kubeconfig", func(t *testing.T) { kubeconfigWorks(t, c) })
	t.Run("CCMAccess", func(t *testing.T) { ccmAccessIsItsOwn(t, c) })
	t.Run("Instance", func(t *testing.T) { instanceIsANode(t, c) })
	t.Run("LightNode", func(t *testing.T) { lightNodeIsANode(t, c) })
	t.Run("Reset", func(t *testing.T) { resetEmpties(t, c) })
	t.Run("CollectLogs", func(t *testing.T) { logsAreCollected(t, c) })
}

func kubeconfigWorks(t *testing.T, c *e2e.Cluster) {
	info, err := os.Stat(c.Kubeconfig)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v: want 0600", info.Mode(), err)
	}
	if _, err := clientFrom(t, c.Kubeconfig).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
}

func clientFrom(t *testing.T, kubeconfig string) kubernetes.Interface {
	t.Helper()
	access, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	kube, err := kubernetes.NewForConfig(access)
	if err != nil {
		t.Fatal(err)
	}
	return kube
}

func ccmAccessIsItsOwn(t *testing.T, c *e2e.Cluster) {
	kube, began := clientFrom(t, c.CCM.Kubeconfig()), time.Now()
	waittest.For(t, "the CCM may list nodes", func(ctx context.Context) (bool, error) {
		_, err := kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		return err == nil, err
	})
	if _, err := kube.CoreV1().Secrets("kube-system").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("list secrets: %v, want Forbidden: the CCM is no admin", err)
	}
	if err := kube.CoreV1().Services("default").Delete(t.Context(), "kubernetes", metav1.DeleteOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("delete a service: %v, want Forbidden", err)
	}
	asked, err := c.Asked(began)
	for _, want := range []string{"list nodes", "list secrets (403)", "delete services (403)"} {
		if err != nil || !slices.Contains(asked, want) {
			t.Errorf("the CCM has asked %q, %v; want %s too", asked, err, want)
		}
	}
	if asked, err := c.Asked(time.Now()); err != nil || len(asked) > 0 {
		t.Errorf("the CCM has asked %q, %v from now on", asked, err)
	}
}

// instanceIsANode follows one VM through its life: up, stopped, started, and its Node deleted under it.
func instanceIsANode(t *testing.T, c *e2e.Cluster) {
	vm := createInstance(t, c, "node-1", nil)
	createInstance(t, c, "bare", map[string]string{machine.LabelNode: machine.NodeNone})
	node := awaitNode(t, c.Kube, "node-1", isReady)
	if taint := node.Spec.Taints; !slices.ContainsFunc(taint, func(t corev1.Taint) bool {
		return t.Key == "node.cloudprovider.kubernetes.io/uninitialized"
	}) || node.Spec.ProviderID != "" {
		t.Errorf("taints %v, providerID %q: want a node that waits for the CCM", taint, node.Spec.ProviderID)
	}
	if _, err := c.Cloud.StopInstance(t.Context(), vm.ID); err != nil {
		t.Fatal(err)
	}
	awaitMachines(t, c) // a kubelet that is merely slow has a Node that is not ready, too
	awaitNode(t, c.Kube, "node-1", func(n *corev1.Node) bool { return !isReady(n) })
	if _, err := c.Cloud.StartInstance(t.Context(), vm.ID); err != nil {
		t.Fatal(err)
	}
	awaitNode(t, c.Kube, "node-1", func(n *corev1.Node) bool { return isReady(n) && n.UID == node.UID })
	awaitMachines(t, c, machine.Status{Name: "node-1", Instance: vm.ID, State: machine.Running, Boots: 2})
}

// awaitMachines waits until the machines are as told.
func awaitMachines(t *testing.T, c *e2e.Cluster, want ...machine.Status) {
	t.Helper()
	ctx, cancel := waittest.Context(t)
	defer cancel()
	var got []machine.Status
	err := c.Machines.Wait(ctx, func(list []machine.Status) bool {
		got = list
		return slices.Equal(list, want)
	})
	if err != nil {
		t.Fatalf("machines %+v, want %+v: %v", got, want, err)
	}
}

func lightNodeIsANode(t *testing.T, c *e2e.Cluster) {
	vm := createInstance(t, c, "light-1", map[string]string{machine.LabelNode: machine.NodeHollow, machine.LabelProviderID: "foreign://x"})
	node := awaitNode(t, c.Kube, "light-1", func(n *corev1.Node) bool { return isReady(n) && n.Spec.PodCIDR != "" })
	if node.Spec.ProviderID != "foreign://x" {
		t.Errorf("providerID %q", node.Spec.ProviderID)
	}
	waittest.For(t, "a pod runs on it and ends", func(ctx context.Context) (bool, error) {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "paper", Namespace: "default"},
			Spec: corev1.PodSpec{
				NodeName: "light-1", Containers: []corev1.Container{{Name: "c", Image: "i"}},
				Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			},
		}
		if _, err := c.Kube.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return false, err
		}
		got, err := c.Kube.CoreV1().Pods("default").Get(ctx, "paper", metav1.GetOptions{})
		return err == nil && got.Status.Phase == corev1.PodRunning && got.Status.PodIP != "", err
	})
	if err := c.Kube.CoreV1().Pods("default").Delete(t.Context(), "paper", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the pod is gone", func(ctx context.Context) (bool, error) {
		_, err := c.Kube.CoreV1().Pods("default").Get(ctx, "paper", metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
	if err := c.Machines.Freeze("light-1"); err != nil {
		t.Fatal(err)
	}
	awaitNode(t, c.Kube, "light-1", func(n *corev1.Node) bool { return !isReady(n) })
	if err := c.Machines.Thaw("light-1"); err != nil {
		t.Fatal(err)
	}
	awaitNode(t, c.Kube, "light-1", isReady)
	if _, err := c.Cloud.DeleteInstance(t.Context(), vm.ID); err != nil {
		t.Fatal(err)
	}
	awaitNode(t, c.Kube, "light-1", func(n *corev1.Node) bool { return !isReady(n) })
}

// resetEmpties fills the cluster with what is hard to remove, without a CCM to do it.
func resetEmpties(t *testing.T, c *e2e.Cluster) {
	ctx := t.Context()
	core := c.Kube.CoreV1()
	if err := c.Machines.Boot(ctx, control.Machine{Name: "no-vm", Light: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := core.Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "extra"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Finalizers: []string{"service.kubernetes.io/load-balancer-cleanup"}},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
	}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "mine", Finalizers: []string{"example.com/never"}}}
	for _, ns := range []string{"extra", "default"} {
		if _, err := core.Services(ns).Create(ctx, service, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := core.ConfigMaps("extra").Create(ctx, config, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	behaviour := misbehave(t, c)
	began := time.Now()
	if err := c.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(behaviour, behaviourOf(t, c)); diff != "" {
		t.Errorf("how the cloud behaves after the reset (-before +after):\n%s", diff)
	}
	t.Logf("reset took %s", time.Since(began))
	if left := inventory(t, c); len(left) > 0 {
		t.Errorf("after the reset there are %s", strings.Join(left, ", "))
	}
	if list := c.Machines.List(); len(list) > 0 {
		t.Errorf("after the reset there are the machines %+v", list)
	}
	if vm := createInstance(t, c, "node-1", nil); vm.ID != "i-1" {
		t.Errorf("the first instance after the reset is %s, want i-1", vm.ID)
	}
	awaitNode(t, c.Kube, "node-1", isReady)
	if err := c.Reset(ctx); err != nil {
		t.Errorf("second reset: %v", err)
	}
}

// behaviour is what changes how the cloud answers, besides what it holds.
type behaviour struct {
	Config simcloud.Config
	Faults []fault.Rule
	Clock  simcloud.ClockSpec
	// Hours are by how many the cloud's clock is ahead of the machine's.
	Hours float64
}

func behaviourOf(t *testing.T, c *e2e.Cluster) (b behaviour) {
	t.Helper()
	var err error
	if b.Config, err = c.Cloud.GetConfig(t.Context()); err != nil {
		t.Fatal(err)
	}
	if b.Faults, err = c.Cloud.ListFaults(t.Context()); err != nil {
		t.Fatal(err)
	}
	clock, err := c.Cloud.GetClock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.Clock, b.Hours = clock.ClockSpec, time.Duration(clock.Offset).Round(time.Hour).Hours()
	return b
}

// misbehave changes all of the cloud's behaviour, and returns what it was.
func misbehave(t *testing.T, c *e2e.Cluster) behaviour {
	t.Helper()
	before := behaviourOf(t, c)
	_, err := c.Cloud.UpdateConfig(t.Context(), simcloud.ConfigUpdate{
		Progression:           &simcloud.Progression{Mode: simcloud.ProgressionPolls, Polls: 9},
		Progressions:          &map[simcloud.Kind]simcloud.Progression{simcloud.KindVolume: {Mode: simcloud.ProgressionTime}},
		Consistency:           &simcloud.Consistency{StaleLists: simcloud.Duration(time.Minute)},
		Rates:                 &[]simcloud.Rate{{Class: "read", PerSecond: 0.001, Burst: 1000}},
		IdempotencyTTL:        new(before.Config.IdempotencyTTL * 2),
		MaxTargets:            new(before.Config.MaxTargets + 1),
		UniqueNames:           &[]simcloud.Kind{simcloud.KindVolume},
		ChangesWhileBusy:      &[]simcloud.Kind{simcloud.KindLoadBalancer},
		RouteRules:            &[]simcloud.RouteRule{simcloud.RouteNoOverlap},
		MaxRoutes:             new(before.Config.MaxRoutes + 1),
		Hostnames:             new(simcloud.HostnameResourceID),
		MaxSecurityGroupRules: new(before.Config.MaxSecurityGroupRules + 1),
		DefaultSecurityGroups: new(!before.Config.DefaultSecurityGroups),
	})
	if err != nil {
		t.Fatal(err)
	}
	rule := fault.Rule{Match: fault.Match{Operation: "DeleteFloatingIP"}, Effect: fault.Effect{Hang: &fault.Hang{}}}
	if _, err := c.Cloud.AddFault(t.Context(), rule); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Cloud.SetClock(t.Context(), simcloud.ClockSpec{Mode: simcloud.ClockManual}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Cloud.AdvanceClock(t.Context(), simcloud.Duration(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	return before
}

func inventory(t *testing.T, c *e2e.Cluster) (left []string) {
	t.Helper()
	core, all := c.Kube.CoreV1(), metav1.ListOptions{}
	nodes, err1 := core.Nodes().List(t.Context(), all)
	spaces, err2 := core.Namespaces().List(t.Context(), all)
	services, err3 := core.Services(metav1.NamespaceAll).List(t.Context(), all)
	pods, err4 := core.Pods(metav1.NamespaceAll).List(t.Context(), all)
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range nodes.Items {
		left = append(left, "node/"+n.Name)
	}
	for _, ns := range spaces.Items {
		if ns.Name != "default" && !strings.HasPrefix(ns.Name, "kube-") {
			left = append(left, "namespace/"+ns.Name)
		}
	}
	for _, s := range services.Items {
		if s.Name != "kubernetes" {
			left = append(left, "service/"+s.Namespace+"/"+s.Name)
		}
	}
	for _, p := range pods.Items {
		left = append(left, "pod/"+p.Namespace+"/"+p.Name)
	}
	return left
}

func logsAreCollected(t *testing.T, c *e2e.Cluster) {
	dir := filepath.Join(t.TempDir(), "logs")
	if err := c.CollectLogs(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kube-apiserver.log", "cloud-state.json", "cloud-journal.json", "machines.json", "nodes.yaml", "events.yaml"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v, want something in it", name, err)
		}
	}
}
