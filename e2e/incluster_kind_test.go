package e2e_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/simcloud-dev/simcloud/ccm/deploy"
	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/kind"
	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
	"github.com/simcloud-dev/simcloud/e2e/kind/nodeimage"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/ociimage"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// startWithPods starts a cluster of containers whose CCM runs in it.
func startWithPods(t *testing.T, mode manager.Mode, under manager.CCMSpec) *e2e.Cluster {
	t.Helper()
	tell := func(line string) { t.Log(line) }
	docker, err := engine.Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	image, err := nodeimage.Resolve(t.Context(), "", docker, tell)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	backend, err := kind.New(kind.Config{
		Name: fmt.Sprintf("simcloud-ccm-%s-%d", cmp.Or(mode, "theirs"), os.Getpid()), Dir: filepath.Join(dir, "kube"), Engine: docker, Image: image, ControlPlaneNode: true, Progress: tell,
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := e2e.Start(t.Context(), e2e.Config{
		Dir: dir, Backend: backend, Cloud: sim.Config{Ephemeral: true, Seed: 1}, Subject: under, CCMMode: mode,
		Timings: e2e.Timings{Stop: waittest.Patience()}, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return c
}

// podsTest does something to a CCM that runs as pods.
type podsTest struct {
	name string
	run  func(*testing.T, *e2e.Cluster)
}

// TestInCluster does to a CCM that runs as pods what can be done to one, and to
// one by a user's own manifests what is done in another way there.
func TestInCluster(t *testing.T) {
	if os.Getenv("SIMCLOUD_KIND") != "1" || os.Getenv("SIMCLOUD_NIGHTLY") != "1" {
		t.Skip("needs a container engine, and is left to the nightly gate: make kind-nightly sets SIMCLOUD_KIND=1 and SIMCLOUD_NIGHTLY=1")
	}
	all := []podsTest{
		{"Refused", podsAreRefused},
		{"Fails", podsFail},
		{"Works", podsWork},
		{"Paused", podsArePaused},
		{"Dies", podsDie},
		{"Killed", podsAreKilled},
		{"Renewed", tokenOfPodsIsRenewed},
		{"Cannot", podsCannot},
	}
	for _, mode := range []manager.Mode{manager.Deployment, manager.DaemonSet} {
		t.Run(string(mode), func(t *testing.T) { runWithPods(t, startWithPods(t, mode, planetest.CCM(t)), all) })
	}
	t.Run("theirs", func(t *testing.T) {
		runWithPods(t, startWithPods(t, "", theirs(t)), []podsTest{{"Works", podsWork}, {"Paused", podsArePaused}, {"Killed", podsAreKilled}, {"Renewed", tokenOfPodsIsRenewed}})
	})
}

// runWithPods runs tests one after the other on a cluster.
func runWithPods(t *testing.T, c *e2e.Cluster, tests []podsTest) {
	for _, test := range tests {
		if !t.Run(test.name, func(t *testing.T) { test.run(t, c) }) {
			t.Log(strings.Join(c.CCM.LogTail(30), "\n"))
		}
	}
}

// theirs is simcloud-ccm by manifests that are not those that ship, but for the
// roles, and with an image in an archive whose name says nothing of a registry.
func theirs(t *testing.T) manager.CCMSpec {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, content []byte, err error) {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"serviceaccount", "clusterrole", "clusterrolebinding", "role", "rolebinding"} {
		content, err := fs.ReadFile(deploy.Files(), "base/"+name+".yaml")
		write(name+".yaml", content, err)
	}
	content, err := os.ReadFile(filepath.Join("testdata", "acme-ccm.yaml"))
	write("workload.yaml", content, err)
	binary, err := os.ReadFile(planetest.CCM(t).Path)
	if err != nil {
		t.Fatal(err)
	}
	image := ociimage.Image{
		Name: "acme/ccm:dev", Title: "acme", Version: "dev", Architecture: runtime.GOARCH, User: "65532:65532",
		Entrypoint: []string{"/simcloud-ccm"}, Files: []ociimage.File{{Path: "simcloud-ccm", Mode: 0o755, Content: binary}},
	}
	archive := filepath.Join(t.TempDir(), "image.tar")
	if err := image.WriteFile(archive); err != nil {
		t.Fatal(err)
	}
	opened, err := ociimage.OpenNamed(archive)
	if err != nil {
		t.Fatal(err)
	}
	return manager.InCluster("acme", manager.Manifests{Dir: dir, Image: opened})
}

// ccmPods are the pods of the CCM.
func ccmPods(t *testing.T, c *e2e.Cluster) []corev1.Pod {
	t.Helper()
	list, err := c.Kube.CoreV1().Pods(metav1.NamespaceSystem).List(t.Context(), metav1.ListOptions{LabelSelector: ccmSelector(c)})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// ccmSelector selects them.
func ccmSelector(c *e2e.Cluster) string {
	if c.CCM.Spec().InCluster() {
		return "app=acme"
	}
	return "app.kubernetes.io/name=simcloud-ccm"
}

// podsAreRefused: nothing runs before the start, and what a pod does not have cannot be in its flags.
func podsAreRefused(t *testing.T, c *e2e.Cluster) {
	if pods := ccmPods(t, c); len(pods) > 0 {
		t.Errorf("%d pods run before the start", len(pods))
	}
	if err := c.CCM.Configure(control.Settings{Flags: []string{"--kubeconfig={kubeconfig}"}}); err != nil {
		t.Fatal(err)
	}
	if err := c.CCM.Start(t.Context()); !errors.Is(err, simcloud.Invalid) {
		t.Errorf("a flag with a file of this host: %v, want Invalid", err)
	}
}

// podsFail: a CCM that refuses its configuration is seen to, and gone afterwards.
func podsFail(t *testing.T, c *e2e.Cluster) {
	if err := c.CCM.Configure(control.Settings{Config: map[string]any{"noSuchKey": 1}}); err != nil {
		t.Fatal(err)
	}
	log, err := c.CCM.StartFailing(t.Context())
	if err != nil || !strings.Contains(log, "noSuchKey") {
		t.Errorf("%v, with the log %q: want one that names the key", err, log)
	}
	if pods := ccmPods(t, c); len(pods) > 0 || c.CCM.Running() || len(c.CCM.Exits()) > 0 {
		t.Errorf("%d pods are left, running %t, exits %v", len(pods), c.CCM.Running(), c.CCM.Exits())
	}
}

// podsWork: the CCM initialises its own Node and another, answers with its metrics, and ends in order.
func podsWork(t *testing.T, c *e2e.Cluster) {
	if err := c.CCM.Configure(control.Settings{Flags: []string{"--v=2"}}); err != nil {
		t.Fatal(err)
	}
	startSubject(t, c)
	createInstance(t, c, "node-1", nil)
	awaitNode(t, c.Kube, "node-1", isInitialised)
	awaitNode(t, c.Kube, ccmPods(t, c)[0].Spec.NodeName, isInitialised)
	for path, want := range map[string]string{"/healthz": "ok", "/metrics": "simcloud_ccm_cloud_calls_total"} {
		status, body, err := c.CCM.Get(t.Context(), path)
		if err != nil || status != 200 || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d, %v, %.200s; want 200 with %q", path, status, err, body, want)
		}
	}
	if log := strings.Join(c.CCM.LogTail(10_000), "\n"); !strings.Contains(log, "Using the inClusterConfig") || !strings.Contains(log, "Serving securely on") {
		t.Error("the log is not that of the pod")
	}
	if err := c.CCM.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if pods := ccmPods(t, c); len(pods) > 0 {
		t.Errorf("%d pods are left", len(pods))
	}
	if log := strings.Join(c.CCM.LogTail(20), "\n"); len(c.CCM.Exits()) > 0 {
		t.Errorf("exits: %+v, log:\n%s", c.CCM.Exits(), log)
	}
}

// podsArePaused: its process stands still, and goes on.
func podsArePaused(t *testing.T, c *e2e.Cluster) {
	startSubject(t, c)
	node := ccmPods(t, c)[0].Spec.NodeName
	for _, step := range []struct {
		do     func() error
		paused bool
	}{{c.CCM.Pause, true}, {c.CCM.Resume, false}} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		state, err := c.Backend.Capabilities().Exec(t.Context(), node, nil, "ps", "-o", "stat=", "-C", "simcloud-ccm")
		if stopped := strings.HasPrefix(string(state), "T"); err != nil || stopped != step.paused {
			t.Errorf("its state is %q, %v; want it to be paused: %t", state, err, step.paused)
		}
	}
	if status, body, err := c.CCM.Get(t.Context(), "/healthz"); err != nil || status != 200 {
		t.Errorf("afterwards: %d, %v, %.200s; want 200", status, err, body)
	}
	if err := c.CCM.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// podsDie: when the process ends by itself the kubelet starts another, and that is an exit.
func podsDie(t *testing.T, c *e2e.Cluster) {
	startSubject(t, c)
	starts := c.CCM.Starts()
	node := ccmPods(t, c)[0].Spec.NodeName
	if _, err := c.Backend.Capabilities().Exec(t.Context(), node, nil, "pkill", "-ABRT", "-x", "simcloud-ccm"); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the end is an exit", func(context.Context) (bool, error) { return len(c.CCM.Exits()) == 1, nil })
	if exit := c.CCM.Exits()[0]; !strings.Contains(exit.Reason, "exit code 2") || !strings.Contains(strings.Join(exit.Log, "\n"), "SIGABRT") && len(exit.Log) < 10 {
		t.Errorf("the exit is %+v", exit)
	}
	if !c.CCM.Running() || c.CCM.Starts() != starts+1 {
		t.Errorf("running %t, starts %d: want that it was started again", c.CCM.Running(), c.CCM.Starts()-starts)
	}
	if err := c.CCM.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// podsAreKilled: at a call, so that the cloud made the change and no answer arrived; the next start finds it.
func podsAreKilled(t *testing.T, c *e2e.Cluster) {
	startSubject(t, c)
	point := control.KillPoint{Operation: "CreateRoute", Call: 1, After: true}
	if err := c.CCM.KillAt(t.Context(), point); err != nil {
		t.Fatal(err)
	}
	createInstance(t, c, "node-2", nil)
	waittest.For(t, "it is killed", func(context.Context) (bool, error) { return c.CCM.Killed(), nil })
	if pods := ccmPods(t, c); len(pods) > 0 || c.CCM.Running() {
		t.Errorf("%d pods are left, running %t", len(pods), c.CCM.Running())
	}
	startSubject(t, c)
	awaitNode(t, c.Kube, "node-2", isInitialised)
}

// podsCannot: what pods cannot do is an error.
func podsCannot(t *testing.T, c *e2e.Cluster) {
	if err := c.Standby().Start(t.Context()); !errors.Is(err, simcloud.Unimplemented) {
		t.Errorf("a standby: %v, want Unimplemented", err)
	}
	if err := c.Reset(t.Context()); !errors.Is(err, simcloud.Unimplemented) {
		t.Errorf("a reset: %v, want Unimplemented", err)
	}
}

// tokenOfPodsIsRenewed: the CCM goes on with a new token soon, and not when a kubelet happens to look.
func tokenOfPodsIsRenewed(t *testing.T, c *e2e.Cluster) {
	old := c.CCM.TokenID()
	if err := c.CCM.RenewToken(t.Context()); err != nil || c.CCM.TokenID() == old {
		t.Fatalf("renew the token: %v", err)
	}
	if _, err := c.Cloud.RevokeToken(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	createInstance(t, c, "node-3", map[string]string{machine.LabelNode: machine.NodeHollow})
	awaitNode(t, c.Kube, "node-3", isInitialised)
	t.Logf("it went on after %s", time.Since(began))
}
