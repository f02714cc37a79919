package existing_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/backendtest"
	"github.com/simcloud-dev/simcloud/e2e/existing"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// visit starts a run in a user's cluster.
func visit(ctx context.Context, kubeconfig, records, dir, run string, subject manager.CCMSpec) (*e2e.Cluster, error) {
	backend, err := existing.New(existing.Config{Kubeconfig: kubeconfig, Confirm: "dev", Run: run, Records: records})
	if err != nil {
		return nil, err
	}
	return e2e.Start(ctx, e2e.Config{
		Dir: dir, Backend: backend, Cloud: sim.Config{Ephemeral: true, Seed: 1}, Subject: subject, Log: slog.New(slog.DiscardHandler),
		Timings: e2e.Timings{Reset: 3 * time.Minute, CCMStart: 2 * time.Minute, Stop: 2 * time.Minute},
	})
}

// TestExisting runs in one cluster that is not ours.
func TestExisting(t *testing.T) {
	own := startTheirs(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, theirs)
	}{
		{"Guest", guestLeavesNothing},
		{"Suite", keepsWhatBackendsPromise},
		{"Scenarios", scenariosPass},
		{"OneAtATime", oneRunAtATime},
		{"TheirNode", theirNodeIsNotTaken},
		{"Crash", crashIsCleanedUp},
		{"OtherCluster", otherClusterIsLeftAlone},
		{"AnotherAtTheAddress", anotherAtTheAddressIsLeftAlone},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := own.inventory(t)
			test.run(t, own)
			if diff := cmp.Diff(before, own.inventory(t)); diff != "" {
				t.Errorf("the cluster is not as it was (-before +after):\n%s", diff)
			}
			node, err := own.kube.CoreV1().Nodes().Get(t.Context(), "theirs", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if manager.MadeByRoutes(node) {
				t.Errorf("their Node still has the condition of the route controller: %v", node.Status.Conditions)
			}
		})
	}
}

// guestLeavesNothing: a CCM works in the cluster, twice; a reset in between and the
// end remove what is the run's and no more.
func guestLeavesNothing(t *testing.T, own theirs) {
	if os.Getenv(manager.EnvCCM) == "" {
		t.Skipf("needs a cloud controller manager: set %s", manager.EnvCCM)
	}
	subject, err := manager.ParseCCMSpec("")
	if err != nil {
		t.Fatal(err)
	}
	records := t.TempDir()
	c, err := visit(t.Context(), own.kubeconfig, records, t.TempDir(), "run-1", subject)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		if left, err := filepath.Glob(filepath.Join(records, "*")); err != nil || len(left) > 0 {
			t.Errorf("records are left: %v, %v", left, err)
		}
	}()
	for range 2 {
		work(t, own, c)
		if err := c.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := own.kube.CoreV1().Nodes().Get(t.Context(), "theirs", metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
	}
}

// keepsWhatBackendsPromise runs the suite of all backends, after which the cluster is as it was.
func keepsWhatBackendsPromise(t *testing.T, own theirs) {
	records := t.TempDir()
	c, err := visit(t.Context(), own.kubeconfig, records, t.TempDir(), "run-suite", manager.CCMSpec{Name: "none"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	backendtest.Run(t, backendtest.Harness{Cluster: c, Left: func(t *testing.T) {
		if left, err := filepath.Glob(filepath.Join(records, "*")); err != nil || len(left) > 0 {
			t.Errorf("records are left: %v, %v", left, err)
		}
	}})
}

// work does what scenarios do, and waits until the CCM has changed the user's Node.
func work(t *testing.T, own theirs, c *e2e.Cluster) {
	t.Helper()
	if _, err := c.Cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node-1"}); err != nil {
		t.Fatal(err)
	}
	if err := c.CCM.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the CCM has initialised the Node", func(ctx context.Context) (bool, error) {
		node, err := own.kube.CoreV1().Nodes().Get(ctx, "node-1", metav1.GetOptions{})
		return err == nil && node.Spec.ProviderID != "" && node.Labels[existing.LabelRun] == "run-1", err
	})
	world, err := run.OnCluster(c, profile.Profile{}).World()
	if err != nil {
		t.Fatal(err)
	}
	apply(t, world, "services", serviceManifest)
	apply(t, world, "persistentvolumes", volumeManifest)
	apply(t, world, "configmaps", theirsManifest)
	waittest.For(t, "the Service has an address", func(ctx context.Context) (bool, error) {
		s, err := own.kube.CoreV1().Services("default").Get(ctx, "web", metav1.GetOptions{})
		return err == nil && len(s.Status.LoadBalancer.Ingress) == 1, err
	})
	waittest.For(t, "the route controller has looked at their Node", func(ctx context.Context) (bool, error) {
		node, err := own.kube.CoreV1().Nodes().Get(ctx, "theirs", metav1.GetOptions{})
		return err == nil && manager.MadeByRoutes(node), err
	})
}

// scenariosPass: they see their own Nodes alone, and one after the other have a clean cluster.
func scenariosPass(t *testing.T, own theirs) {
	if os.Getenv(manager.EnvCCM) == "" {
		t.Skipf("needs a cloud controller manager: set %s", manager.EnvCCM)
	}
	subject, err := manager.ParseCCMSpec("")
	if err != nil {
		t.Fatal(err)
	}
	library, err := run.Library()
	if err != nil {
		t.Fatal(err)
	}
	core := slices.DeleteFunc(library, func(s *scenarios.Scenario) bool {
		return s.Name != "node-taint-removal" && s.Name != "lb-provisioning"
	})
	var out strings.Builder
	opened := 0
	runner := run.Runner{Parallel: 1, Seed: 1, Reporter: report.NewLines(&out, true), Open: func(ctx context.Context, _ int) (run.Cluster, error) {
		opened++
		c, err := visit(ctx, own.kubeconfig, t.TempDir(), t.TempDir(), "run-1", subject)
		if err != nil {
			return nil, err
		}
		return run.OnCluster(c, profile.Profile{}), nil
	}}
	report, err := runner.Run(t.Context(), core)
	if err != nil || report.Count(scenarios.Passed) != 2 || opened != 1 {
		t.Errorf("%d passed, on %d clusters: %v\n%s", report.Count(scenarios.Passed), opened, err, &out)
	}
}

// oneRunAtATime: the second run is told who has the cluster, and takes nothing away.
func oneRunAtATime(t *testing.T, own theirs) {
	records, none := t.TempDir(), manager.CCMSpec{Name: "none"}
	first, err := visit(t.Context(), own.kubeconfig, records, t.TempDir(), "run-1", none)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := first.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	if _, err := visit(t.Context(), own.kubeconfig, records, t.TempDir(), "run-2", none); !errors.Is(err, simcloud.Conflict) || !strings.Contains(err.Error(), "in use by a run of simcloud on the host") {
		t.Errorf("a second run: %v, want that it is refused because of the first", err)
	}
	if err := existing.RemoveLeft(t.Context(), records, func(string) {}); err != nil {
		t.Error(err)
	}
	if _, err := own.kube.CoreV1().ConfigMaps("kube-system").Get(t.Context(), "simcloud-run", metav1.GetOptions{}); err != nil {
		t.Errorf("the claim of a run that lives: %v", err)
	}
}

// theirNodeIsNotTaken: an instance with the hostname of their Node gets no machine.
func theirNodeIsNotTaken(t *testing.T, own theirs) {
	c, err := visit(t.Context(), own.kubeconfig, t.TempDir(), t.TempDir(), "run-1", manager.CCMSpec{Name: "none"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	if _, err := c.Cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "theirs"}); err != nil {
		t.Fatal(err)
	}
	failed := func(machines []machine.Status) bool {
		return len(machines) == 1 && machines[0].State == machine.Failed && strings.Contains(machines[0].Error, "not of this run")
	}
	ctx, cancel := waittest.Context(t)
	defer cancel()
	if err := c.Machines.Wait(ctx, failed); err != nil {
		t.Error(err)
	}
}

// What the process that crashes finds in its environment.
const (
	envCrash   = "SIMCLOUD_TEST_CRASH"
	envRecords = "SIMCLOUD_TEST_RECORDS"
)

// crash makes a Node in a user's cluster, reports it, and waits to be killed.
func crash(kubeconfig, records string) {
	ctx := context.Background()
	dir, err := os.MkdirTemp(records, "run-")
	if err == nil {
		var c *e2e.Cluster
		if c, err = visit(ctx, kubeconfig, records, dir, "run-crash", manager.CCMSpec{Name: "none"}); err == nil {
			_, err = c.Cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: "node-9"})
		}
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ready")
	select {}
}

// crashIsCleanedUp: what a killed run leaves is removed by its record, and only then can there be another.
func crashIsCleanedUp(t *testing.T, own theirs) {
	records := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envCrash+"="+own.kubeconfig, envRecords+"="+records)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if line != "ready\n" {
		t.Errorf("the process that is to crash says %q", line)
	}
	waittest.For(t, "it has made its Node", func(ctx context.Context) (bool, error) {
		_, err := own.kube.CoreV1().Nodes().Get(ctx, "node-9", metav1.GetOptions{})
		return err == nil, err
	})
	if err := errors.Join(cmd.Process.Kill(), expectKilled(cmd.Wait())); err != nil {
		t.Fatal(err)
	}
	// A pod of theirs has got there, and the CCM has said something of their Node.
	strand(t, own)
	if _, err := visit(t.Context(), own.kubeconfig, records, t.TempDir(), "run-2", manager.CCMSpec{Name: "none"}); !errors.Is(err, simcloud.Conflict) || !strings.Contains(err.Error(), "if that crashed") {
		t.Errorf("a run after the crash: %v, want that it is refused", err)
	}
	var said []string
	if err := existing.RemoveLeft(t.Context(), records, func(line string) { said = append(said, line) }); err != nil {
		t.Fatal(err)
	}
	if len(said) != 1 || !strings.Contains(said[0], "run-crash") {
		t.Errorf("it says %q", said)
	}
	if err := existing.RemoveLeft(t.Context(), records, func(line string) { t.Errorf("a second time it says %q", line) }); err != nil {
		t.Error(err)
	}
}

func expectKilled(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil
	}
	return fmt.Errorf("it was not killed: %w", err)
}

// strand does to their objects what may happen during a run.
func strand(t *testing.T, own theirs) {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "stray", Namespace: "shop"},
		Spec:       corev1.PodSpec{NodeName: "node-9", Containers: []corev1.Container{{Name: "c", Image: "c"}}},
	}
	if _, err := own.kube.CoreV1().Pods("shop").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	patchCondition(t, own, `{"type":"NetworkUnavailable","status":"True","reason":"NoRouteCreated"}`)
}

// otherClusterIsLeftAlone: a context that leads elsewhere now is not where the run has been.
func otherClusterIsLeftAlone(t *testing.T, own theirs) {
	records := t.TempDir()
	record := fmt.Sprintf(`{"run": "run-x", "kubeconfig": [%q], "context": "dev", "server": "https://127.0.0.1:1"}`, own.kubeconfig)
	path := filepath.Join(records, "run-x.json")
	if err := os.WriteFile(path, []byte(record), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := existing.RemoveLeft(t.Context(), records, func(string) {}); err == nil || !strings.Contains(err.Error(), "https://127.0.0.1:1 when the run began") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the record: %v", err)
	}
}

// anotherAtTheAddressIsLeftAlone: a cluster that was recreated at the same address has not
// the claim of the run. What carries no mark there is the user's, whatever its name.
func anotherAtTheAddressIsLeftAlone(t *testing.T, own theirs) {
	ctx, always := t.Context(), metav1.CreateOptions{}
	leases := own.kube.CoordinationV1().Leases("kube-system")
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "cloud-controller-manager"}}
	if _, err := leases.Create(ctx, lease, always); err != nil {
		t.Fatal(err)
	}
	patchCondition(t, own, `{"type":"NetworkUnavailable","status":"False","reason":"RouteCreated"}`)
	records := t.TempDir()
	access, err := clientcmd.BuildConfigFromFlags("", own.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	record := fmt.Sprintf(`{"run": "run-x", "kubeconfig": [%q], "context": "dev", "server": %q}`, own.kubeconfig, access.Host)
	if err := os.WriteFile(filepath.Join(records, "run-x.json"), []byte(record), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := existing.RemoveLeft(ctx, records, func(string) {}); err != nil {
		t.Error(err)
	}
	if err := leases.Delete(ctx, lease.Name, metav1.DeleteOptions{}); err != nil {
		t.Errorf("the user's lease: %v", err)
	}
	if node, err := own.kube.CoreV1().Nodes().Get(ctx, "theirs", metav1.GetOptions{}); err != nil || !manager.MadeByRoutes(node) {
		t.Errorf("the condition of the user's route controller is gone: %v, %v", node.Status.Conditions, err)
	}
	patchCondition(t, own, `{"type":"NetworkUnavailable","$patch":"delete"}`)
}

func patchCondition(t *testing.T, own theirs, condition string) {
	t.Helper()
	patch := []byte(`{"status":{"conditions":[` + condition + `]}}`)
	if _, err := own.kube.CoreV1().Nodes().Patch(t.Context(), "theirs", types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
}
