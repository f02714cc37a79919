package ccm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	lbpkg "github.com/simcloud-dev/simcloud/ccm/lb"
	"github.com/simcloud-dev/simcloud/ccm/node"
	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// world is a simulated cloud, the provider that works with it, and a record of
// what passes between them.
type world struct {
	t     *testing.T
	api   simulator // the cloud itself, as its owner sees it
	cloud *Cloud
	nodes []*v1.Node
	// cluster is the name of the cluster that the provider works for.
	cluster string

	mu      sync.Mutex
	calls   []string
	failing func(operation string, n int) failure
	late    func() // what the cloud has yet to carry out
	events  *record.FakeRecorder
	now     time.Time
	pause   func(ctx context.Context, d time.Duration) error // of the provider; it steps the time
}

// simulator is what tests need of a cloud.
type simulator interface {
	simcloud.API
	simcloud.Control
}

// failure is what befalls a call.
type failure struct {
	err    error
	commit bool // the cloud does what was asked, and the answer is lost
	late   bool // the cloud does it after the next call
}

// lost is how a client tells of an answer that did not come.
func lost() error { return simcloud.Errorf(simcloud.Unavailable, "", "connection reset") }

// newWorld opens a cloud with nodes node-1 to node-n, and a provider.
func newWorld(t *testing.T, nodes int, edit ...func(*config.Config)) *world {
	t.Helper()
	return newWorldIn(t, simtest.New(t), nodes, edit...)
}

// newWorldIn is newWorld in a cloud that is open.
func newWorldIn(t *testing.T, api simulator, nodes int, edit ...func(*config.Config)) *world {
	t.Helper()
	w := &world{t: t, api: api, now: time.Now(), cluster: ccmtest.Cluster}
	for i := range nodes {
		w.nodes = append(w.nodes, w.boot(fmt.Sprintf("node-%d", i+1)))
	}
	cfg := config.Default()
	cfg.InstanceListAge = 0 // time stands still here: what is shared would serve for ever
	for _, e := range edit {
		e(&cfg)
	}
	w.restart(cfg)
	return w
}

// restart replaces the provider by a new process: it knows nothing.
func (w *world) restart(cfg config.Config) {
	w.pause = func(_ context.Context, d time.Duration) error {
		w.later(d)
		return nil
	}
	w.cloud = newCloud(client.Around(w.api, w.around), cfg, node.Clock{
		Now:   func() time.Time { return w.now },
		Pause: func(ctx context.Context, d time.Duration) error { return w.pause(ctx, d) },
	})
	w.events = record.NewFakeRecorder(1000)
	w.cloud.events.RecordTo(w.events)
}

// balance has the provider call another API for load balancers. It knows nothing of what was done before.
func (w *world) balance(api lbpkg.API) {
	c := w.cloud
	c.balancers = lbpkg.New(api, c.config, lbpkg.Deps{
		Regions: providerid.NewRegions(c.api, c.config.Region), Services: c.services, Events: c.events, Turns: c.turns, Now: func() time.Time { return w.now },
	})
}

// around records a call, and lets it fail as the test says.
func (w *world) around(operation string, call func() error) error {
	w.mu.Lock()
	w.calls = append(w.calls, operation)
	var f failure
	if w.failing != nil {
		f = w.failing(operation, len(w.calls))
	}
	late := w.late
	w.late = nil
	if f.late {
		w.late = func() { _ = call() }
	}
	w.mu.Unlock()
	if late != nil {
		defer late()
	}
	if f.err == nil || f.commit {
		if err := call(); err != nil {
			return err
		}
	}
	return f.err
}

// took returns the calls since the last one, and forgets them.
func (w *world) took() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	calls := w.calls
	w.calls = nil
	return calls
}

// writes are those calls that change the cloud.
func writes(calls []string) []string {
	all := []string{}
	for _, operation := range calls {
		if endpoint, _ := simcloud.EndpointOf(operation); endpoint.Write() {
			all = append(all, operation)
		}
	}
	return all
}

// told returns the Events since the last time.
func (w *world) told() []string {
	all := []string{}
	for {
		select {
		case event := <-w.events.Events:
			all = append(all, event)
		default:
			return all
		}
	}
}

func (w *world) ctx() context.Context { return w.t.Context() }

// boot makes an instance and returns its initialised Node.
func (w *world) boot(name string) *v1.Node {
	w.t.Helper()
	r, err := w.api.CreateInstance(w.ctx(), simcloud.InstanceSpec{Name: name})
	if err != nil {
		w.t.Fatal(err)
	}
	node := namedNode(name)
	node.Spec.ProviderID = providerid.ID{Region: r.Resource.Region, Instance: r.Resource.ID}.String()
	return node
}

// namedNode is a Node that has not been initialised.
func namedNode(name string) *v1.Node {
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func (w *world) ensure(svc *v1.Service) (*v1.LoadBalancerStatus, error) {
	return w.cloud.balancers.EnsureLoadBalancer(w.ctx(), w.cluster, svc, w.nodes)
}

func (w *world) mustEnsure(svc *v1.Service) *v1.LoadBalancerStatus {
	w.t.Helper()
	status, err := w.ensure(svc)
	if err != nil {
		w.t.Fatalf("EnsureLoadBalancer: %v", err)
	}
	return status
}

// remove does what the service controller does when a Service goes.
func (w *world) remove(svc *v1.Service) error {
	_, exists, err := w.cloud.balancers.GetLoadBalancer(w.ctx(), w.cluster, svc)
	if err != nil || !exists {
		return err
	}
	return w.cloud.balancers.EnsureLoadBalancerDeleted(w.ctx(), w.cluster, svc)
}

func (w *world) mustRemove(svc *v1.Service) {
	w.t.Helper()
	if err := w.remove(svc); err != nil {
		w.t.Fatalf("remove the Service: %v", err)
	}
}

func (w *world) state() simcloud.State {
	w.t.Helper()
	state, err := w.api.GetState(w.ctx())
	if err != nil {
		w.t.Fatal(err)
	}
	return state
}

// balancer returns the only load balancer.
func (w *world) balancer() simcloud.LoadBalancer {
	w.t.Helper()
	all := w.state().LoadBalancers
	if len(all) != 1 {
		w.t.Fatalf("there are %d load balancers, want 1", len(all))
	}
	return all[0]
}

// cloudLines says what the cloud has for Services, one fact a line.
func (w *world) cloudLines() []string {
	w.t.Helper()
	state, all := w.state(), []string{}
	for _, lb := range state.LoadBalancers {
		all = append(all, fmt.Sprintf("%s %s %s %s", lb.ID, lb.State, lb.Scheme, lb.Algorithm))
		for _, l := range lb.Listeners {
			all = append(all, lbpkg.Describe(l.ID, l.ListenerConfig))
		}
		for _, target := range lb.Targets {
			all = append(all, "target "+string(target.Instance))
		}
	}
	for _, ip := range state.FloatingIPs {
		all = append(all, fmt.Sprintf("%s at %s", ip.ID, ip.AttachedTo.ID))
	}
	return all
}

func (w *world) wantCloud(want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.cloudLines()); diff != "" {
		w.t.Errorf("the cloud (-want +got):\n%s", diff)
	}
}

// wantEmpty reports what is left of Services in the cloud.
func (w *world) wantEmpty() {
	w.t.Helper()
	if left := w.cloudLines(); len(left) > 0 {
		w.t.Errorf("left behind: %s", strings.Join(left, "; "))
	}
}

// wantIdle reports what the provider writes although everything is as it should be.
func (w *world) wantIdle(svc *v1.Service) {
	w.t.Helper()
	w.took()
	before := w.state().Revision
	w.mustEnsure(svc)
	if err := w.cloud.balancers.UpdateLoadBalancer(w.ctx(), w.cluster, svc, w.nodes); err != nil {
		w.t.Error(err)
	}
	if wrote := writes(w.took()); len(wrote) > 0 || w.state().Revision != before {
		w.t.Errorf("writes when nothing differs: %v (revision %d to %d)", wrote, before, w.state().Revision)
	}
}

func (w *world) wantEvent(prefix string) {
	w.t.Helper()
	events := w.told()
	if !slices.ContainsFunc(events, func(e string) bool { return strings.HasPrefix(e, prefix) }) {
		w.t.Errorf("no Event begins with %q: %q", prefix, events)
	}
}

// brokenAPI shows one load balancer in state error, which the simulator cannot be told to do.
type brokenAPI struct {
	lbpkg.API
	id simcloud.ID
}

func (b brokenAPI) ListLoadBalancers(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.LoadBalancer], error) {
	page, err := b.API.ListLoadBalancers(ctx, opts)
	for i := range page.Items {
		if page.Items[i].ID == b.id {
			page.Items[i].State, page.Items[i].StatusText = simcloud.LoadBalancerError, "out of order"
		}
	}
	return page, err
}

// breakLB brings a load balancer into state error: an operation on it ends so.
func (w *world) breakLB(id simcloud.ID) {
	w.t.Helper()
	faults := w.api.(fault.API)
	if _, err := faults.AddFault(w.ctx(), fault.Rule{
		Match:  fault.Match{Operation: "FailoverLoadBalancer"},
		Effect: fault.Effect{State: &fault.State{To: string(simcloud.LoadBalancerError)}},
	}); err != nil {
		w.t.Fatal(err)
	}
	result, err := w.api.FailoverLoadBalancer(w.ctx(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := faults.ClearFaults(w.ctx()); err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.api.WaitOperation(w.ctx(), result.Operation.ID); err != nil {
		w.t.Fatal(err)
	}
	if got := w.lb(id).State; got != simcloud.LoadBalancerError {
		w.t.Fatalf("load balancer %s is %s", id, got)
	}
}
