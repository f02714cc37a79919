package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// TestLackingNodes names some of the nodes that are waited for, and counts the others.
func TestLackingNodes(t *testing.T) {
	t.Parallel()
	node := func(name string, ready corev1.ConditionStatus, taints ...string) corev1.Node {
		n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}
		for _, taint := range taints {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: taint})
		}
		return n
	}
	items := []corev1.Node{node("a", corev1.ConditionTrue), node("b", corev1.ConditionFalse, "node.kubernetes.io/not-ready"), node("other", corev1.ConditionFalse)}
	var many []string
	for i := range 8 {
		many = append(many, fmt.Sprintf("n-%d", i))
	}
	for _, test := range []struct {
		wanted  []string
		missing int
		state   string
	}{
		{[]string{"a"}, 0, ""},
		{[]string{"a", "b", "c"}, 2, "b (NotReady,not-ready), c (not registered)"},
		{many, 8, "n-0 (not registered), n-1 (not registered), n-2 (not registered), n-3 (not registered), n-4 (not registered) and 3 more"},
	} {
		if missing, state := lacking(items, test.wanted, isReady); missing != test.missing || state != test.state {
			t.Errorf("%q: %d, %s", test.wanted, missing, state)
		}
	}
}

func TestHollowNodes(t *testing.T) {
	t.Parallel()
	instance := func(count int, kind string) simcloud.TopologyInstance {
		i := simcloud.TopologyInstance{Count: count}
		i.Labels = map[string]string{machine.LabelNode: kind}
		return i
	}
	instances := []simcloud.TopologyInstance{instance(500, machine.NodeHollow), instance(0, machine.NodeHollow), instance(7, machine.NodeNone), instance(3, "")}
	if got := hollowNodes(simcloud.Topology{Instances: &instances}); got != 501 {
		t.Errorf("got %d, want 501", got)
	}
	if got := hollowNodes(simcloud.Topology{}); got != 0 {
		t.Errorf("without instances: %d", got)
	}
}

// TestRouteRoom: the default limit of a route table grows with the nodes; one that was set stays, and is told.
func TestRouteRoom(t *testing.T) {
	t.Parallel()
	limit := 100
	ours := &simcloud.Topology{RouteTables: &[]simcloud.TopologyRouteTable{}}
	for name, test := range map[string]struct {
		nodes  int
		set    *int // the limit that is there; nil for the default
		wanted *simcloud.Topology
		want   int
		told   bool
	}{
		"few nodes":         {500, nil, nil, 500, false},
		"many nodes":        {501, nil, nil, 1001, false},
		"another limit":     {101, &limit, nil, 100, true},
		"in the topology":   {501, nil, ours, 500, true},
		"room enough":       {100, &limit, nil, 100, false},
		"an empty topology": {501, nil, &simcloud.Topology{}, 1001, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cloud := simtest.New(t)
			table := func() simcloud.RouteTable {
				tables, err := simcloud.ListAll(t.Context(), cloud.ListRouteTables, simcloud.ListOptions{})
				if err != nil || len(tables) != 1 {
					t.Fatalf("%d route tables, %v", len(tables), err)
				}
				return tables[0]
			}
			if test.set != nil {
				if _, err := cloud.UpdateRouteTable(t.Context(), table().ID, simcloud.RouteTableUpdate{Limit: test.set}); err != nil {
					t.Fatal(err)
				}
			}
			var told bytes.Buffer
			u := &up{progress: newProgress(&told), nodes: make([]string, test.nodes)}
			u.options.wanted = test.wanted
			if err := u.makeRouteRoom(t.Context(), cloud); err != nil {
				t.Fatal(err)
			}
			if got := table().Limit; got != test.want || strings.Contains(told.String(), "want one each") != test.told {
				t.Errorf("the limit is %d, want %d; it told %q", got, test.want, told.String())
			}
		})
	}
}
