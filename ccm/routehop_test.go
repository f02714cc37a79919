package ccm

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func byAddress(cfg *config.Config) { cfg.RouteNextHop = config.RouteToAddress }

// withAddresses gives a Node internal addresses, and one that no route may lead to.
func withAddresses(node *v1.Node, internal ...string) *v1.Node {
	node.Status.Addresses = []v1.NodeAddress{{Type: v1.NodeExternalIP, Address: "198.18.0.9"}, {Type: v1.NodeHostName, Address: node.Name}}
	for _, ip := range internal {
		node.Status.Addresses = append(node.Status.Addresses, v1.NodeAddress{Type: v1.NodeInternalIP, Address: ip})
	}
	return node
}

// routeTo is what the controller asks for.
func routeTo(node *v1.Node, cidr string) *cloudprovider.Route {
	return &cloudprovider.Route{TargetNode: types.NodeName(node.Name), TargetNodeAddresses: node.Status.Addresses, DestinationCIDR: cidr}
}

// TestRoutesToAddresses: a route of each family leads to the Node's address of
// that family, by no question about its instance, and is seen to be right only
// while the Node has that address.
func TestRoutesToAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0, byAddress)
	node := withAddresses(nodeOf("node-1", "metal://rack/7"), "10.0.0.7", "FD00::0007", "10.0.0.8")
	w.know(node)
	for _, cidr := range []string{"10.244.0.0/24", "fd44::/64"} {
		if err := w.cloud.routes.CreateRoute(w.ctx(), ccmtest.Cluster, "hint", routeTo(node, cidr)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"ListRouteTables", "CreateRoute", "CreateRoute"}, w.took()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	hops := map[string]simcloud.NextHop{}
	for _, r := range w.state().RouteTables[0].Routes {
		hops[r.Destination] = r.NextHop
	}
	want := map[string]simcloud.NextHop{"10.244.0.0/24": {Address: "10.0.0.7"}, "fd44::/64": {Address: "fd00::7"}}
	if diff := cmp.Diff(want, hops); diff != "" {
		t.Errorf("next hops (-want +got):\n%s", diff)
	}
	for _, r := range w.listRoutes() {
		if diff := cmp.Diff(node.Status.Addresses, r.TargetNodeAddresses); !r.EnableNodeAddresses || r.TargetNode != "node-1" || diff != "" {
			t.Errorf("route %+v: addresses (-want +got):\n%s", r, diff)
		}
	}
	moved := withAddresses(nodeOf("node-1", "metal://rack/7"), "10.0.0.99", "fd00::7")
	w.know(moved)
	for _, r := range w.listRoutes() {
		if right := len(r.TargetNodeAddresses) == len(moved.Status.Addresses); right != (r.DestinationCIDR == "fd44::/64") {
			t.Errorf("the Node has moved: route %+v", r)
		}
	}
}

func TestANodeWithoutAnAddressOfTheFamily(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0, byAddress)
	node := withAddresses(namedNode("node-1"), "10.0.0.7")
	if err := w.cloud.routes.CreateRoute(w.ctx(), ccmtest.Cluster, "hint", routeTo(node, "fd44::/64")); err == nil {
		t.Error("no error")
	}
	if calls := w.took(); len(calls) > 0 {
		t.Errorf("calls: %v", calls)
	}
}

// A cluster whose config has changed moves its routes from one kind of next hop to the other.
func TestRoutesChangeTheirKind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	node := withAddresses(w.nodes[0], "10.0.0.7")
	w.know(node)
	for _, hop := range []config.RouteNextHop{config.RouteToInstance, config.RouteToAddress, config.RouteToInstance} {
		cfg := w.cloud.config
		cfg.RouteNextHop = hop
		w.restart(cfg)
		w.know(node)
		for _, r := range w.listRoutes() {
			if r.TargetNode != "" && (!r.EnableNodeAddresses || len(r.TargetNodeAddresses) == len(node.Status.Addresses)) {
				t.Errorf("%s: the route of before is taken for right: %+v", hop, r)
			}
		}
		if err := w.cloud.routes.CreateRoute(w.ctx(), ccmtest.Cluster, "hint", routeTo(node, "10.244.0.0/24")); err != nil {
			t.Fatal(err)
		}
		routes := w.state().RouteTables[0].Routes
		if len(routes) != 1 || (routes[0].NextHop.Instance != "") != (hop == config.RouteToInstance) {
			t.Errorf("%s: routes %v", hop, routes)
		}
	}
}

// The route controller tries again at once only what looks like a conflict of Kubernetes.
func TestABusyRouteTableIsAConflict(t *testing.T) {
	t.Parallel()
	for _, code := range simcloud.Codes() {
		w := newWorld(t, 1)
		w.know(w.nodes...)
		w.failing = func(operation string, _ int) failure {
			if operation == "CreateRoute" {
				return failure{err: &simcloud.Error{Code: code}}
			}
			return failure{}
		}
		err := w.createRoute("node-1", "10.244.0.0/24")
		want := code == simcloud.Locked || code == simcloud.Conflict
		if apierrors.IsConflict(err) != want || code != simcloud.AlreadyExists && !errors.Is(err, code) {
			t.Errorf("%s: %v; want a conflict %v", code, err, want)
		}
	}
}
