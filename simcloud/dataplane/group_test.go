package dataplane_test

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// beside starts another server at the address of the first one, with another port.
func (w *world) beside(name string) *server {
	w.t.Helper()
	all, ok := tryServers([]netip.Addr{w.servers[0].addr.Addr()})
	if !ok {
		w.t.Fatal("no port is free for both TCP and UDP")
	}
	all[0].id = simcloud.ID(name)
	all[0].run(w.t)
	return all[0]
}

// grouped lets both listeners forward to a group, with a target of the first machine for each of the ports.
func grouped(w *world, ports ...int) func(*dataplane.LoadBalancer) {
	return func(lb *dataplane.LoadBalancer) {
		group := dataplane.Group{ID: "tg-1"}
		for _, port := range ports {
			group.Targets = append(group.Targets, dataplane.Target{Instance: "i-1", Port: port, Addresses: []netip.Addr{w.servers[0].addr.Addr()}})
		}
		lb.Groups = []dataplane.Group{group}
		for i := range lb.Listeners {
			lb.Listeners[i].Group, lb.Listeners[i].TargetPort = "tg-1", 1 // of no target
		}
	}
}

// TestGroup: a machine can be several targets of a group, with a port each. The targets of the load
// balancer get nothing of the listeners that forward to the group.
func TestGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	more := w.beside("more")
	one, two := w.targetPort(), int(more.addr.Port())
	w.apply(grouped(w, one, two))
	if diff := cmp.Diff(map[string]int{"i-1": 2, "more": 2}, count(w.names(4))); diff != "" {
		t.Errorf("connections (-want +got):\n%s", diff)
	}
	a, b := w.udp(), w.udp()
	if got := count([]string{a.insist(t, "a"), b.insist(t, "b")}); got["i-1"] != 1 || got["more"] != 1 {
		t.Errorf("two clients of UDP are answered by %v", got)
	}
	w.apply(grouped(w, two))
	for _, c := range []*udpClient{a, b} {
		if name := c.insist(t, "again"); name != "more" {
			t.Errorf("%s answers, which is no target any more", name)
		}
	}
	if got := count(w.names(2)); got["more"] != 2 {
		t.Errorf("with one target connections are answered by %v", got)
	}
	w.apply(grouped(w, two), func(lb *dataplane.LoadBalancer) { lb.Listeners[0].Group, lb.Listeners[0].TargetPort = "", one })
	if got := count(w.names(4)); got["i-1"] != 2 || got["i-2"] != 2 {
		t.Errorf("without a group connections are answered by %v", got)
	}
	if name := w.udp().insist(t, "still"); name != "more" {
		t.Errorf("the other listener has left its group: %s answers", name)
	}
}

// TestGroupCheck: a check without a port asks each target at its own. A target that fails gets nothing, and is
// reported with its port.
func TestGroupCheck(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	well, closed := w.targetPort(), freePort(t, w.servers[0].addr.Addr())
	check := &simcloud.HealthCheck{Protocol: simcloud.HealthCheckTCP, TimeoutSeconds: 60, Threshold: 1}
	w.apply(grouped(w, well, closed), withCheck(check))
	health := func() (all []string) {
		for _, h := range w.b.Health() {
			all = append(all, fmt.Sprintf("%s %s %d %s", h.Group, h.Instance, h.Port, h.Health))
		}
		return all
	}
	// Those of the load balancer are not asked by listeners that forward to a group.
	want := []string{" i-1 0 healthy", fmt.Sprintf("tg-1 i-1 %d healthy", well), fmt.Sprintf("tg-1 i-1 %d unhealthy", closed)}
	slices.Sort(want)
	waittest.For(w.clock.t, "the checks are answered", func() error {
		got := health()
		if slices.Sort(got); !slices.Equal(got, want) {
			return fmt.Errorf("the health is %q, want %q", got, want)
		}
		return nil
	})
	if got := count(w.names(3)); got["i-1"] != 3 {
		t.Errorf("connections are answered by %v", got)
	}
	if got := gather(t, w.b)["simcloud_dataplane_target_healthy i-1 lb-1"]; got != 0 {
		t.Errorf("the metric of a machine with one target that fails is %v, want 0", got)
	}
}

// TestGroupIngress: the rules of a machine are asked about the port of the target.
func TestGroupIngress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	rule := func(port int) func(*dataplane.LoadBalancer) {
		return func(lb *dataplane.LoadBalancer) {
			lb.Groups[0].Targets[0].Ingress = ingress(dataplane.IngressRule{Protocol: "tcp", FromPort: port, ToPort: port, Balancer: true})
		}
	}
	w.apply(grouped(w, w.targetPort()), rule(w.targetPort()))
	w.wantAlive("a rule for the port of the target", w.mustDial())
	w.apply(grouped(w, w.targetPort()), rule(1))
	if _, err := w.dial(); err == nil {
		t.Error("a rule for the port of the listener lets a connection in")
	}
}
