package console_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/console"
)

// TestClusterChanges: who asks again gets what has changed since, in its order, and nothing twice.
func TestClusterChanges(t *testing.T) {
	t.Parallel()
	c := &console.Cluster{}
	if got := c.Since(0); !got.Attached || !got.Whole || got.Revision != 0 {
		t.Errorf("before it answers the cluster is %+v", got)
	}
	node := console.Node{ID: "node-1", Name: "node-1", State: "NotReady", Taints: []string{"a/uninitialized=true:NoSchedule"}}
	c.SetNode(node)
	seen := c.Since(0).Revision
	c.SetNode(node)
	if got := c.Since(seen); got.Whole || len(got.Records) != 0 {
		t.Errorf("a Node that is as it was makes %+v", got)
	}
	node.State, node.Taints, node.ProviderID = "Ready", nil, "simcloud:///i-1"
	c.SetNode(node)
	c.SetService(console.Service{ID: "default/web", Name: "default/web", Ports: []string{"80→30080/TCP"}})
	c.AddEvent(time.Unix(1, 0), "Node", "node-1", "Warning", console.Event{Reason: "Rebooted"})
	c.RemoveNode("node-1")
	c.KeepServices(map[string]bool{})
	c.RemoveService("default/web")
	var got []string
	for _, r := range c.Since(seen).Records {
		got = append(got, fmt.Sprintf("%s %s/%s %s", r.Type, r.Kind, r.ID, r.What))
	}
	want := []string{
		"changed node/node-1 +Ready +simcloud:///i-1 −NotReady −a/uninitialized=true:NoSchedule", "added service/default/web 80→30080/TCP",
		"Warning node/node-1 ", "deleted node/node-1 ", "deleted service/default/web ",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the changes are %q,\nwant %q", got, want)
	}
	if got := c.Since(seen + 1000); !got.Whole {
		t.Errorf("a page that has seen another cluster gets %+v", got)
	}
	if c.SetTrouble("nodes", "refused"); c.Since(0).Trouble != "nodes: refused" {
		t.Errorf("trouble is %q", c.Since(0).Trouble)
	}
	if c.SetTrouble("nodes", ""); c.Since(0).Trouble != "" {
		t.Errorf("trouble remains %q", c.Since(0).Trouble)
	}
}

// TestClusterIsBounded: of very many events the latest are remembered, and who has missed some gets all there is.
func TestClusterIsBounded(t *testing.T) {
	t.Parallel()
	c := &console.Cluster{}
	c.SetNode(console.Node{ID: "node-1"})
	for i := range 10_000 {
		c.AddEvent(time.Unix(1, 0), "Pod", "default/p", "Normal", console.Event{Reason: "Pulled", Count: int32(i)})
	}
	got := c.Since(1)
	if n := len(got.Records); !got.Whole || len(got.Nodes) != 1 || n < 1000 || n > 2000 || got.Records[n-1].Event.Count != 9999 {
		t.Errorf("whole %t with %d Nodes and %d records", got.Whole, len(got.Nodes), n)
	}
	if got := c.Since(got.Revision - 1000); got.Whole || len(got.Records) != 1000 || got.Records[0].Event.Count != 9000 {
		t.Errorf("whole %t with %d records from %+v", got.Whole, len(got.Records), got.Records[0])
	}
}
