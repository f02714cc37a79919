package kind_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/kind"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// Two clusters have networks, load balancers' addresses and containers apart.
func TestSideBySide(t *testing.T) {
	needNightly(t)
	e := needEngine(t)
	var clusters [2]*e2e.Cluster
	var all sync.WaitGroup
	for i, name := range []string{clusterName("test-a"), clusterName("test-b")} {
		b := newBackend(t, e, name, nil)
		all.Go(func() {
			var err error
			if clusters[i], err = e2e.Start(t.Context(), e2e.Config{
				Name: name, Dir: t.TempDir(), Backend: b, Cloud: sim.Config{Ephemeral: true, Seed: 1},
				Subject: manager.CCMSpec{Name: "none"}, Timings: e2e.Timings{Stop: patience},
			}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	ranges := map[string]bool{}
	for _, c := range clusters {
		if c == nil {
			t.FailNow()
		}
		t.Cleanup(func() {
			if err := c.Stop(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
		})
		state, err := c.Cloud.GetState(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ranges[state.Networks[0].CIDRs[0]], ranges[state.FloatingIPPools[0].CIDR] = true, true
		createInstance(t, c, "node-1")
	}
	if len(ranges) != 4 {
		t.Errorf("the clouds' ranges are %v: want two each", ranges)
	}
	for _, c := range clusters {
		awaitNode(t, c.Kube, "node-1", "ready in "+c.Name, isReady)
	}
}

// A control plane that is a Node has a VM, with the addresses of the Node.
func TestControlPlaneNode(t *testing.T) {
	needNightly(t)
	e := needEngine(t)
	b := newBackend(t, e, clusterName("test"), func(c *kind.Config) { c.ControlPlaneNode = true })
	c := startCluster(t, b, manager.CCMSpec{Name: "none"})
	name := b.Capabilities().ControlPlaneNode
	node := awaitNode(t, c.Kube, name, "ready, with a pod network", isReady)
	state, err := c.Cloud.GetState(t.Context())
	if err != nil || len(state.Instances) != 1 {
		t.Fatalf("instances: %v, %v: want the control plane's", state.Instances, err)
	}
	inst := state.Instances[0]
	if got, want := node.Annotations["alpha.kubernetes.io/provided-node-ip"], inst.Addresses[0].Address; got != want {
		t.Errorf("provided-node-ip is %q, want the VM's %q", got, want)
	}
	if node.Labels[e2e.LabelControlPlane] != "true" || inst.Labels[e2e.LabelControlPlane] != "true" {
		t.Errorf("labels of the Node %v and of the VM %v: want %s", node.Labels, inst.Labels, e2e.LabelControlPlane)
	}
	var taints []string
	for _, taint := range node.Spec.Taints {
		taints = append(taints, taint.Key)
	}
	for _, want := range []string{"node-role.kubernetes.io/control-plane", "node.cloudprovider.kubernetes.io/uninitialized"} {
		if !slices.Contains(taints, want) {
			t.Errorf("taints %q: want %s among them", taints, want)
		}
	}
	within(t, "the control plane's pods are on its Node", func(ctx context.Context) (bool, error) {
		list, err := c.Kube.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + name})
		running := 0
		if err == nil {
			for _, pod := range list.Items {
				if pod.Status.Phase == corev1.PodRunning {
					running++
				}
			}
		}
		return running >= 5, err // etcd, the API server, the controller manager, the scheduler, kube-proxy
	})
	begun := time.Now()
	if err := c.Reset(t.Context()); err == nil {
		t.Errorf("a reset took the VM of the control plane, in %s", time.Since(begun))
	}
}
