package scenarios

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestControlPlaneIsHidden: a control plane that is a Node is in none of the
// variables, in no inventory, and nothing that is left over.
func TestControlPlaneIsHidden(t *testing.T) {
	mark := map[string]any{e2e.LabelControlPlane: "true"}
	c := newFakeCluster(t)
	putControlPlane := func(at string) {
		c.cloud.put(simcloud.KindInstance, "i-0", map[string]any{
			"name": "control", "hostname": "control", "state": "running", "labels": mark,
			"addresses": []any{map[string]any{"address": "10.0.0.1"}, map[string]any{"address": at}},
		})
	}
	putRoutes := func(hops ...map[string]any) {
		var routes []any
		for i, hop := range hops {
			routes = append(routes, map[string]any{"id": "r-" + string(rune('0'+i)), "destination": "10.244.0.0/24", "nextHop": hop})
		}
		c.cloud.put(simcloud.KindRouteTable, "rt-1", map[string]any{"name": "default", "routes": routes})
	}
	putControlPlane("10.0.0.2")
	putRoutes(map[string]any{"instance": "i-0"})
	node := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": "control", "uid": "control", "labels": mark},
	}}
	if err := c.kube.Tracker().Create(watched[0].gvr, node, ""); err != nil {
		t.Fatal(err)
	}
	c.controls.restarted = func() { // in the middle of the steps
		putControlPlane("10.0.0.3")
		putRoutes(map[string]any{"instance": "i-0"}, map[string]any{"instance": "i-node-1"}, map[string]any{"address": "10.0.0.3"}, map[string]any{"instance": "i-9"})
	}
	r := performSpec(t, c, `nodes: 1
  ccm: stopped
  skipOracles: [leak]
  steps:
  - expect: [nodes.size() == 1, instances.size() == 1, '"routes" in routeTables[0] ? routeTables[0].routes.size() == 0 : true']
  - simulator: restart
  - within: 10s
    expect: routeTables[0].routes.map(r, r.id) == ["r-1", "r-3"]
  - expect: [nodes.size() == 1, instances.size() == 1]
`)
	passes(t, r)
	for _, line := range r.Inventory {
		if strings.HasPrefix(line, "instance/i-0") || strings.HasPrefix(line, "route/r-0") || strings.HasPrefix(line, "route/r-2") {
			t.Errorf("the inventory has %q", line)
		}
	}
	if len(r.Inventory) == 0 {
		t.Error("there is no inventory")
	}
}
