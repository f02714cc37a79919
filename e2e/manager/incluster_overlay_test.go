package manager

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/simcloud-dev/simcloud/e2e/control"
)

// podsOf is a CCM that runs as pods, on a machine that is not there.
func podsOf(t *testing.T) *inCluster {
	t.Helper()
	return &inCluster{CCM: testCCM(t, CCMSpec{Name: "none"}), mode: Deployment, workload: ownWorkload(Deployment), image: ccmImage + ":v1"}
}

// TestOverlay: the manifests that ship get what this cluster and this start are about; what a scenario sets comes last.
func TestOverlay(t *testing.T) {
	t.Parallel()
	i := podsOf(t)
	files, err := i.overlay(control.Settings{
		Config: map[string]any{"region": "region-9", "endpoint": "http://elsewhere"},
		Flags:  []string{"--node-monitor-period=9s", "--cluster-name={cluster-name}"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var config map[string]any
	if err := yaml.Unmarshal(files["overlay/cloud-config.yaml"], &config); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"endpoint": "http://elsewhere", "tokenFile": podToken, "region": "region-9"}
	if diff := cmp.Diff(want, config); diff != "" {
		t.Errorf("the cloud config (-want +got):\n%s", diff)
	}
	if len(files["overlay/token"]) == 0 {
		t.Error("there is no token")
	}
	var built struct {
		Resources          []string
		Images             []struct{ NewTag string }
		ConfigMapGenerator []struct{ Literals []string }
		Patches            []struct {
			Target map[string]string
			Patch  string
		}
	}
	if err := yaml.Unmarshal(files["overlay/kustomization.yaml"], &built); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(built.Resources, []string{"../deployment"}) || built.Images[0].NewTag != "v1" || !slices.Contains(built.ConfigMapGenerator[1].Literals, "CLUSTER_NAME=test") {
		t.Errorf("the kustomization is\n%s", files["overlay/kustomization.yaml"])
	}
	patch := built.Patches[0]
	ours, theirs := strings.Index(patch.Patch, "--node-monitor-period=1s"), strings.Index(patch.Patch, "--node-monitor-period=9s")
	if ours < 0 || theirs < ours || !strings.Contains(patch.Patch, "--cluster-name=test") || patch.Target["name"] != workloadName {
		t.Errorf("to %v are added, ours first:\n%s", patch.Target, patch.Patch)
	}
	if _, err := i.overlay(control.Settings{Flags: []string{"--kubeconfig={kubeconfig}"}}); err == nil {
		t.Error("a flag with a file of this host is taken")
	}
}

// TestAnEndIsToldOnce: what the kubelet tells of a container that ended is an exit of the CCM, however often it tells.
func TestAnEndIsToldOnce(t *testing.T) {
	t.Parallel()
	i := podsOf(t)
	r := &podRun{inCluster: i, logs: map[string]chan struct{}{}, reported: map[string]bool{}}
	i.mu.Lock()
	i.process = r
	i.mu.Unlock()
	t.Cleanup(func() {
		i.mu.Lock()
		i.process = nil // what runs is only in this test
		i.mu.Unlock()
	})
	end := &corev1.ContainerStateTerminated{ExitCode: 2, Reason: "Error", ContainerID: "test://first"}
	pod := corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
		Name: workloadName, RestartCount: 1, LastTerminationState: corev1.ContainerState{Terminated: end},
	}}}}
	for range 2 {
		r.observe(t.Context(), []corev1.Pod{pod})
	}
	if exits := i.Exits(); len(exits) != 1 || !strings.Contains(exits[0].Reason, "exit code 2 (Error)") || !i.Running() || i.Starts() != 1 {
		t.Errorf("exits %+v, running %t, %d starts: one end is to be told once", exits, i.Running(), i.Starts())
	}
}
