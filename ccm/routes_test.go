package ccm

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

// know lets routes see these nodes as an informer would show them.
func (w *world) know(nodes ...*v1.Node) {
	w.t.Helper()
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, node := range nodes {
		if err := indexer.Add(node); err != nil {
			w.t.Fatal(err)
		}
	}
	w.cloud.nodes.Use(corelisters.NewNodeLister(indexer))
}

func (w *world) createRoute(node, cidr string) error {
	return w.cloud.routes.CreateRoute(w.ctx(), ccmtest.Cluster, "hint", &cloudprovider.Route{TargetNode: types.NodeName(node), DestinationCIDR: cidr})
}

func (w *world) listRoutes() []cloudprovider.Route {
	w.t.Helper()
	list, err := w.cloud.routes.ListRoutes(w.ctx(), ccmtest.Cluster)
	if err != nil {
		w.t.Fatal(err)
	}
	all := []cloudprovider.Route{}
	for _, r := range list {
		all = append(all, *r)
	}
	return all
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.know(w.nodes...)
	for node, cidr := range map[string]string{"node-1": "10.244.0.0/24", "node-2": "10.244.1.0/24"} {
		if err := w.createRoute(node, cidr); err != nil {
			t.Fatal(err)
		}
		if err := w.createRoute(node, cidr); err != nil {
			t.Errorf("the route that is there: %v", err)
		}
	}
	foreign := simcloud.RouteSpec{Destination: "10.244.9.0/24", NextHop: simcloud.NextHop{Instance: "i-1"}, Labels: map[string]string{label.Cluster: "other"}}
	if _, err := w.api.CreateRoute(w.ctx(), "rt-1", foreign); err != nil {
		t.Fatal(err)
	}
	w.took()
	list := w.listRoutes()
	if diff := cmp.Diff([]string{"GetRouteTable"}, w.took()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	slices.SortFunc(list, func(a, b cloudprovider.Route) int { return strings.Compare(a.DestinationCIDR, b.DestinationCIDR) })
	for i := range list {
		list[i].Name = ""
	}
	want := []cloudprovider.Route{{TargetNode: "node-1", DestinationCIDR: "10.244.0.0/24"}, {TargetNode: "node-2", DestinationCIDR: "10.244.1.0/24"}}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}

	for _, r := range w.listRoutes() {
		for range 2 { // the second time it is gone
			if err := w.cloud.routes.DeleteRoute(w.ctx(), ccmtest.Cluster, &r); err != nil {
				t.Error(err)
			}
		}
	}
	if left := w.state().RouteTables[0].Routes; len(left) != 1 || left[0].Destination != foreign.Destination {
		t.Errorf("left: %v, want the foreign route alone", left)
	}
}

// A route to an instance that is gone, or no longer the node's, has no node:
// the controller removes it and the node gets a new one, in whatever order.
func TestRoutesThatLeadNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.know(w.nodes...)
	for node, cidr := range map[string]string{"node-1": "10.244.0.0/24", "node-2": "10.244.1.0/24"} {
		if err := w.createRoute(node, cidr); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.api.DeleteInstance(w.ctx(), "i-1"); err != nil {
		t.Fatal(err)
	}
	successor, changed := w.boot("node-1"), w.boot("node-2")
	w.know(successor, changed)
	for _, r := range w.listRoutes() {
		if r.TargetNode != "" || r.Blackhole != (r.DestinationCIDR == "10.244.0.0/24") {
			t.Errorf("route %+v: want no node, and the first a blackhole", r)
		}
	}
	for node, cidr := range map[string]string{"node-1": "10.244.0.0/24", "node-2": "10.244.1.0/24"} {
		if err := w.createRoute(node, cidr); err != nil {
			t.Error(err)
		}
	}
	hops := map[string]simcloud.ID{}
	for _, r := range w.state().RouteTables[0].Routes {
		hops[r.Destination] = r.NextHop.Instance
	}
	if diff := cmp.Diff(map[string]simcloud.ID{"10.244.0.0/24": "i-3", "10.244.1.0/24": "i-4"}, hops); diff != "" {
		t.Errorf("next hops (-want +got):\n%s", diff)
	}
}

func TestAForeignRouteIsNotTakenOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	foreign := simcloud.RouteSpec{Destination: "10.244.0.0/24", NextHop: simcloud.NextHop{Address: "10.0.0.99"}}
	if _, err := w.api.CreateRoute(w.ctx(), "rt-1", foreign); err != nil {
		t.Fatal(err)
	}
	if err := w.createRoute("node-1", "10.244.0.0/24"); !errors.Is(err, simcloud.InUse) {
		t.Errorf("got %v, want InUse", err)
	}
	if routes := w.state().RouteTables[0].Routes; len(routes) != 1 || routes[0].NextHop != foreign.NextHop {
		t.Errorf("the routes are %v, want the foreign one as it was", routes)
	}
}

func TestARouteWithoutInstanceIsNotMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	if err := w.createRoute("node-1", "10.244.0.0/24"); err == nil {
		t.Error("no error")
	}
	if wrote := writes(w.took()); len(wrote) > 0 {
		t.Errorf("writes: %v", wrote)
	}
}

// Every failed call of a route's life is made good by the next pass of the controller.
func TestEveryRouteCallMayFail(t *testing.T) {
	t.Parallel()
	for _, commit := range []bool{false, true} {
		for call, more := 1, true; more; call++ {
			w := newWorld(t, 1)
			w.know(w.nodes...)
			more = false
			w.failing = func(_ string, n int) failure {
				if n != call {
					return failure{}
				}
				more = true
				return failure{err: lost(), commit: commit}
			}
			for range 2 {
				_ = w.createRoute("node-1", "10.244.0.0/24")
			}
			if routes := w.state().RouteTables[0].Routes; len(routes) != 1 {
				t.Fatalf("call %d, commit %v: %d routes, want 1", call, commit, len(routes))
			}
			for range 2 {
				routes, _ := w.cloud.routes.ListRoutes(w.ctx(), ccmtest.Cluster)
				for _, r := range routes {
					_ = w.cloud.routes.DeleteRoute(w.ctx(), ccmtest.Cluster, r)
				}
			}
			if routes := w.state().RouteTables[0].Routes; len(routes) != 0 {
				t.Errorf("call %d, commit %v: %d routes are left", call, commit, len(routes))
			}
		}
	}
}
