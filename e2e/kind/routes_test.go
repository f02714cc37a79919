package kind

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/mirror"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// rack has nodes that know of ip what routeMaker asks of it.
type rack struct {
	mu      sync.Mutex
	routes  map[string]map[string]string // by node: the cloud's routes, gateways by destination
	frozen  map[string]bool
	stuck   string // the node on which no program ends
	ran     int    // programs
	changed chan struct{}
}

func newRack(names ...string) *rack {
	r := &rack{routes: map[string]map[string]string{}, frozen: map[string]bool{}, changed: make(chan struct{})}
	for _, name := range names {
		r.routes[name] = map[string]string{}
	}
	return r
}

func (r *rack) NodeNames(context.Context) ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.routes)), nil
}

func (r *rack) NodesChanged() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// boot restarts a node, without routes.
func (r *rack) boot(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.routes[name] = map[string]string{}
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *rack) freeze(name string, frozen bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.frozen[name] = frozen
}

// stick lets no program end on a node, or on none.
func (r *rack) stick(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stuck = name
}

func (r *rack) sticks(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stuck == name
}

func (r *rack) Exec(ctx context.Context, node string, stdin io.Reader, argv ...string) ([]byte, error) {
	if r.sticks(node) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ran++
	if r.frozen[node] {
		return nil, errors.New("the container is paused")
	}
	switch argv[0] {
	case "sh":
		return r.show(node)
	case "ip":
		return nil, r.batch(node, stdin)
	}
	return nil, fmt.Errorf("no such program: %q", argv)
}

func (r *rack) show(node string) ([]byte, error) {
	lists := [2][]map[string]string{{}, {}}
	for dst, gateway := range r.routes[node] {
		family := 0
		if strings.Contains(dst, ":") {
			family = 1
		}
		lists[family] = append(lists[family], map[string]string{"dst": dst, "gateway": gateway, "protocol": "177"})
	}
	v4, err := json.Marshal(lists[0])
	if err != nil {
		return nil, err
	}
	v6, err := json.Marshal(lists[1])
	return append(append(v4, ' '), v6...), err
}

func (r *rack) batch(node string, commands io.Reader) error {
	lines := bufio.NewScanner(commands)
	for lines.Scan() {
		var verb, to, via string
		if _, err := fmt.Sscanf(lines.Text(), "route %s %s via %s proto 177", &verb, &to, &via); err != nil {
			return fmt.Errorf("%q: %w", lines.Text(), err)
		}
		if verb == "replace" {
			r.routes[node][to] = via
		} else {
			delete(r.routes[node], to)
		}
	}
	return lines.Err()
}

// want fails the test unless before long the nodes have these routes, such as "a: 10.244.2.0/24 via 10.1.0.2".
func (r *rack) want(t *testing.T, when string, want ...string) {
	t.Helper()
	deadline, tick := time.Now().Add(20*time.Second), time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for ; ; <-tick.C {
		var got []string
		r.mu.Lock()
		for _, node := range slices.Sorted(maps.Keys(r.routes)) {
			for _, to := range slices.Sorted(maps.Keys(r.routes[node])) {
				got = append(got, fmt.Sprintf("%s: %s via %s", node, to, r.routes[node][to]))
			}
		}
		r.mu.Unlock()
		diff := cmp.Diff(want, got)
		if diff == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s (-want +got):\n%s", when, diff)
		}
	}
}

// routed is a cloud whose routes are made on the nodes of a rack, and its two VMs.
type routed struct {
	*testing.T
	*rack
	cloud simcloud.API
	vms   map[string]simcloud.Instance
}

func route2(t *testing.T) routed {
	t.Helper()
	cloud := simtest.New(t)
	r := routed{t, newRack("a", "b"), cloud, map[string]simcloud.Instance{}}
	for _, name := range []string{"a", "b"} {
		made, err := cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		r.vms[name] = made.Resource
	}
	copied, err := mirror.Open(t.Context(), cloud, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { copied.Run(ctx) })
	maker := newRouteMaker(copied, r.rack, func(line string) { t.Log(line) })
	maker.patience = 100 * time.Millisecond
	running.Go(func() { maker.run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return r
}

// create makes a route to a VM, and returns its id and the VM's address.
func (r routed) create(destination, name string) (id simcloud.ID, via string) {
	r.Helper()
	vm := r.vms[name]
	made, err := r.cloud.CreateRoute(r.Context(), "rt-1", simcloud.RouteSpec{
		Destination: destination, NextHop: simcloud.NextHop{Instance: vm.ID},
	})
	if err != nil {
		r.Fatal(err)
	}
	return made.Resource.Routes[len(made.Resource.Routes)-1].ID, privateAddresses(vm)[0].String()
}

func (r routed) drop(id simcloud.ID) {
	r.Helper()
	if _, err := r.cloud.DeleteRoute(r.Context(), "rt-1", id); err != nil {
		r.Fatal(err)
	}
}

// TestRoutesAreMade and taken away as those of the cloud come and go.
func TestRoutesAreMade(t *testing.T) {
	t.Parallel()
	r := route2(t)
	first, a := r.create("10.244.1.0/24", "a")
	_, b := r.create("10.244.2.0/24", "b")
	r.want(t, "a route to each", "a: 10.244.2.0/24 via "+b, "b: 10.244.1.0/24 via "+a)
	r.drop(first)
	r.want(t, "one route less", "a: 10.244.2.0/24 via "+b)
	if _, err := r.cloud.DeleteInstance(t.Context(), r.vms["b"].ID); err != nil {
		t.Fatal(err)
	}
	r.want(t, "the next hop is gone")
}

// TestRoutesMove: a destination may get another next hop.
func TestRoutesMove(t *testing.T) {
	t.Parallel()
	r := route2(t)
	r.boot("c") // a machine without a VM
	first, a := r.create("10.244.7.0/24", "a")
	r.want(t, "at first", "b: 10.244.7.0/24 via "+a, "c: 10.244.7.0/24 via "+a)
	r.drop(first)
	_, b := r.create("10.244.7.0/24", "b")
	r.want(t, "then", "a: 10.244.7.0/24 via "+b, "c: 10.244.7.0/24 via "+b)
}

// TestRoutesComeBack to a node that has booted or has come back to the
// network, and to one that could not be asked for a while.
func TestRoutesComeBack(t *testing.T) {
	t.Parallel()
	r := route2(t)
	_, a := r.create("10.244.1.0/24", "a")
	r.want(t, "at first", "b: 10.244.1.0/24 via "+a)
	r.boot("b")
	r.want(t, "booted", "b: 10.244.1.0/24 via "+a)
	r.freeze("b", true)
	second, _ := r.create("10.244.3.0/24", "a")
	_, b := r.create("10.244.2.0/24", "b")
	r.want(t, "one is frozen", "a: 10.244.2.0/24 via "+b, "b: 10.244.1.0/24 via "+a)
	r.drop(second)
	r.freeze("b", false)
	r.create("10.244.4.0/24", "a")
	r.want(t, "it is thawed", "a: 10.244.2.0/24 via "+b, "b: 10.244.1.0/24 via "+a, "b: 10.244.4.0/24 via "+a)
}

// TestRoutesBesideAStuckNode: one that is frozen while it is at work holds up no other.
func TestRoutesBesideAStuckNode(t *testing.T) {
	t.Parallel()
	r := route2(t)
	_, a := r.create("10.244.1.0/24", "a")
	r.want(t, "at first", "b: 10.244.1.0/24 via "+a)
	r.stick("b")
	r.create("10.244.3.0/24", "a")
	_, b := r.create("10.244.2.0/24", "b")
	r.want(t, "one is stuck", "a: 10.244.2.0/24 via "+b, "b: 10.244.1.0/24 via "+a)
	r.stick("")
	r.want(t, "it goes on", "a: 10.244.2.0/24 via "+b, "b: 10.244.1.0/24 via "+a, "b: 10.244.3.0/24 via "+a)
}

// TestRoutesAreNotAskedFor when nothing of them has changed.
func TestRoutesAreNotAskedFor(t *testing.T) {
	t.Parallel()
	r := route2(t)
	_, a := r.create("10.244.1.0/24", "a")
	r.want(t, "at first", "b: 10.244.1.0/24 via "+a)
	r.mu.Lock()
	before := r.ran
	r.mu.Unlock()
	for range 10 {
		if _, err := r.cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "other"}); err != nil {
			t.Fatal(err)
		}
	}
	r.create("10.244.5.0/24", "a")
	r.want(t, "one more", "b: 10.244.1.0/24 via "+a, "b: 10.244.5.0/24 via "+a)
	r.mu.Lock()
	defer r.mu.Unlock()
	if ran := r.ran - before; ran > 4 { // two on b, and two more when both were seen at their first
		t.Errorf("%d programs ran for one route on one node", ran)
	}
}
