package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// paperPlane is a control plane whose Node is simulated: of what is to be
// run there, only kubectl is.
type paperPlane struct {
	*embedded.Backend
	path string // with a kubectl

	mu  sync.Mutex
	ran []string
}

const paperNode = "plane"

func (p *paperPlane) Capabilities() e2e.Capabilities {
	can := p.Backend.Capabilities()
	can.Exec, can.ControlPlaneNode = p.Exec, paperNode
	can.JoinControlPlane = func(context.Context, machine.Spec) error { return nil }
	return can
}

func (p *paperPlane) said(part string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.ran, func(line string) bool { return strings.Contains(line, part) })
}

func (p *paperPlane) Exec(ctx context.Context, node string, stdin io.Reader, argv ...string) ([]byte, error) {
	line := strings.Join(argv, " ")
	p.mu.Lock()
	p.ran = append(p.ran, node+": "+line)
	p.mu.Unlock()
	if !strings.Contains(line, "kubectl kustomize") {
		return nil, nil
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "PATH="+p.path+":"+os.Getenv("PATH"))
	cmd.Stdin, cmd.Stderr = stdin, &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, &stderr)
	}
	return out, nil
}

// startOnPaper starts a real control plane with a hollow node for the CCM's pods.
func startOnPaper(t *testing.T, mode manager.Mode) (*e2e.Cluster, *paperPlane) {
	t.Helper()
	return startSubjectOnPaper(t, mode, planetest.CCM(t))
}

func startSubjectOnPaper(t *testing.T, mode manager.Mode, under manager.CCMSpec) (*e2e.Cluster, *paperPlane) {
	t.Helper()
	kube := planetest.Kube(t)
	planetest.Nightly(t, "the deployment mode runs on kind, where the manifests' pods are real (make kind)")
	planetest.Return(t)
	planetest.Slot(t)
	dir := t.TempDir()
	plane, err := embedded.New(embedded.Config{Dir: filepath.Join(dir, "kube"), Kube: kube})
	if err != nil {
		t.Fatal(err)
	}
	p := &paperPlane{Backend: plane, path: filepath.Join(dir, "bin")}
	script := fmt.Sprintf("#!/bin/sh\nexec %s kubectl \"$@\"\n", kube)
	if err := os.MkdirAll(p.path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.path, "kubectl"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := e2e.Start(t.Context(), e2e.Config{
		Dir: dir, Backend: p, Cloud: sim.Config{Ephemeral: true, Seed: 1}, Subject: under, CCMMode: mode, Timings: patientTimings(),
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	labels := map[string]string{"node-role.kubernetes.io/control-plane": "", e2e.LabelControlPlane: "true"}
	if err := c.Machines.Boot(t.Context(), control.Machine{Name: paperNode, Labels: labels, Light: true}); err != nil {
		t.Fatal(err)
	}
	return c, p
}

// TestManifestsOfACluster: the manifests that ship are applied with what this cluster and this start are about.
func TestManifestsOfACluster(t *testing.T) {
	c, plane := startOnPaper(t, manager.Deployment)
	ctx := t.Context()
	if !plane.said("plane: ctr --namespace=k8s.io images import") {
		t.Errorf("the image was not imported; there ran %q", plane.ran)
	}
	settings := control.Settings{Config: map[string]any{"region": "region-1"}, Flags: []string{"--controllers=*,-node-route-controller", "--cluster-name={cluster-name}"}}
	if err := c.CCM.Configure(settings); err != nil {
		t.Fatal(err)
	}
	if err := c.Forbid(ctx, []string{"delete"}, []string{"nodes"}); err != nil {
		t.Fatal(err)
	}
	startSubject(t, c)
	workload, err := c.Kube.AppsV1().Deployments("kube-system").Get(ctx, "simcloud-ccm", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	checkWorkload(t, c, workload)
	role, err := c.Kube.RbacV1().ClusterRoles().Get(ctx, "simcloud:cloud-controller-manager", metav1.GetOptions{})
	if err != nil || role.Labels["app.kubernetes.io/name"] != "simcloud-ccm" {
		t.Errorf("the role of the manifests: %v, %v", role, err)
	}
	for _, rule := range role.Rules {
		if slices.Contains(rule.Resources, "nodes") && slices.Contains(rule.Verbs, "delete") {
			t.Error("the start gave back a right that was taken")
		}
	}
	t.Run("RenewToken", func(t *testing.T) { tokenIsRenewed(t, c) })
	t.Run("Restarted", func(t *testing.T) { restartIsAnExit(t, c) })
	if err := c.CCM.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if exits := c.CCM.Exits(); len(exits) != 1 || c.CCM.Starts() != 2 {
		t.Errorf("exits %+v, %d starts: one restart is to be told once", exits, c.CCM.Starts())
	}
	_, err = c.Kube.AppsV1().Deployments("kube-system").Get(ctx, "simcloud-ccm", metav1.GetOptions{})
	if pods := ccmPods(t, c); len(pods) > 0 || !apierrors.IsNotFound(err) {
		t.Errorf("%d pods are left, and the Deployment: %v", len(pods), err)
	}
}

// checkWorkload follows the Deployment to the image, the flags and the configuration.
func checkWorkload(t *testing.T, c *e2e.Cluster, workload *appsv1.Deployment) {
	t.Helper()
	pod := workload.Spec.Template.Spec
	args := strings.Join(pod.Containers[0].Args, " ")
	for _, want := range []string{
		"--cloud-config=/etc/simcloud/config/cloud-config.yaml", "--node-monitor-period=1s",
		"--controllers=*,-node-route-controller", "--cluster-name=" + c.Name,
	} {
		if !strings.Contains(args, want) {
			t.Errorf("the arguments are %s, and lack %s", args, want)
		}
	}
	if image := pod.Containers[0].Image; !strings.HasPrefix(image, "simcloud.dev/simcloud-ccm:") || strings.HasSuffix(image, ":") {
		t.Errorf("the image is %s", image)
	}
	config, err := c.Kube.CoreV1().ConfigMaps("kube-system").Get(t.Context(), pod.Volumes[0].ConfigMap.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if raw := config.Data["cloud-config.yaml"]; !strings.Contains(raw, "endpoint: "+c.CloudURL) || !strings.Contains(raw, "region: region-1") || !strings.Contains(raw, "tokenFile: /etc/simcloud/token/token") {
		t.Errorf("the cloud config is\n%s", raw)
	}
	if got, want := secretToken(t, c), fileToken(t, c); got != want {
		t.Errorf("the Secret has %q, the file %q", got, want)
	}
}

func secretToken(t *testing.T, c *e2e.Cluster) string {
	t.Helper()
	secret, err := c.Kube.CoreV1().Secrets("kube-system").Get(t.Context(), "simcloud-ccm-token", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return string(secret.Data["token"])
}

func fileToken(t *testing.T, c *e2e.Cluster) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(c.Dir, "ccm", "token"))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func tokenIsRenewed(t *testing.T, c *e2e.Cluster) {
	old := secretToken(t, c)
	if err := c.CCM.RenewToken(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now := secretToken(t, c); now == old || now != fileToken(t, c) {
		t.Errorf("the Secret has %q, before it was %q, and the file has %q", now, old, fileToken(t, c))
	}
	if got := ccmPods(t, c)[0].Annotations["sim.simcloud.dev/token"]; got != string(c.CCM.TokenID()) {
		t.Errorf("the pod was not changed for the kubelet to look at it: %q", got)
	}
}

// restartIsAnExit: what the kubelet says of a container that ended is the CCM's exit, once.
func restartIsAnExit(t *testing.T, c *e2e.Cluster) {
	starts := c.CCM.Starts()
	pod := ccmPods(t, c)[0]
	status := &pod.Status.ContainerStatuses[0]
	status.RestartCount = 1
	status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 2, Reason: "Error", ContainerID: "simcloud://first"}
	if _, err := c.Kube.CoreV1().Pods(pod.Namespace).UpdateStatus(t.Context(), &pod, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "there is an exit", func(context.Context) (bool, error) { return len(c.CCM.Exits()) > 0, nil })
	if exits := c.CCM.Exits(); len(exits) != 1 || !strings.Contains(exits[0].Reason, "exit code 2 (Error)") || !c.CCM.Running() || c.CCM.Starts() != starts+1 {
		t.Errorf("exits %+v, running %t, starts %d more", exits, c.CCM.Running(), c.CCM.Starts()-starts)
	}
}
