package embedded_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/backendtest"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// cluster is a control plane under test.
type cluster struct {
	*embedded.Backend
	kube  kubernetes.Interface
	dir   string
	nodes map[string]machine.Node // the last one of each name
}

// startCluster starts a control plane that ends with the test.
func startCluster(t *testing.T, cfg embedded.Config) *cluster {
	t.Helper()
	planetest.Slot(t)
	cfg.Dir, cfg.Progress = t.TempDir(), func(s string) { t.Log(s) }
	backend, err := embedded.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := backend.Stop(context.Background()); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	config, err := backend.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return &cluster{Backend: backend, kube: client, dir: cfg.Dir, nodes: map[string]machine.Node{}}
}

// startOnCloud starts a cluster on a cloud in memory, without a CCM.
func startOnCloud(t *testing.T, kube string) (*cluster, *e2e.Cluster) {
	t.Helper()
	planetest.Slot(t)
	dir := t.TempDir()
	backend, err := embedded.New(embedded.Config{Dir: filepath.Join(dir, "kube"), Kube: kube, Progress: func(s string) { t.Log(s) }})
	if err != nil {
		t.Fatal(err)
	}
	c, err := e2e.Start(t.Context(), e2e.Config{
		Dir: dir, Backend: backend, Cloud: sim.Config{Ephemeral: true, Seed: 1}, Subject: manager.CCMSpec{Name: "none"},
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(context.Background()); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return &cluster{Backend: backend, kube: c.Kube, dir: filepath.Join(dir, "kube"), nodes: map[string]machine.Node{}}, c
}

// boot boots nodes at the same time.
func (c *cluster) boot(t *testing.T, names ...string) map[string]machine.Node {
	t.Helper()
	type result struct {
		name string
		node machine.Node
		err  error
	}
	results := make(chan result)
	for _, name := range names {
		go func() {
			n, err := c.StartNode(t.Context(), machine.Spec{Name: name, Labels: map[string]string{"test.simcloud.dev/name": name}})
			results <- result{name, n, err}
		}()
	}
	nodes := map[string]machine.Node{}
	for range names {
		r := <-results
		if r.err != nil {
			t.Errorf("boot: %v", r.err)
		}
		nodes[r.name] = r.node
		c.nodes[r.name] = r.node
	}
	return nodes
}

func (c *cluster) node(ctx context.Context, name string) (*corev1.Node, error) {
	return c.kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
}

// ready is the status of the node's condition Ready.
func ready(n *corev1.Node) corev1.ConditionStatus {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status
		}
	}
	return ""
}

func (c *cluster) awaitReady(t *testing.T, name string, want corev1.ConditionStatus) time.Duration {
	t.Helper()
	return waittest.For(t, fmt.Sprintf("Ready=%s on %s", want, name), func(ctx context.Context) error {
		n, err := c.node(ctx, name)
		if err != nil {
			return err
		}
		if got := ready(n); got != want {
			return fmt.Errorf("Ready is %q", got)
		}
		return nil
	})
}

// TestControlPlane goes through the life of a cluster, since each start costs seconds.
func TestControlPlane(t *testing.T) {
	t.Parallel()
	kube := planetest.Kube(t)
	began := time.Now()
	c, onCloud := startOnCloud(t, kube)
	names := []string{"node-1", "node-2", "node-3"}
	nodes := c.boot(t, names...)
	for _, name := range names {
		waittest.For(t, "registered "+name, func(ctx context.Context) error { return c.registered(ctx, name) })
	}
	t.Logf("three nodes registered with taint and pod CIDR after %.1f s", time.Since(began).Seconds())
	for _, name := range names {
		c.awaitReady(t, name, corev1.ConditionTrue)
	}
	t.Logf("three nodes ready after %.1f s", time.Since(began).Seconds())
	if t.Failed() {
		return
	}

	t.Run("PodCIDRsDiffer", func(t *testing.T) { c.testPodCIDRs(t, names) })
	t.Run("TwoNodesOfOneName", func(t *testing.T) {
		if _, err := c.StartNode(t.Context(), machine.Spec{Name: "node-1"}); err == nil || !strings.Contains(err.Error(), "runs") {
			t.Errorf("got %v, want an error that says that it runs", err)
		}
	})
	t.Run("RequestHeaderCA", c.testRequestHeaderCA)
	t.Run("Pods", func(t *testing.T) { c.testPods(t, names) })
	t.Run("DeletedNodeStaysAway", func(t *testing.T) { c.testDeleted(t, nodes["node-3"], "node-3", "node-2") })
	t.Run("Logs", c.testLogs)
	t.Run("Secrets", c.testSecrets)
	c.removeNodes(t)
	t.Run("Suite", func(t *testing.T) {
		backendtest.Run(t, backendtest.Harness{
			Cluster: onCloud,
			Logs:    []string{"kube-apiserver.log", "kube-controller-manager.log", "kube-scheduler.log", "node-node-1.log"},
			Lose:    c.loseControllerManager,
			Left:    c.wantNoProcess,
		})
	})
}

// registered complains unless the node is there as a kubelet with an external cloud provider registers it.
func (c *cluster) registered(ctx context.Context, name string) error {
	n, err := c.node(ctx, name)
	if err != nil {
		return err
	}
	tainted := false
	for _, taint := range n.Spec.Taints {
		tainted = tainted || taint.Key == "node.cloudprovider.kubernetes.io/uninitialized" && taint.Effect == corev1.TaintEffectNoSchedule
	}
	switch {
	case !tainted:
		return fmt.Errorf("no uninitialized taint in %v", n.Spec.Taints)
	case n.Spec.ProviderID != "":
		return fmt.Errorf("providerID is %q already", n.Spec.ProviderID)
	case len(n.Spec.PodCIDRs) != 1:
		return fmt.Errorf("pod CIDRs are %v", n.Spec.PodCIDRs)
	case n.Labels["test.simcloud.dev/name"] != name:
		return fmt.Errorf("labels are %v", n.Labels)
	case len(n.Status.Addresses) != 1 || n.Status.Addresses[0].Type != corev1.NodeHostName:
		return fmt.Errorf("addresses are %v, and should be the hostname alone", n.Status.Addresses)
	}
	return nil
}

// testRequestHeaderCA: a CCM logs an error every few seconds when this is missing.
func (c *cluster) testRequestHeaderCA(t *testing.T) {
	waittest.For(t, "the API server publishes the CA of proxies", func(ctx context.Context) error {
		published, err := c.kube.CoreV1().ConfigMaps("kube-system").Get(ctx, "extension-apiserver-authentication", metav1.GetOptions{})
		if err == nil && published.Data["requestheader-client-ca-file"] == "" {
			err = fmt.Errorf("it has only %d others", len(published.Data))
		}
		return err
	})
}

func (c *cluster) testPodCIDRs(t *testing.T, names []string) {
	seen := map[string]string{}
	for _, name := range names {
		n, err := c.node(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[n.Spec.PodCIDR]; ok {
			t.Errorf("%s and %s have the same pod CIDR %s", name, other, n.Spec.PodCIDR)
		}
		if !strings.HasPrefix(n.Spec.PodCIDR, "10.244.") {
			t.Errorf("%s has pod CIDR %s", name, n.Spec.PodCIDR)
		}
		seen[n.Spec.PodCIDR] = name
	}
}

// removeNodes kills the nodes that were booted beside the cloud, and removes their Nodes.
func (c *cluster) removeNodes(t *testing.T) {
	t.Helper()
	for name, n := range c.nodes {
		if err := n.Kill(); err != nil {
			t.Error(err)
		}
		select {
		case <-n.Done():
		default:
			t.Errorf("Done of %s is open after Kill", name)
		}
		if err := c.kube.CoreV1().Nodes().Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}
}

// testDeleted deletes a Node under its kubelet, and sees it come back only with the next kubelet.
func (c *cluster) testDeleted(t *testing.T, n machine.Node, name, other string) {
	if err := c.kube.CoreV1().Nodes().Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	only := metav1.ListOptions{FieldSelector: "metadata.name=" + name}
	list, err := c.kube.CoreV1().Nodes().List(t.Context(), only)
	if err != nil || len(list.Items) > 0 {
		t.Fatalf("%d Nodes after the deletion: %v", len(list.Items), err)
	}
	only.ResourceVersion = list.ResourceVersion // a watch from anywhere may begin with the Node as it was
	watch, err := c.kube.CoreV1().Nodes().Watch(t.Context(), only)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	// How long a kubelet needs to say something is counted in what another one of the same period says meanwhile.
	others, err := c.kube.CoordinationV1().Leases(corev1.NamespaceNodeLease).Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + other})
	if err != nil {
		t.Fatal(err)
	}
	defer others.Stop()
	for reports := 0; reports < 5; {
		select {
		case event, open := <-watch.ResultChan():
			if !open || event.Type == "ERROR" {
				t.Fatalf("the watch has ended: %v", event.Object)
			}
			if event.Type == "ADDED" {
				t.Fatal("a kubelet registered its Node again after the Node was deleted")
			}
		case event, open := <-others.ResultChan():
			if !open || event.Type == "ERROR" {
				t.Fatalf("the watch of the other kubelet's lease has ended: %v", event.Object)
			}
			if event.Type == "MODIFIED" {
				reports++
			}
		}
	}
	if _, err := c.node(t.Context(), name); !apierrors.IsNotFound(err) {
		t.Errorf("got %v, want not found", err)
	}
	if err := n.Stop(t.Context()); err != nil {
		t.Errorf("stop: %v", err)
	}
	c.boot(t, name)
	waittest.For(t, "registered again", func(ctx context.Context) error { return c.registered(ctx, name) })
}

func (c *cluster) testLogs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	if err := c.Logs(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "node-node-1"} {
		if _, err := os.Stat(filepath.Join(dir, name+".log")); err != nil {
			t.Error(err)
		}
	}
}

// testSecrets looks for files that others can read.
func (c *cluster) testSecrets(t *testing.T) {
	for _, glob := range []string{"pki/*", "logs/*"} {
		files, err := filepath.Glob(filepath.Join(c.dir, glob))
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s: %v", glob, err)
		}
		for _, file := range files {
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has mode %v", file, info.Mode())
			}
		}
	}
}
