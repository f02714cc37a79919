package dataplane_test

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

func ingress(rules ...dataplane.IngressRule) *dataplane.Ingress {
	return &dataplane.Ingress{Groups: []simcloud.ID{"sg-1", "sg-2"}, Rules: rules}
}

// from is a rule for clients in a range, and any port of any protocol.
func from(cidr string) dataplane.IngressRule { return dataplane.IngressRule{Clients: prefixes(cidr)} }

// TestTCPIngress: a load balancer takes what a rule of its security groups lets in, and counts what it turns away.
func TestTCPIngress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	ports := func(protocol simcloud.Protocol, first, last int) dataplane.IngressRule {
		return dataplane.IngressRule{Protocol: protocol, FromPort: first, ToPort: last, Clients: prefixes("127.0.0.9/32")}
	}
	refused := int64(0)
	for name, c := range map[string]struct {
		ingress *dataplane.Ingress
		allowed bool
	}{
		"no groups":                {nil, true},
		"no rules":                 {ingress(), false},
		"the client":               {ingress(from("127.0.0.0/24")), true},
		"another client":           {ingress(from("127.0.1.0/24")), false},
		"one of two rules":         {ingress(from("127.0.1.0/24"), from("127.0.0.9/32")), true},
		"the port":                 {ingress(ports("tcp", w.port, w.port)), true},
		"a range with the port":    {ingress(ports("tcp", 0, 65535)), true},
		"ports below":              {ingress(ports("tcp", 1, w.port-1)), false},
		"ports above":              {ingress(ports("tcp", w.port+1, 65535)), false},
		"another protocol":         {ingress(ports("udp", 0, 65535)), false},
		"the target's port is not": {ingress(ports("tcp", w.targetPort(), w.targetPort())), false},
	} {
		w.apply(listeners(func(l *dataplane.Listener) { l.Ingress = c.ingress }))
		_, err := w.dial("127.0.0.9")
		if (err == nil) != c.allowed {
			t.Errorf("%s: got %v, want allowed=%t", name, err, c.allowed)
		}
		if !c.allowed {
			refused++
		}
	}
	if got := w.status("tcp").Refused; got[dataplane.RefusedGroup] != refused || got[dataplane.RefusedSource] != 0 {
		t.Errorf("refused %v, want %d by security groups", got, refused)
	}
}

// TestTargetIngress: a load balancer does not know the groups of its targets, so a connection whose turn
// is at a target that does not let it in fails. What has begun goes on.
func TestTargetIngress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	port := dataplane.IngressRule{Protocol: "tcp", FromPort: w.targetPort(), ToPort: w.targetPort(), Clients: prefixes("127.0.0.9/32")}
	w.apply()
	old := w.mustDial()
	w.apply(func(lb *dataplane.LoadBalancer) { lb.Targets[0].Ingress = ingress(port) })
	got := map[string]int{}
	for range 6 {
		c, err := w.dial("127.0.0.8")
		switch {
		case err == nil:
			got[c.name]++
		case errors.Is(err, syscall.ECONNRESET):
			got["reset"]++
		default:
			t.Error(err)
		}
	}
	if diff := cmp.Diff(map[string]int{"i-2": 3, "reset": 3}, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if got := w.status("tcp").Refused[dataplane.RefusedGroup]; got != 3 {
		t.Errorf("%d refused by security groups, want 3", got)
	}
	if diff := cmp.Diff(map[string]int{"i-1": 2, "i-2": 2}, count(w.names(4, "127.0.0.9"))); diff != "" {
		t.Errorf("answers to the client that it lets in (-want +got):\n%s", diff)
	}
	w.wantAlive("the connection of before", old)
	w.apply(func(lb *dataplane.LoadBalancer) {
		lb.Targets[0].Ingress = ingress(dataplane.IngressRule{Balancer: true})
	})
	if got := count(w.names(4, "127.0.0.8")); got["i-1"] != 2 {
		t.Errorf("with a rule for the load balancer: %v", got)
	}
	waittest.For(t, "only those that live are counted", func() bool {
		s := w.status("tcp")
		return s.Connections == s.Targets[0].Connections+s.Targets[1].Connections
	})
}

// TestUDPIngress: each datagram is judged by the rules of now.
func TestUDPIngress(t *testing.T) {
	t.Parallel()
	for name, apply := range map[string]func(*world, *dataplane.Ingress){
		"of the load balancer": func(w *world, g *dataplane.Ingress) {
			w.apply(listeners(func(l *dataplane.Listener) { l.Ingress = g }))
		},
		"of the target": func(w *world, g *dataplane.Ingress) {
			w.apply(func(lb *dataplane.LoadBalancer) { lb.Targets[0].Ingress = g })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			apply(w, ingress(from("127.0.0.0/24"), from("127.0.1.0/24")))
			inside, outside := w.udp("127.0.0.9"), w.udp("127.0.1.9")
			inside.ask(t, "hello")
			outside.ask(t, "hello")
			apply(w, ingress(from("127.0.0.0/24")))
			inside.ask(t, "still")
			if name, err := outside.once("still", 300*time.Millisecond); !os.IsTimeout(err) {
				t.Errorf("the client outside: %s, %v", name, err)
			}
			waittest.For(t, "it is counted", func() bool { return w.status("udp").Refused[dataplane.RefusedGroup] == 1 })
			apply(w, ingress(from("127.0.0.0/8")))
			outside.ask(t, "again")
		})
	}
}

// TestCheckIngress: a health check that no rule lets in fails, as any other one that fails, and asks nothing.
func TestCheckIngress(t *testing.T) {
	t.Parallel()
	w, d := newChecked(t)
	with := func(g *dataplane.Ingress) {
		w.apply(withCheck(d.check()), func(lb *dataplane.LoadBalancer) { lb.Targets[0].Ingress = g })
	}
	until := func(want string) {
		t.Helper()
		waittest.For(t, want, func() bool {
			w.clock.advance(5 * time.Second)
			return w.health() == want
		})
	}
	port := d.check().Port
	with(ingress(from("0.0.0.0/0"), dataplane.IngressRule{Protocol: "tcp", FromPort: port + 1, ToPort: 65535, Checks: true}))
	if got := w.health(); got != "i-1 healthy" {
		t.Errorf("before the check fails three times: %s", got)
	}
	until("i-1 unhealthy")
	asked := d.asked.Load()
	w.clock.advance(5 * time.Second)
	w.clock.advance(5 * time.Second)
	if d.asked.Load() != asked {
		t.Error("the check still asks the target")
	}
	reason := w.status("tcp").Targets[0].Reason
	if want := "no rule of sg-1 and sg-2 lets health checks in on tcp port "; len(reason) < len(want) || reason[:len(want)] != want {
		t.Errorf("the reason is %q, want %q", reason, want)
	}
	if _, err := w.dial(); err == nil {
		t.Error("the target gets connections")
	}
	with(ingress(dataplane.IngressRule{Protocol: "tcp", FromPort: port, ToPort: port, Checks: true}))
	until("i-1 healthy")
	if _, err := w.dial(); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("a client that only checks may be: got %v, want a reset", err)
	}
	with(ingress(dataplane.IngressRule{Balancer: true}))
	w.mustDial()
	until("i-1 healthy")
}
