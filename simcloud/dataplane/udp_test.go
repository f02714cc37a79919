package dataplane_test

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// udpClient talks to the load balancer, and accepts answers of no other sender.
type udpClient struct{ *net.UDPConn }

func (w *world) udp(from ...string) *udpClient {
	w.t.Helper()
	var local *net.UDPAddr
	if len(from) > 0 {
		local = &net.UDPAddr{IP: net.ParseIP(from[0])}
	}
	conn, err := net.DialUDP("udp", local, net.UDPAddrFromAddrPort(netip.AddrPortFrom(w.vip, uint16(w.port))))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = conn.Close() })
	return &udpClient{conn}
}

// ask sends a datagram and returns who answers.
func (c *udpClient) ask(t testing.TB, datagram string) string {
	t.Helper()
	name, err := c.once(datagram, time.Minute)
	if err != nil {
		t.Fatalf("%q is not answered: %v", datagram, err)
	}
	return name
}

// insist sends a datagram until it is answered, and returns who does.
func (c *udpClient) insist(t testing.TB, datagram string) string {
	t.Helper()
	var name string
	waittest.For(t, fmt.Sprintf("an answer to %q", datagram), func() (err error) {
		name, err = c.once(datagram, 500*time.Millisecond)
		return err
	})
	return name
}

// once sends a datagram and waits for its answer.
func (c *udpClient) once(datagram string, patience time.Duration) (string, error) {
	if _, err := c.Write([]byte(datagram)); err != nil {
		return "", err
	}
	buf := make([]byte, 64<<10)
	_ = c.SetReadDeadline(time.Now().Add(patience))
	for {
		n, err := c.Read(buf)
		if err != nil {
			return "", err
		}
		if name, rest, _ := strings.Cut(string(buf[:n]), ":"); rest == datagram {
			return name, nil
		}
	}
}

func TestUDPForwards(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.apply()
	var clients []*udpClient
	var names []string
	for range 6 {
		c := w.udp()
		clients, names = append(clients, c), append(names, c.ask(t, "hello"))
	}
	if diff := cmp.Diff(map[string]int{"i-1": 2, "i-2": 2, "i-3": 2}, count(names)); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	for i, c := range clients {
		for range 3 {
			if again := c.ask(t, "again"); again != names[i] {
				t.Errorf("client %d gets %s after %s", i, again, names[i])
			}
		}
	}
	waittest.For(t, "the bytes are counted", func() bool {
		s := w.status("udp")
		return s.Received == 6*(5+3*5) && s.Sent == s.Received+6*4*4
	})
	if s := w.status("udp"); s.Connections != 6 || s.Accepted != 6 {
		t.Errorf("status %+v", s)
	}
}

func TestUDPSizes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.apply()
	c := w.udp()
	for _, size := range []int{0, 1, 1500, 9000, 65507 - len("i-1:")} {
		if name := c.ask(t, string(bytes.Repeat([]byte("x"), size))); name != "i-1" {
			t.Errorf("%d bytes: %s answers", size, name)
		}
	}
}

// TestUDPFollowsTheTargets: a client whose target gets nothing any more is
// moved with its next datagram, and stays where it is otherwise.
func TestUDPFollowsTheTargets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.apply()
	c := w.udp()
	first := c.ask(t, "hello")
	other := map[string]string{"i-1": "i-2", "i-2": "i-1"}[first]
	fate := func(change func(*dataplane.LoadBalancer, int)) func(*dataplane.LoadBalancer) {
		return func(lb *dataplane.LoadBalancer) {
			change(lb, slices.IndexFunc(lb.Targets, func(t dataplane.Target) bool { return string(t.Instance) == first }))
		}
	}
	for name, change := range map[string]func(*dataplane.LoadBalancer, int){
		"removed":   func(lb *dataplane.LoadBalancer, i int) { lb.Targets = slices.Delete(lb.Targets, i, i+1) },
		"draining":  func(lb *dataplane.LoadBalancer, i int) { lb.Targets[i].Health = simcloud.TargetDraining },
		"unhealthy": func(lb *dataplane.LoadBalancer, i int) { lb.Targets[i].Health = simcloud.TargetUnhealthy },
	} {
		c := w.udp()
		for c.ask(t, "hello") != first {
			c = w.udp()
		}
		w.apply(func(lb *dataplane.LoadBalancer) { lb.Algorithm = simcloud.LeastConnections })
		if got := c.ask(t, "nothing of its own has changed"); got != first {
			t.Errorf("%s: %s answers before it", name, got)
		}
		w.apply(fate(change))
		if got := c.ask(t, "moved"); got != other {
			t.Errorf("%s: %s answers, want %s", name, got, other)
		}
		w.apply()
	}
}

// TestUDPDeafTarget: a target that has ceased to listen costs the datagram
// that finds out, not the client.
func TestUDPDeafTarget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.apply()
	c := w.udp()
	first := c.ask(t, "hello")
	w.servers[map[string]int{"i-1": 0, "i-2": 1}[first]].close()
	if got := c.insist(t, "hello again"); got == first {
		t.Errorf("%s answers, and is closed", got)
	}
}

func TestUDPSourceRangesAndPort(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.apply()
	inside, outside := w.udp("127.0.0.9"), w.udp("127.0.1.9")
	inside.ask(t, "hello")
	outside.ask(t, "hello")
	w.apply(listeners(func(l *dataplane.Listener) { l.AllowedCIDRs = prefixes("127.0.0.0/24") }))
	inside.ask(t, "still")
	if name, err := outside.once("still", 300*time.Millisecond); !os.IsTimeout(err) {
		t.Errorf("the client outside: %s, %v", name, err)
	}
	waittest.For(t, "it is counted", func() bool { return w.status("udp").Refused[dataplane.RefusedSource] == 1 })
	elsewhere := startServers(t, addresses(t, 2)[1:])
	w.apply(listeners(func(l *dataplane.Listener) { l.TargetPort = int(elsewhere[0].addr.Port()) }))
	inside.ask(t, "at the new port")
	w.servers[0].close()
	inside.ask(t, "at the new port, as the old one is closed")
}

func TestUDPIdle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.apply(listeners(func(l *dataplane.Listener) { l.IdleTimeout = 10 * time.Second }))
	silent, busy := w.udp(), w.udp()
	silent.ask(t, "hello")
	for i := range int64(3) {
		busy.ask(t, "hello")
		waittest.For(t, "it is counted", func() bool { return w.status("udp").Sent == (2+i)*int64(len("i-1:hello")) })
		w.clock.advance(6 * time.Second)
	}
	waittest.For(t, "the silent client is forgotten", func() bool { return w.status("udp").Connections == 1 })
	silent.ask(t, "and served when it comes again")
}

// TestUDPDrains: a target that has gone may go on to talk to a client that
// says nothing until the drain timeout, and no longer.
func TestUDPDrains(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.apply()
	at := netip.AddrPortFrom(addresses(t, 3)[2], w.servers[0].addr.Port())
	talker, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(at))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = talker.Close() })
	w.apply(func(lb *dataplane.LoadBalancer) {
		lb.Targets = []dataplane.Target{{Instance: "i-9", Addresses: []netip.Addr{at.Addr()}}}
	})
	c := w.udp()
	if _, err := c.Write([]byte("talk")); err != nil {
		t.Fatal(err)
	}
	_ = talker.SetReadDeadline(time.Now().Add(waittest.Patience()))
	_, to, err := talker.ReadFromUDPAddrPort(make([]byte, 9))
	if err != nil {
		t.Fatal(err)
	}
	talk := func() bool {
		_, _ = talker.WriteToUDPAddrPort([]byte("more"), to)
		_ = c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		_, err := c.Read(make([]byte, 9))
		return err == nil
	}
	w.apply()
	w.clock.advance(dataplane.DefaultDrainTimeout - time.Second)
	waittest.For(t, "it is heard before the time", talk)
	w.clock.advance(2 * time.Second)
	waittest.For(t, "it is not heard after the time", func() bool { return !talk() && w.status("udp").Connections == 0 })
}

// TestUDPManyClients: each gets its own answers.
func TestUDPManyClients(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.apply()
	names := map[string]int{}
	for i := range 500 {
		names[w.udp().ask(t, fmt.Sprint("client ", i))]++
	}
	if len(names) != 3 || slices.Min(slices.Collect(maps.Values(names))) < 100 {
		t.Errorf("answers of %v", names)
	}
	if got := w.status("udp").Connections; got != 500 {
		t.Errorf("%d clients, want 500", got)
	}
}
