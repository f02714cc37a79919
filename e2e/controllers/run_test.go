package controllers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typedcoordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	cloudprovider "k8s.io/cloud-provider"
	cloudproviderapi "k8s.io/cloud-provider/api"
	"k8s.io/utils/ptr"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/e2e/controllers"
	"github.com/simcloud-dev/simcloud/e2e/virtual"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
	"github.com/simcloud-dev/simcloud/simcloud/wire"
)

func TestMain(m *testing.M) {
	if err := controllers.Prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// flags are those of a CCM without a leader, and more.
func flags(more ...string) []string {
	return append([]string{
		"--cloud-provider=simcloud", "--cluster-name=test", "--cluster-cidr=10.244.0.0/16", "--kube-api-content-type=application/json",
		"--leader-elect=false", "--node-monitor-period=1s", "--route-reconciliation-period=5s", "--concurrent-node-syncs=4", "--kube-api-qps=200", "--kube-api-burst=400",
	}, more...)
}

// openCloud opens a simulated cloud with an instance, and our provider for it.
func openCloud(t *testing.T) (*ccm.Cloud, *client.Client) {
	t.Helper()
	cloud, pipe, admin := simtest.OpenWire(t, "admin", simtest.Slow(time.Second))
	own := simtest.DialWire(t, cloud, pipe, client.Config{Token: cloud.Token(), UserAgent: "simcloud-ccm"})
	if _, err := admin.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node-1"}); err != nil {
		t.Fatal(err)
	}
	return ccm.New(own, config.Default(), time.Now), admin
}

// createNode creates the Node of the instance, as a kubelet does.
func createNode(t *testing.T, kube kubernetes.Interface) {
	t.Helper()
	node := &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "node-1"},
		Spec: v1.NodeSpec{PodCIDR: "10.244.0.0/24", PodCIDRs: []string{"10.244.0.0/24"}, Taints: []v1.Taint{
			{Key: cloudproviderapi.TaintExternalCloudProvider, Value: "true", Effect: v1.TaintEffectNoSchedule},
		}},
		Status: v1.NodeStatus{Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}},
	}
	if _, err := kube.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// TestRun: the four controllers do their work, log it, and end with all their goroutines: twice at a time in one process.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, runs)
		})
	}
}

func runs(t *testing.T) {
	api, access, kube := openAPI(t)
	provider, admin := openCloud(t)
	var log strings.Builder
	stop := start(t, controllers.Config{
		Kube: access, Open: opened(provider), Flags: flags(), Log: &log, Controllers: []controllers.Controller{controllers.PVLabels(), {Name: "cloud"}},
	})
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(log.String())
		}
	})
	createNode(t, kube)
	waittest.For(t, "the node is initialized", func(ctx context.Context) (bool, error) {
		node, err := kube.CoreV1().Nodes().Get(ctx, "node-1", metav1.GetOptions{})
		return err == nil && len(node.Spec.Taints) == 0 && node.Spec.ProviderID != "", err
	})
	service := &v1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec: v1.ServiceSpec{
			Type: v1.ServiceTypeLoadBalancer, SessionAffinity: v1.ServiceAffinityNone, ExternalTrafficPolicy: v1.ServiceExternalTrafficPolicyCluster,
			IPFamilies: []v1.IPFamily{v1.IPv4Protocol}, Ports: []v1.ServicePort{{Protocol: v1.ProtocolTCP, Port: 80, NodePort: 30080}},
		},
	}
	if _, err := kube.CoreV1().Services("default").Create(t.Context(), service, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the Service and the routes are there", func(ctx context.Context) (bool, error) {
		service, err := kube.CoreV1().Services("default").Get(ctx, "web", metav1.GetOptions{})
		routes, rerr := admin.ListJournal(ctx, simcloud.JournalFilter{Operation: "CreateRoute"})
		return err == nil && len(service.Status.LoadBalancer.Ingress) > 0 && len(routes) > 0, errors.Join(err, rerr)
	})
	deleteInstance(t, admin, kube)
	stop()
	checkLog(t, log.String())
	for _, agent := range []string{"node-controller", "service-controller", "route-controller", "shared-informers"} {
		if !slices.Contains(api.agents, agent) {
			t.Errorf("no request of %s", agent)
		}
	}
}

// start runs a CCM until stop is called, or the test ends.
func start(t *testing.T, c controllers.Config) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- controllers.Run(ctx, c) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// deleteInstance deletes the instance; its Node is gone after that.
func deleteInstance(t *testing.T, admin *client.Client, kube kubernetes.Interface) {
	t.Helper()
	list, err := admin.ListInstances(t.Context(), simcloud.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := admin.DeleteInstance(t.Context(), list.Items[0].ID); err != nil {
		t.Fatal(err)
	}
	node, err := kube.CoreV1().Nodes().Get(t.Context(), "node-1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range node.Status.Conditions {
		node.Status.Conditions[i].Status = v1.ConditionUnknown
	}
	if _, err := kube.CoreV1().Nodes().UpdateStatus(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the node is gone", func(ctx context.Context) (bool, error) {
		nodes, err := kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		return err == nil && len(nodes.Items) == 0, err
	})
}

func checkLog(t *testing.T, log string) {
	t.Helper()
	for _, text := range []string{
		`manager.go:`, `] Started "cloud-node-controller"`, `] Started "pv-label-controller"`, "Successfully initialized node node-1 with cloud provider",
		`"Event occurred" object="default/web"`, `reason="EnsuredLoadBalancer"`,
	} {
		if strings.Count(log, text) == 0 {
			t.Errorf("no %q in the log", text)
		}
	}
	if n := strings.Count(log, "] Starting service controller\n"); n != 1 {
		t.Errorf("the service controller starts %d times in the log", n)
	}
}

// TestErrors: what ends a process ends the run, with the same words.
func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		flags []string
		err   string
	}{
		{"unknown flag", flags("--x"), "unknown flag: --x"},
		{"bad value", flags("--node-monitor-period=soon"), `invalid argument "soon" for "--node-monitor-period" flag: time: invalid duration "soon"`},
		{"argument", flags("x"), `"cloud-controller-manager" does not take any arguments, got ["x"]`},
		{"no provider", flags("--cloud-provider="), "--cloud-provider cannot be empty"},
		{"unknown controller", flags("--controllers=*,-x"), `"x" is not in the list of known controllers`},
		{"feature gates", flags("--feature-gates=ContextualLogging=true"),
			`invalid argument "ContextualLogging=true" for "--feature-gates" flag: feature gates are global to this program: run the CCM as a process of its own`},
		{"leader migration", flags("--leader-elect", "--enable-leader-migration"), "--enable-leader-migration: not implemented here: run the CCM as a process of its own"},
		{"no range", flags("--cluster-cidr="), `error running controllers: invalid CIDR[0]: <nil> (invalid CIDR address: )`},
		{"two ranges of a family", flags("--cluster-cidr=10.0.0.0/16,10.1.0.0/16"), "error running controllers: len of ClusterCIDRs==2 and they are not configured as dual stack (at least one from each IPFamily"},
		{"a bad election", flags("--leader-elect", "--leader-elect-lease-duration=1s"), "panic: leaseDuration must be greater than renewDeadline"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, access, _ := openAPI(t)
				provider, _ := openCloud(t)
				var log strings.Builder
				err := controllers.Run(t.Context(), controllers.Config{Kube: access, Open: opened(provider), Flags: c.flags, Log: &log})
				if err == nil || err.Error() != c.err || !strings.Contains(log.String(), c.err) {
					t.Errorf("got %v, want %s, in the log:\n%s", err, c.err, &log)
				}
			})
		})
	}
}

// TestAPIDown: an API server that does not answer is waited for as long as the app does.
func TestAPIDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, access, _ := openAPI(t)
		access.Transport = wire.New().Transport() // where no one listens
		provider, _ := openCloud(t)
		begun := time.Now()
		err := controllers.Run(t.Context(), controllers.Config{Kube: access, Open: opened(provider), Flags: flags(), Log: io.Discard})
		if err == nil || !strings.HasPrefix(err.Error(), "error building controller context: failed to wait for apiserver being healthy: ") || time.Since(begun).Round(time.Second) != 10*time.Second {
			t.Errorf("got %v after %s", err, time.Since(begun))
		}
	})
}

// TestControllers: --controllers chooses, by aliases too.
func TestControllers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, access, _ := openAPI(t)
		provider, _ := openCloud(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var log strings.Builder
		c := controllers.Config{Kube: access, Open: opened(provider), Flags: flags("--controllers=*,-route", "--configure-cloud-routes"), Log: &log}
		if err := controllers.Run(ctx, c); err != nil {
			t.Error(err)
		}
		if started := strings.Count(log.String(), "] Started "); started != 3 || !strings.Contains(log.String(), `"node-route-controller" is disabled`) {
			t.Errorf("%d controllers started:\n%s", started, &log)
		}
	})
}

// panicky is a provider that panics when a controller asks for an instance, or earlier.
type panicky struct {
	*ccm.Cloud
	early bool
}

func (p panicky) InstancesV2() (cloudprovider.InstancesV2, bool) {
	if p.early {
		panic("early")
	}
	instances, ok := p.Cloud.InstancesV2()
	return panickyInstances{instances}, ok
}

type panickyInstances struct{ cloudprovider.InstancesV2 }

func (panickyInstances) InstanceMetadata(context.Context, *v1.Node) (*cloudprovider.InstanceMetadata, error) {
	var none *v1.Node
	return &cloudprovider.InstanceMetadata{ProviderID: none.Spec.ProviderID}, nil
}

// TestPanic: a provider that panics ends the run as it ends a process, and nothing is asked of the cluster after that.
func TestPanic(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, flag, err, line string
		early                 bool
	}{
		{"worker", "--leader-elect=false", "panic: runtime error: invalid memory address or nil pointer dereference", `"Observed a panic" panic="runtime error: invalid memory`, false},
		{"start", "--leader-elect=false", "panic: early", "panic: early\n\ngoroutine ", true},
		{"leader's start", "--leader-elect=true", "panic: early", "panic: early\n\ngoroutine ", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, access, kube := openAPI(t)
				provider, _ := openCloud(t)
				createNode(t, kube)
				var log strings.Builder
				err := controllers.Run(t.Context(), controllers.Config{Kube: access, Open: opened(panicky{provider, c.early}), Flags: flags(c.flag), Log: &log})
				if err == nil || err.Error() != c.err || !strings.Contains(log.String(), c.line) || !strings.Contains("\n"+log.String(), "\n"+c.err) {
					t.Errorf("got %v, and the log\n%s", err, &log)
				}
			})
		})
	}
}

// waiting is a provider whose calls wait for the end of the process, whatever their context.
type waiting struct {
	*ccm.Cloud
	asked, ended chan struct{}
}

func (w waiting) InstancesV2() (cloudprovider.InstancesV2, bool) {
	instances, ok := w.Cloud.InstancesV2()
	return waitingInstances{instances, w}, ok
}

type waitingInstances struct {
	cloudprovider.InstancesV2
	waiting
}

func (w waitingInstances) InstanceMetadata(context.Context, *v1.Node) (*cloudprovider.InstanceMetadata, error) {
	close(w.asked)
	<-w.ended
	return nil, context.Canceled
}

// TestEnded: what waits for the end of the process returns then, and takes no time.
func TestEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, access, kube := openAPI(t)
		provider, _ := openCloud(t)
		createNode(t, kube)
		w := waiting{provider, make(chan struct{}), make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		var told time.Time
		go func() {
			<-w.asked
			told = time.Now()
			cancel()
		}()
		err := controllers.Run(ctx, controllers.Config{Kube: access, Open: opened(w), Flags: flags(), Log: io.Discard, Ended: func() { close(w.ended) }})
		if took := time.Since(told); err != nil || took > 5*time.Second {
			t.Errorf("%v after %s", err, took)
		}
	})
}

// TestLeader: a CCM works while it holds the lease; one that loses it ends, and one that ends may release it.
func TestLeader(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		release bool
		lose    bool
		cause   error // of the end
		err     error
		holder  string // in the end
	}{
		{"ends", false, false, nil, nil, "me"},
		{"releases", true, false, nil, nil, ""},
		{"is killed", true, false, virtual.ErrKilled, nil, "me"},
		{"loses", true, true, nil, errors.New("leader election lost"), "other"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, access, kube := openAPI(t)
				provider, _ := openCloud(t)
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Minute, func() { cancel(c.cause) })
				leases := kube.CoordinationV1().Leases("kube-system")
				if c.lose {
					// The leader renews it at even seconds.
					time.AfterFunc(31*time.Second, func() { takeLease(t, leases) })
				}
				var log strings.Builder
				err := controllers.Run(ctx, controllers.Config{
					Kube: access, Open: opened(provider), Log: &log, Identity: "me", ReleaseLease: c.release,
					Flags: flags("--leader-elect=true", "--leader-elect-resource-name=own"),
				})
				if fmt.Sprint(err) != fmt.Sprint(c.err) || !strings.Contains(log.String(), `] Started "cloud-node-controller"`) {
					t.Errorf("got %v, want %v, and the log\n%s", err, c.err, &log)
				}
				lease, err := leases.Get(t.Context(), "own", metav1.GetOptions{})
				if err != nil || ptr.Deref(lease.Spec.HolderIdentity, "") != c.holder {
					t.Errorf("%v: %v", lease, err)
				}
			})
		})
	}
}

// takeLease makes another the leader.
func takeLease(t *testing.T, leases typedcoordinationv1.LeaseInterface) {
	lease, err := leases.Get(t.Context(), "own", metav1.GetOptions{})
	if err != nil {
		t.Error(err)
		return
	}
	lease.Spec.HolderIdentity, lease.Spec.RenewTime = ptr.To("other"), ptr.To(metav1.NowMicro())
	if _, err := leases.Update(t.Context(), lease, metav1.UpdateOptions{}); err != nil {
		t.Error(err)
	}
}

// TestStandby: a CCM that does not lead does nothing, and ends.
func TestStandby(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, access, _ := openAPI(t)
		provider, _ := openCloud(t)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		leading := make(chan error, 1)
		run := func(identity string, log io.Writer) error {
			return controllers.Run(ctx, controllers.Config{Kube: access, Open: opened(provider), Log: log, Identity: identity, Flags: flags("--leader-elect=true")})
		}
		go func() { leading <- run("first", io.Discard) }()
		time.Sleep(time.Second)
		var log strings.Builder
		if err := errors.Join(run("second", &log), <-leading); err != nil || strings.Contains(log.String(), "Started") {
			t.Errorf("%v:\n%s", err, &log)
		}
	})
}

// opened opens a provider that is open already.
func opened(cloud cloudprovider.Interface) func(context.Context) (cloudprovider.Interface, error) {
	return func(context.Context) (cloudprovider.Interface, error) { return cloud, nil }
}
