package e2e_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// TestSubject does to a real CCM, on one control plane, all that can be done to one.
func TestSubject(t *testing.T) {
	c := planetest.Borrow(t, planetest.CCM(t))
	for _, test := range []struct {
		name string
		run  func(*testing.T, *e2e.Cluster)
	}{
		{"Get", ccmIsAsked},
		{"Forbid", rightsAreTaken},
		{"KillAt", ccmIsKilledAtACall},
		{"KillAtStart", ccmIsKilledWhileItStarts},
		{"RefusedToken", ccmFailsWithoutToken},
		{"RenewToken", ccmTakesTheNewToken},
		{"Configure", ccmIsConfigured},
		{"Standby", standbyTakesOver},
		{"RestartAPIServer", apiServerRestarts},
		{"RestartCloud", cloudRestarts},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.run(t, c)
			if exits := c.CCM.Exits(); len(exits) > 0 {
				t.Errorf("the CCM ended: %+v", exits)
			}
			if err := c.Reset(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func startSubject(t *testing.T, c *e2e.Cluster) {
	t.Helper()
	if err := c.CCM.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func isInitialised(n *corev1.Node) bool { return n.Spec.ProviderID != "" }

func ccmIsAsked(t *testing.T, c *e2e.Cluster) {
	if _, _, err := c.CCM.Get(t.Context(), "/metrics"); !errors.Is(err, simcloud.Conflict) {
		t.Errorf("before the start: %v, want Conflict", err)
	}
	startSubject(t, c)
	for path, want := range map[string]string{"/healthz": "ok", "/metrics": "\nprocess_start_time_seconds ", "/configz": "{"} {
		status, body, err := c.CCM.Get(t.Context(), path)
		if err != nil || status != 200 || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d, %v, %.200s; want 200 with %q", path, status, err, body, want)
		}
	}
	if status, _, err := c.CCM.Get(t.Context(), "/nothing"); err != nil || status != 404 {
		t.Errorf("/nothing: %d, %v; want 404", status, err)
	}
}

// rightsAreTaken: the CCM cannot delete a Node until it may again.
func rightsAreTaken(t *testing.T, c *e2e.Cluster) {
	ctx := t.Context()
	kube := clientFrom(t, c.CCM.Kubeconfig())
	deletes := func() string {
		return string(apierrors.ReasonForError(kube.CoreV1().Nodes().Delete(ctx, "unknown", metav1.DeleteOptions{})))
	}
	patches := func() string {
		_, err := kube.CoreV1().Nodes().Patch(ctx, "unknown", "application/merge-patch+json", []byte(`{}`), metav1.PatchOptions{}, "status")
		return string(apierrors.ReasonForError(err))
	}
	want := func(when, del, patch string) {
		t.Helper()
		if d, p := deletes(), patches(); d != del || p != patch {
			t.Errorf("%s: delete nodes answers %s, patch nodes/status %s; want %s and %s", when, d, p, del, patch)
		}
	}
	want("before", "NotFound", "NotFound")
	if err := c.Forbid(ctx, []string{"delete"}, []string{"nodes"}); err != nil {
		t.Fatal(err)
	}
	want("forbid to delete nodes", "Forbidden", "NotFound")
	if err := c.Forbid(ctx, []string{"*"}, []string{"nodes/status"}); err != nil {
		t.Fatal(err)
	}
	want("forbid all on nodes/status too", "Forbidden", "Forbidden")
	if err := c.Forbid(ctx, []string{"fly"}, []string{"nodes"}); !errors.Is(err, simcloud.Invalid) {
		t.Errorf("forbid what the CCM has no right to: %v, want Invalid", err)
	}
	if err := c.Allow(ctx); err != nil {
		t.Fatal(err)
	}
	want("allow", "NotFound", "NotFound")
	if err := c.Forbid(ctx, []string{"delete"}, []string{"nodes"}); err != nil {
		t.Fatal(err)
	}
	if err := c.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	want("reset", "NotFound", "NotFound")
}

// ccmIsKilledAtACall: before the call the cloud has nothing, after it the cloud has what the CCM has not heard of.
func ccmIsKilledAtACall(t *testing.T, c *e2e.Cluster) {
	for _, after := range []bool{false, true} {
		startSubject(t, c)
		createInstance(t, c, "node-1", map[string]string{machine.LabelNode: machine.NodeHollow})
		awaitNode(t, c.Kube, "node-1", isInitialised)
		if err := c.CCM.KillAt(t.Context(), control.KillPoint{Operation: "CreateLoadBalancer", After: after}); err != nil {
			t.Fatal(err)
		}
		createService(t, c, "web")
		waittest.For(t, "the CCM is killed", func(context.Context) (bool, error) { return c.CCM.Killed(), nil })
		page, err := c.Cloud.ListLoadBalancers(t.Context(), simcloud.ListOptions{})
		if err != nil || c.CCM.Running() || (len(page.Items) == 1) != after {
			t.Errorf("after %t: %v, running %t, %d load balancers", after, err, c.CCM.Running(), len(page.Items))
		}
		startSubject(t, c)
		waittest.For(t, "the Service has its address", func(ctx context.Context) (bool, error) {
			svc, err := c.Kube.CoreV1().Services("default").Get(ctx, "web", metav1.GetOptions{})
			return err == nil && len(svc.Status.LoadBalancer.Ingress) == 1, err
		})
		if err := c.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		if c.CCM.Killed() {
			t.Error("killed after a reset")
		}
	}
}

func ccmIsKilledWhileItStarts(t *testing.T, c *e2e.Cluster) {
	if err := c.CCM.KillAt(t.Context(), control.KillPoint{Operation: "ListRegions"}); err != nil {
		t.Fatal(err)
	}
	startSubject(t, c)
	waittest.For(t, "the CCM is killed", func(context.Context) (bool, error) { return c.CCM.Killed(), nil })
	if c.CCM.Running() {
		t.Error("it runs")
	}
}

func ccmFailsWithoutToken(t *testing.T, c *e2e.Cluster) {
	if err := c.CCM.RevokeToken(t.Context()); err != nil {
		t.Fatal(err)
	}
	log, err := c.CCM.StartFailing(t.Context())
	if err != nil || !strings.Contains(log, "refuses the token") || c.CCM.Running() {
		t.Errorf("with a revoked token: %v, running %t, the log is %s", err, c.CCM.Running(), log)
	}
	if err := c.CCM.RenewToken(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CCM.StartFailing(t.Context()); !errors.Is(err, simcloud.Conflict) || c.CCM.Running() {
		t.Errorf("with a good token: %v, running %t; want Conflict, and nothing left running", err, c.CCM.Running())
	}
}

// ccmTakesTheNewToken: the calls of a CCM have its token, and the new one once the old one is refused.
func ccmTakesTheNewToken(t *testing.T, c *e2e.Cluster) {
	startSubject(t, c)
	first := c.CCM.TokenID()
	calls := func(token simcloud.ID) func(context.Context) (bool, error) {
		return func(ctx context.Context) (bool, error) {
			entries, err := c.Cloud.ListJournal(ctx, simcloud.JournalFilter{UserAgent: "simcloud-ccm*"})
			return len(entries) > 0 && entries[len(entries)-1].Caller.Token == token && entries[len(entries)-1].Code == "", err
		}
	}
	waittest.For(t, "the CCM calls with its token", calls(first))
	if err := c.CCM.RevokeToken(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.CCM.RenewToken(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.CCM.TokenID() == first {
		t.Fatalf("the token is %s still", first)
	}
	waittest.For(t, "the CCM calls with the new token", calls(c.CCM.TokenID()))
}

func ccmIsConfigured(t *testing.T, c *e2e.Cluster) {
	settings := control.Settings{Config: map[string]any{"region": "nowhere"}}
	if err := c.CCM.Configure(settings); err != nil {
		t.Fatal(err)
	}
	if log, err := c.CCM.StartFailing(t.Context()); err != nil || !strings.Contains(log, "nowhere") {
		t.Errorf("with a region that is not there: %v, the log is %s", err, log)
	}
	if err := c.CCM.Configure(control.Settings{Flags: []string{"--node-monitor-period=7s"}}); err != nil {
		t.Fatal(err)
	}
	startSubject(t, c)
	if _, body, err := c.CCM.Get(t.Context(), "/configz"); err != nil || !strings.Contains(string(body), `"7s"`) {
		t.Errorf("%v: no 7s in %s", err, body)
	}
}

func createService(t *testing.T, c *e2e.Cluster, name string) {
	t.Helper()
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
	}
	if _, err := c.Kube.CoreV1().Services("default").Create(t.Context(), service, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// standbyTakesOver: of two replicas one works, and the other when that one is killed.
func standbyTakesOver(t *testing.T, c *e2e.Cluster) {
	elect := []string{"--leader-elect=true", "--leader-elect-lease-duration=20s", "--leader-elect-renew-deadline=15s", "--leader-elect-retry-period=200ms"}
	if err := c.CCM.Configure(control.Settings{Flags: elect}); err != nil {
		t.Fatal(err)
	}
	startSubject(t, c)
	holder := ""
	lease := func(changed bool) func(context.Context) (bool, error) {
		return func(ctx context.Context) (bool, error) {
			l, err := c.Kube.CoordinationV1().Leases("kube-system").Get(ctx, "cloud-controller-manager", metav1.GetOptions{})
			if err != nil || l.Spec.HolderIdentity == nil || *l.Spec.HolderIdentity == "" || changed && *l.Spec.HolderIdentity == holder {
				return false, err
			}
			holder = *l.Spec.HolderIdentity
			return true, nil
		}
	}
	waittest.For(t, "the CCM leads", lease(false))
	if err := c.Standby().Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !c.Standby().Running() || c.Standby().SecurePort() == c.CCM.SecurePort() {
		t.Errorf("running %t, port %d, like the CCM's", c.Standby().Running(), c.Standby().SecurePort())
	}
	if err := c.CCM.Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the standby leads", lease(true))
	createInstance(t, c, "node-1", map[string]string{machine.LabelNode: machine.NodeHollow})
	awaitNode(t, c.Kube, "node-1", isInitialised)
	if err := c.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.Standby().Running() {
		t.Error("the standby runs after a reset")
	}
}

// apiServerRestarts: whatever was there is there, and all who watch go on.
func apiServerRestarts(t *testing.T, c *e2e.Cluster) {
	startSubject(t, c)
	light := map[string]string{machine.LabelNode: machine.NodeHollow}
	createInstance(t, c, "node-1", light)
	before := awaitNode(t, c.Kube, "node-1", func(n *corev1.Node) bool { return isInitialised(n) && isReady(n) })
	createInstance(t, c, "kubelet", nil)
	awaitNode(t, c.Kube, "kubelet", func(n *corev1.Node) bool { return isInitialised(n) && isReady(n) })
	if err := c.RestartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	restarted := time.Now()
	for _, name := range []string{"node-1", "kubelet"} {
		waittest.For(t, name+" reports again", func(ctx context.Context) (bool, error) {
			lease, err := c.Kube.CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(ctx, name, metav1.GetOptions{})
			return err == nil && lease.Spec.RenewTime.After(restarted), err
		})
		awaitNode(t, c.Kube, name, isReady)
	}
	if after := awaitNode(t, c.Kube, "node-1", isReady); after.UID != before.UID {
		t.Error("the node is another one")
	}
	createInstance(t, c, "node-2", light)
	awaitNode(t, c.Kube, "node-2", isInitialised)
}

// cloudRestarts: the machines follow the cloud after its restart, and so does the CCM.
func cloudRestarts(t *testing.T, c *e2e.Cluster) {
	startSubject(t, c)
	light := map[string]string{machine.LabelNode: machine.NodeHollow}
	vm := createInstance(t, c, "node-1", light)
	awaitNode(t, c.Kube, "node-1", func(n *corev1.Node) bool { return isInitialised(n) && isReady(n) })
	if err := c.RestartCloud(t.Context()); err != nil {
		t.Fatal(err)
	}
	createInstance(t, c, "node-2", light)
	awaitNode(t, c.Kube, "node-2", func(n *corev1.Node) bool { return isInitialised(n) && isReady(n) })
	if _, err := c.Cloud.DeleteInstance(t.Context(), vm.ID); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the Node of the deleted instance is gone", func(ctx context.Context) (bool, error) {
		_, err := c.Kube.CoreV1().Nodes().Get(ctx, "node-1", metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
	for _, m := range c.Machines.List() {
		if m.Boots != 1 {
			t.Errorf("%s was booted %d times: a restart of the cloud must not restart machines", m.Name, m.Boots)
		}
	}
}
