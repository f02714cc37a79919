package observe_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestControlPlaneIsHidden: a control plane that is a Node is in none of the
// variables, in no inventory, and nothing that is left over.
func TestControlPlaneIsHidden(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mark := map[string]any{e2e.LabelControlPlane: "true"}
		c := steptest.NewCluster(t)
		cloud := c.Cloud.Sim.Core()
		create := func(name string, labels map[string]string) simcloud.Instance {
			made, err := cloud.CreateInstance(context.Background(), simcloud.InstanceSpec{Name: name, Labels: labels})
			if err != nil {
				t.Fatal(err)
			}
			return made.Resource
		}
		tables := c.Cloud.State(t).RouteTables
		routes := 0
		route := func(hop simcloud.NextHop) {
			routes++
			spec := simcloud.RouteSpec{Destination: fmt.Sprintf("10.244.%d.0/24", routes), NextHop: hop}
			if _, err := cloud.CreateRoute(context.Background(), tables[0].ID, spec); err != nil {
				t.Error(err)
			}
		}
		control := create("control", map[string]string{e2e.LabelControlPlane: "true"}) // i-1
		gone := create("gone", nil)                                                    // i-2
		route(simcloud.NextHop{Instance: control.ID})
		route(simcloud.NextHop{Instance: gone.ID})
		if _, err := cloud.DeleteInstance(t.Context(), gone.ID); err != nil {
			t.Fatal(err)
		}
		node := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": "control", "uid": "control", "labels": mark},
		}}
		if err := c.Kube.Tracker().Create(observe.Watched[0].GVR, node, ""); err != nil {
			t.Fatal(err)
		}
		c.Control.Restarted = func() { // in the middle of the steps
			route(simcloud.NextHop{Instance: "i-3"})
			route(simcloud.NextHop{Address: control.Addresses[0].Address})
		}
		r := runtest.PerformSpec(t, c, `nodes: 1
  ccm: stopped
  skipOracles: [leak]
  steps:
  - expect: [nodes.size() == 1, instances.size() == 1, 'routeTables[0].routes.size() == 1']
  - simulator: restart
  - within: 10s
    expect: routeTables[0].routes.map(r, r.id) == ["r-2", "r-3"]
  - expect: [nodes.size() == 1, instances.size() == 1]
`)
		runtest.Passes(t, r)
		for _, line := range r.Inventory {
			if strings.HasPrefix(line, "instance/i-1 ") || strings.HasPrefix(line, "route/r-1") || strings.HasPrefix(line, "route/r-4") {
				t.Errorf("the inventory has %q", line)
			}
		}
		if len(r.Inventory) == 0 {
			t.Error("there is no inventory")
		}
	})
}
