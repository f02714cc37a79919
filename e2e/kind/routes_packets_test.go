package kind_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/kind"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// behind is an address that stands for those of a node's pods.
const behind = "10.244.77.1"

// routesCarryPackets to what is behind a node, from another one, while the
// cloud has the route, and whatever becomes of the machines.
func routesCarryPackets(t *testing.T, c *e2e.Cluster, b *kind.Backend) {
	from, to := createInstance(t, c, "node-1"), createInstance(t, c, "node-2")
	awaitMachine(t, c, "node-1 running, node-2 running")
	hide := func() { run(t, b, "node-2", "ip", "address", "replace", behind+"/32", "dev", "lo") }
	hide()
	before := foreignRoutes(t, b, "node-1")

	wantWay(t, b, "without a route", false)
	made, err := c.Cloud.CreateRoute(t.Context(), "rt-1", simcloud.RouteSpec{Destination: "10.244.77.0/24", NextHop: simcloud.NextHop{Instance: to.ID}})
	if err != nil {
		t.Fatal(err)
	}
	wantWay(t, b, "with a route", true)
	if out := run(t, b, "node-2", "ip", "route", "show", "proto", "177"); out != "" {
		t.Errorf("the next hop has a route to itself: %s", out)
	}

	if _, err := c.Cloud.StopInstance(t.Context(), from.ID); err != nil {
		t.Fatal(err)
	}
	awaitMachine(t, c, "node-2 running")
	if _, err := c.Cloud.StartInstance(t.Context(), from.ID); err != nil {
		t.Fatal(err)
	}
	awaitMachine(t, c, "node-1 running, node-2 running")
	wantWay(t, b, "after a stop and a start", true)
	if err := c.Machines.Partition("node-1"); err != nil {
		t.Fatal(err)
	}
	wantWay(t, b, "cut off", false)
	if err := c.Machines.Heal("node-1"); err != nil {
		t.Fatal(err)
	}
	wantWay(t, b, "back in the network", true)

	if _, err := c.Cloud.DeleteRoute(t.Context(), "rt-1", made.Resource.Routes[0].ID); err != nil {
		t.Fatal(err)
	}
	wantWay(t, b, "with its route gone", false)
	if after := foreignRoutes(t, b, "node-1"); after != before {
		t.Errorf("the node's own routes were\n%s\nand are\n%s", before, after)
	}
}

// run returns what a program has printed on a node.
func run(t *testing.T, b *kind.Backend, node string, argv ...string) string {
	t.Helper()
	out, err := b.Exec(t.Context(), node, nil, argv...)
	if err != nil {
		t.Fatalf("%q: %v", argv, err)
	}
	return strings.TrimSpace(string(out))
}

// wantWay waits until the kubelet of node-2 answers node-1 at the hidden address, or does not.
func wantWay(t *testing.T, b *kind.Backend, when string, open bool) {
	t.Helper()
	within(t, fmt.Sprintf("%s the way is open: %t", when, open), func(ctx context.Context) (bool, error) {
		_, err := b.Exec(ctx, "node-1", nil, "curl", "-ks", "--max-time", "2", "https://"+behind+":10250/")
		return (err == nil) == open, nil
	})
}

// foreignRoutes are those of a node that are not the cloud's. A node that was
// cut off comes back with another number of its interface.
func foreignRoutes(t *testing.T, b *kind.Backend, node string) string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(run(t, b, node, "sh", "-c", "ip -4 route show; ip -6 route show")) {
		if !strings.Contains(line, "proto 177") {
			lines = append(lines, regexp.MustCompile(`dev eth\d+`).ReplaceAllString(strings.TrimSpace(line), "dev eth"))
		}
	}
	return strings.Join(lines, "\n")
}
