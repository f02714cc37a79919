package deploy_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"

	"github.com/simcloud-dev/simcloud/ccm/deploy"
	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// TestOperation does with real processes what an operator relies on, on one control plane.
func TestOperation(t *testing.T) {
	planetest.Cluster(t)
	planetest.Nightly(t, "the clauses of the area process (p01 to p12) judge the same process, and TestRights the manifests")
	c, _ := start(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *e2e.Cluster)
	}{
		{"Health", healthFollowsTheCloud},
		{"Logs", logsHaveNoSecrets},
		{"Stop", callsUnderWayEnd},
		{"LeaderStops", theNextLeaderNeedNotWait},
		{"LeaderDies", theNextLeaderWaits},
		{"LeaderMigration", controllersMigrate},
		{"Docs", docsAreRight},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.run(t, c)
			if err := c.Reset(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// run starts the provider with more flags and keys.
func run(t *testing.T, c *e2e.Cluster, config map[string]any, flags ...string) {
	t.Helper()
	if err := c.CCM.Configure(control.Settings{Config: config, Flags: flags}); err != nil {
		t.Fatal(err)
	}
	if err := c.CCM.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// answers asks a path of the provider until it has a status, and returns the answer.
func answers(t *testing.T, c *e2e.Cluster, path string, want int) (body string) {
	t.Helper()
	waittest.For(t, path+" answers "+http.StatusText(want), func(ctx context.Context) (bool, error) {
		status, raw, err := c.CCM.Get(ctx, path)
		body = string(raw)
		return status == want, err
	})
	return body
}

// controllersRun waits until the controllers have started, of a process that leads if there is an election.
func controllersRun(t *testing.T, c *e2e.Cluster) {
	t.Helper()
	waittest.For(t, "/healthz has the check of the cloud, which comes with the controllers", func(ctx context.Context) (bool, error) {
		status, raw, err := c.CCM.Get(ctx, "/healthz?verbose")
		return status == http.StatusOK && strings.Contains(string(raw), "[+]cloud ok"), err
	})
}

// counts waits until the metrics have all these lines.
func counts(t *testing.T, c *e2e.Cluster, lines ...string) {
	t.Helper()
	waittest.For(t, "the metrics have the lines", func(ctx context.Context) (bool, error) {
		_, raw, err := c.CCM.Get(ctx, "/metrics")
		for _, line := range lines {
			if err == nil && !strings.Contains(string(raw), "\n"+line) {
				err = fmt.Errorf("there is no line %q", line)
			}
		}
		return err == nil, err
	})
}

// healthFollowsTheCloud: a cloud that is away makes the process unhealthy, and does not end it.
func healthFollowsTheCloud(t *testing.T, c *e2e.Cluster) {
	run(t, c, map[string]any{"healthGracePeriod": "1s", "retries": 1, "retryBackoff": "1ms"})
	controllersRun(t, c)
	counts(t, c, `simcloud_ccm_cloud_calls_total{code="ok",operation="GetRouteTable"} `) // the table is known from here on
	if _, err := c.Cloud.AddFault(t.Context(), fault.Rule{
		Name: "away", Match: fault.Match{Caller: string(c.CCM.TokenID())},
		Effect: fault.Effect{Error: &fault.Problem{Code: simcloud.Unavailable}},
	}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Cloud.ClearFaults(context.WithoutCancel(t.Context())) }()
	if body := answers(t, c, "/healthz", http.StatusInternalServerError); !strings.Contains(body, "[-]cloud failed") {
		t.Errorf("unhealthy for another reason: %s", body)
	}
	answers(t, c, "/healthz?exclude=cloud", http.StatusOK)
	counts(t, c,
		"simcloud_ccm_cloud_reachable 0\n",
		`simcloud_ccm_cloud_calls_total{code="unavailable",operation="GetRouteTable"} `,
		`simcloud_ccm_cloud_retries_total{code="unavailable",operation="GetRouteTable"} `)
	if err := c.Cloud.ClearFaults(t.Context()); err != nil {
		t.Fatal(err)
	}
	answers(t, c, "/healthz", http.StatusOK)
	if exits := c.CCM.Exits(); len(exits) > 0 || c.CCM.Starts() != 1 {
		t.Errorf("it ended: %+v", exits)
	}
}

// logsHaveNoSecrets: at the highest verbosity too, neither token is in the log.
func logsHaveNoSecrets(t *testing.T, c *e2e.Cluster) {
	run(t, c, nil, "-v=10")
	hollowNode(t, c, "node-1")
	service(t, c)
	former := secrets(t, c)
	if err := c.CCM.RenewToken(t.Context()); err != nil {
		t.Fatal(err)
	}
	hollowNode(t, c, "node-2")
	log, err := os.ReadFile(c.CCM.Log())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(log), `curl -v -XPATCH`) {
		t.Error("the log does not have the requests: this is not the highest verbosity")
	}
	for _, known := range []map[string]string{former, secrets(t, c)} {
		for what, secret := range known {
			if strings.Contains(string(log), secret) {
				t.Errorf("the log has %s", what)
			}
		}
	}
}

// secrets are what must not be in a log.
func secrets(t *testing.T, c *e2e.Cluster) map[string]string {
	t.Helper()
	config, err := os.ReadFile(c.CCM.CloudConfig())
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(config), "tokenFile: ")
	path, _, _ := strings.Cut(rest, "\n")
	token, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	access, err := clientcmd.BuildConfigFromFlags("", c.CCM.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"the token of the cloud": strings.TrimSpace(string(token)), "the token of the cluster": access.BearerToken}
}

// holder returns who has a lease; empty when no process does.
func holder(ctx context.Context, c *e2e.Cluster, name string) (string, error) {
	lease, err := c.Kube.CoordinationV1().Leases(metav1.NamespaceSystem).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return ptr.Deref(lease.Spec.HolderIdentity, ""), nil
}

// leads waits until a lease has another holder than before, and returns it.
func leads(t *testing.T, c *e2e.Cluster, name, before string) (now string) {
	t.Helper()
	waittest.For(t, "the lease "+name+" has another holder", func(ctx context.Context) (ok bool, err error) {
		now, err = holder(ctx, c, name)
		return now != "" && now != before, err
	})
	return now
}

func ownLease(t *testing.T) string {
	t.Helper()
	return readAccess(t).Role.Rules[1].ResourceNames[0]
}

// longLease outlasts a stall of the machine, where it does not matter how long a lease is.
var longLease = []string{"--leader-elect-lease-duration=60s", "--leader-elect-renew-deadline=40s"}

// theNextLeaderNeedNotWait: a leader that is asked to end gives its lease up.
// This one would be good for ten minutes, far beyond all patience.
func theNextLeaderNeedNotWait(t *testing.T, c *e2e.Cluster) {
	run(t, c, nil, "--leader-elect=true", "--leader-elect-lease-duration=10m", "--leader-elect-renew-deadline=9m", "--leader-elect-retry-period=1s")
	first := leads(t, c, ownLease(t), "")
	controllersRun(t, c) // before that it cannot give its lease up
	if err := c.Standby().Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.CCM.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	leads(t, c, ownLease(t), first)
	hollowNode(t, c, "node-1")
}

// theNextLeaderWaits: one that is killed cannot, and its lease ends by itself.
func theNextLeaderWaits(t *testing.T, c *e2e.Cluster) {
	run(t, c, nil, "--leader-elect=true", "--leader-elect-lease-duration=15s", "--leader-elect-renew-deadline=10s", "--leader-elect-retry-period=1s")
	first := leads(t, c, ownLease(t), "")
	if err := c.Standby().Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.CCM.Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	leads(t, c, ownLease(t), first)
	hollowNode(t, c, "node-1")
}

// controllersMigrate: with leader migration one process has both leases, and all its controllers work.
func controllersMigrate(t *testing.T, c *e2e.Cluster) {
	raw, err := deploy.Files().ReadFile("leader-migration/role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/role.yaml"
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	kubectl(t, "--kubeconfig", c.Kubeconfig, "apply", "--server-side", "--validate=strict", "-f", path)
	run(t, c, nil, append([]string{"--leader-elect=true", "--enable-leader-migration", "--leader-elect-retry-period=1s"}, longLease...)...)
	main := leads(t, c, ownLease(t), "")
	if migrated := leads(t, c, "cloud-provider-extraction-migration", ""); migrated != main {
		t.Errorf("the leases are of %s and %s", main, migrated)
	}
	hollowNode(t, c, "node-1")
	service(t, c)
	waittest.For(t, "the node has its route", func(ctx context.Context) (bool, error) {
		node, err := c.Kube.CoreV1().Nodes().Get(ctx, "node-1", metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, condition := range node.Status.Conditions {
			if condition.Type == corev1.NodeNetworkUnavailable {
				return condition.Status == corev1.ConditionFalse, nil
			}
		}
		return false, nil
	})
	answers(t, c, "/healthz", http.StatusOK)
}

// callsUnderWayEnd: asked to end, the process waits for the answer to a call
// that changes the cloud, and its exit code reports success.
func callsUnderWayEnd(t *testing.T, c *e2e.Cluster) {
	if err := c.CCM.Configure(control.Settings{}); err != nil {
		t.Fatal(err)
	}
	slow, err := c.Cloud.AddFault(t.Context(), fault.Rule{
		Match: fault.Match{Operation: "CreateLoadBalancer"}, Effect: fault.Effect{Delay: &fault.Delay{Duration: simcloud.Duration(time.Second)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Cloud.ClearFaults(context.WithoutCancel(t.Context())) }()
	process := exec.CommandContext(t.Context(), c.CCM.Spec().Path, "--leader-elect=false", "--secure-port=0",
		"--cloud-config="+c.CCM.CloudConfig(), "--kubeconfig="+c.CCM.Kubeconfig(), "--cluster-cidr="+e2e.ClusterCIDR)
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	createService(t, c)
	waittest.For(t, "a load balancer is being made", func(ctx context.Context) (bool, error) {
		rule, err := c.Cloud.GetFault(ctx, slow.ID)
		return rule.Hits > 0, err
	})
	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := process.Wait(); err != nil {
		t.Errorf("%v, want exit code 0", err)
	}
	// It is recorded when it has ended, with its answer or without.
	var calls []simcloud.JournalEntry
	waittest.For(t, "the call has ended", func(ctx context.Context) (bool, error) {
		calls, err = c.Cloud.ListJournal(ctx, simcloud.JournalFilter{Operation: "CreateLoadBalancer", Fault: slow.ID})
		return len(calls) > 0, err
	})
	if call := calls[0]; call.Status == 0 || call.Code != "" {
		t.Errorf("the process did not wait for its answer: status %d, %s: %s", call.Status, call.Code, call.Message)
	}
}
