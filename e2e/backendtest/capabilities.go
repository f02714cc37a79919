package backendtest

import (
	"net/url"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Consistent checks that capabilities that belong together are set together. It
// needs no cluster.
func Consistent(t testing.TB, can e2e.Capabilities) {
	t.Helper()
	for what, both := range map[string][2]bool{
		"Cut and Join":                          {can.Cut != nil, can.Join != nil},
		"Done and Err":                          {can.Done != nil, can.Err != nil},
		"ControlPlaneNode and JoinControlPlane": {can.ControlPlaneNode != "", can.JoinControlPlane != nil},
	} {
		if both[0] != both[1] {
			t.Errorf("of %s one is set and the other is not", what)
		}
	}
	if can.SharedCluster != nil && can.SharedCluster.Mark.Value == "" {
		t.Error("the mark of a shared cluster is empty: it would be on everything")
	}
}

// noNode is the name of a node that no test boots.
const noNode = "never-booted"

// capabilities checks what each capability does for a node that does not exist,
// and what Cluster does without it. What they do for a machine is in other parts.
func capabilities(t *testing.T, h Harness) {
	c, can := h.Cluster, h.Cluster.Backend.Capabilities()
	Consistent(t, can)
	shared := can.SharedCluster != nil
	if got := c.Selector(); (got != "") != shared {
		t.Errorf("the selector is %q, the cluster is shared: %t", got, shared)
	}
	if c.Packets() != can.Packets {
		t.Errorf("the cluster has packets: %t, its backend: %t", c.Packets(), can.Packets)
	}
	if got, want := c.Factor(), 1.0; can.Factor == nil && got != want {
		t.Errorf("the factor is %v without a measurement: want %v", got, want)
	} else if can.Factor != nil && (got < 1 || got != can.Factor()) {
		t.Errorf("the backend has the factor %v, the cluster %v: want at least 1, and the same", can.Factor(), got)
	}
	checkNetwork(t, c, can)
	if can.Exec != nil {
		if _, err := can.Exec(t.Context(), noNode, nil, "true"); err == nil {
			t.Error("a program runs on a node that does not exist")
		}
	}
	if can.Discard != nil {
		if err := can.Discard(t.Context(), noNode); err != nil {
			t.Errorf("discard the disk of a machine that has none: %v", err)
		}
	}
	if can.Cut != nil {
		if err := can.Cut(t.Context(), noNode); err == nil {
			t.Error("a node that does not exist is cut off")
		}
	}
	if can.Done == nil && (c.Done() != nil || c.Err() != nil) {
		t.Error("the cluster reports a loss that its backend cannot notice")
	}
	if can.Done != nil && isClosed(c.Done()) || c.Err() != nil {
		t.Errorf("a whole control plane is reported as lost: %v", c.Err())
	}
	if shared {
		_, err := c.Backend.StartNode(t.Context(), machine.Spec{Name: noNode})
		if simcloud.CodeOf(err) != simcloud.Unimplemented {
			t.Errorf("start a kubelet in a shared cluster: %v, want %s", err, simcloud.Unimplemented)
		}
	}
}

// checkNetwork: the cloud serves where the machines can reach it, and its
// instances have addresses of the machines' network.
func checkNetwork(t *testing.T, c *e2e.Cluster, can e2e.Capabilities) {
	t.Helper()
	at, err := url.Parse(c.CloudURL)
	if err != nil {
		t.Fatal(err)
	}
	if can.Network == nil {
		if at.Hostname() != "127.0.0.1" {
			t.Errorf("the cloud serves at %s though machines have no network of their own", c.CloudURL)
		}
		return
	}
	network, err := can.Network(t.Context())
	if err != nil || len(network.CIDRs) == 0 || at.Hostname() != network.Host {
		t.Errorf("the network is %+v, %v; the cloud serves at %s", network, err, c.CloudURL)
	}
	networks, err := c.Cloud.GetState(t.Context())
	if err != nil || len(networks.Networks) == 0 || !strings.Contains(strings.Join(network.CIDRs, " "), networks.Networks[0].CIDRs[0]) {
		t.Errorf("the cloud has other networks than %v: %v, %v", network.CIDRs, networks.Networks, err)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
