package backendtest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// started: the API server serves, has no Nodes of ours, and a backend is used once.
func started(t *testing.T, h Harness) {
	b := h.Cluster.Backend
	if b.Name() == "" {
		t.Error("the backend has no name")
	}
	if _, err := h.Cluster.Kube.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(t.Context()); err != nil {
		t.Errorf("the API server does not serve: %v", err)
	}
	if _, err := b.Start(t.Context()); !errors.Is(err, simcloud.Conflict) {
		t.Errorf("a second start: %v, want %s", err, simcloud.Conflict)
	}
	wantNoNodes(t, h)
}

func wantNoNodes(t *testing.T, h Harness) {
	t.Helper()
	list, err := h.Cluster.Kube.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{LabelSelector: h.Cluster.Selector()})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range list.Items {
		t.Errorf("there is a Node %s without a machine", n.Name)
	}
}

// apiServerRestarts: a restart loses no objects, and is no loss of the control
// plane. A backend that cannot do it answers Unimplemented.
func apiServerRestarts(t *testing.T, h Harness) {
	c := h.Cluster
	if c.Backend.Capabilities().RestartAPIServer == nil {
		if err := c.RestartAPIServer(t.Context()); simcloud.CodeOf(err) != simcloud.Unimplemented {
			t.Errorf("got %v, want %s", err, simcloud.Unimplemented)
		}
		return
	}
	maps := c.Kube.CoreV1().ConfigMaps(metav1.NamespaceDefault)
	kept := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}}
	if _, err := maps.Create(t.Context(), kept, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := c.RestartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := maps.Get(t.Context(), "kept", metav1.GetOptions{}); err != nil || c.Err() != nil {
		t.Errorf("after the restart: %v, %v", err, c.Err())
	}
	awaitReady(t, c, corev1.ConditionTrue)
}

// logs: the logs of what ran are collected.
func logs(t *testing.T, h Harness) {
	dir := filepath.Join(t.TempDir(), "logs")
	if err := h.Cluster.Backend.Logs(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range h.Logs {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(found) == 0 {
			t.Errorf("no log %s: %v", pattern, err)
		}
		for _, file := range found {
			if info, err := os.Stat(file); err != nil || info.Size() == 0 {
				t.Errorf("%s: %v, %v: want a log", file, info, err)
			}
		}
	}
}

// resets: a reset leaves no machine and no Node.
func resets(t *testing.T, h Harness) {
	c := h.Cluster
	create(t, c, "node-2")
	awaitMachines(t, c, node+" running", "node-2 running")
	if err := c.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitMachines(t, c)
	wantNoNodes(t, h)
}

// lost: that a part of the control plane has ended is reported with what ended,
// and the cluster cannot be used again.
func lost(t *testing.T, h Harness) {
	c := h.Cluster
	if c.Backend.Capabilities().Done == nil {
		t.Skip("the backend does not notice that its control plane is lost")
	}
	if h.Lose == nil {
		t.Fatal("the harness cannot end a part of the control plane: set Lose")
	}
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	says := h.Lose(t)
	ctx, cancel := waittest.Context(t)
	defer cancel()
	select {
	case <-c.Done():
	case <-ctx.Done():
		t.Fatalf("the loss was not noticed: %v", ctx.Err())
	}
	if why := c.Err(); why == nil || !strings.Contains(why.Error(), says) {
		t.Errorf("the loss is %v, want %q", why, says)
	}
	if err := c.Reset(t.Context()); !errors.Is(err, simcloud.Unavailable) {
		t.Errorf("a reset after the loss: %v, want %s", err, simcloud.Unavailable)
	}
}

// stops: nothing is left, and nothing can be started any more.
func stops(t *testing.T, h Harness) {
	c := h.Cluster
	for range 2 { // the second time there is nothing to do
		if err := c.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.Backend.StartNode(t.Context(), machine.Spec{Name: node}); err == nil {
		t.Error("a node boots though the control plane was stopped")
	}
	if h.Left != nil {
		h.Left(t)
	}
}
