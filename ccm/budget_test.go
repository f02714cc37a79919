package ccm

import (
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/ccm/budget"
	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
)

// sharing is the config of a provider that shares its lookups.
func sharing(cfg *config.Config) { cfg.InstanceListAge = 2 * time.Second }

// newFleet opens a cloud with n instances and the Nodes of them, initialised and known.
func newFleet(t *testing.T, n int) *world {
	t.Helper()
	w := newWorld(t, n, sharing)
	for i, node := range w.nodes {
		node.UID = types.UID(fmt.Sprintf("node-uid-%d", i))
	}
	w.know(w.nodes...)
	return w
}

// spent counts the calls since the last time.
func (w *world) spent() budget.Calls {
	calls := w.took()
	wrote := len(writes(calls))
	return budget.Calls{Reads: len(calls) - wrote, Writes: wrote}
}

// wantSpent reports calls beyond a budget.
func (w *world) wantSpent(what string, most budget.Calls) {
	w.t.Helper()
	if got := w.spent(); got.Reads > most.Reads || got.Writes > most.Writes {
		w.t.Errorf("%s: %+v calls, at most %+v are stated", what, got, most)
	}
}

// look asks for the metadata of all nodes, as the controller does.
func (w *world) look(nodes []*v1.Node) {
	w.t.Helper()
	for _, node := range nodes {
		if _, err := w.cloud.instances.InstanceMetadata(w.ctx(), node); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) later(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// TestBudget holds the stated numbers of calls against a cloud, for clusters of four sizes.
func TestBudget(t *testing.T) {
	t.Parallel()
	for nodes, pass := range map[int]int{1: 1, 10: 2, 100: 2, 1000: 2} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			t.Parallel()
			w := newFleet(t, nodes)
			shape := budget.Shape{Nodes: nodes, Services: 3}
			for range 3 {
				w.later(5 * time.Minute)
				w.look(w.nodes)
				if got := w.spent(); got != (budget.Calls{Reads: pass}) || pass != budget.PassCalls(nodes, nodes) {
					t.Errorf("a pass: %+v calls, want %d reads; %d are stated", got, pass, budget.PassCalls(nodes, nodes))
				}
			}
			testIdleBudget(w, shape)
			testInitializationBudget(w, shape)
			testServiceBudget(w, shape)
		})
	}
}

// testIdleBudget lives through ten minutes with all Nodes not ready.
func testIdleBudget(w *world, shape budget.Shape) {
	w.t.Helper()
	shape.NotReady = shape.Nodes
	for second := 0; second <= 600; second += 5 {
		for _, node := range w.nodes {
			exists, err := w.cloud.instances.InstanceExists(w.ctx(), node)
			if _, shutErr := w.cloud.instances.InstanceShutdown(w.ctx(), node); !exists || err != nil || shutErr != nil {
				w.t.Fatal(exists, err, shutErr)
			}
		}
		if second%10 == 0 {
			w.listRoutes()
		}
		if second%300 == 0 {
			w.look(w.nodes)
		}
		w.later(5 * time.Second)
	}
	w.wantSpent("idle", budget.Calls{Reads: shape.Idle(10*time.Minute).Reads + budget.OnceCalls})
}

// testInitializationBudget takes in all Nodes with a new process.
func testInitializationBudget(w *world, shape budget.Shape) {
	w.t.Helper()
	var joined []*v1.Node
	for i, node := range w.nodes {
		joined = append(joined, namedNode(node.Name))
		joined[i].UID = node.UID
	}
	w.restart(w.cloud.config)
	w.know(joined...)
	w.look(joined)
	if got := w.spent(); got != (budget.Calls{Reads: budget.ListCalls(shape.Nodes)}) {
		w.t.Errorf("Nodes that join together: %+v calls, want one list", got)
	}
	w.know(w.nodes...)
	w.look(w.nodes)
	for i, node := range w.nodes[:min(len(w.nodes), 100)] {
		if err := w.createRoute(node.Name, fmt.Sprintf("10.%d.%d.0/24", 100+i/256, i%256)); err != nil {
			w.t.Fatal(err)
		}
	}
	w.wantSpent("initialization", shape.Initialization(0))
}

// testServiceBudget makes Services, removes a Node, restarts the provider, and removes them.
func testServiceBudget(w *world, shape budget.Shape) {
	w.t.Helper()
	var services []*v1.Service
	for i := range shape.Services {
		services = append(services, ccmtest.Service(func(svc *v1.Service) { svc.UID = types.UID(fmt.Sprintf("uid-%d", i)) }))
	}
	all := w.nodes
	w.nodes = all[:min(len(all), 50)]
	for _, svc := range services {
		w.mustEnsure(svc)
	}
	w.wantSpent("new Services", shape.CreateServices())
	w.nodes = w.nodes[1:]
	for _, svc := range services {
		if err := w.cloud.balancers.UpdateLoadBalancer(w.ctx(), ccmtest.Cluster, svc, w.nodes); err != nil {
			w.t.Fatal(err)
		}
	}
	w.wantSpent("a Node goes", shape.ChangeNodes(1))
	w.restart(w.cloud.config)
	w.know(all...)
	for _, svc := range services {
		w.wantIdle(svc)
	}
	w.restart(w.cloud.config)
	w.know(all...)
	w.took()
	w.look(all)
	w.listRoutes()
	for _, svc := range services {
		w.mustEnsure(svc)
	}
	w.wantSpent("a new process", shape.Start())
	for _, svc := range services {
		w.mustRemove(svc)
	}
	w.wantSpent("Services that go", shape.DeleteServices())
}
