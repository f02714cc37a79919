package dataplane_test

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// TestTargetLeaves: a target that is removed gets no new connection; those
// that it has live on until the drain timeout, unless it comes back.
func TestTargetLeaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	for name, change := range map[string]func(*dataplane.LoadBalancer){
		"removed":  func(lb *dataplane.LoadBalancer) { lb.Targets = lb.Targets[1:] },
		"draining": func(lb *dataplane.LoadBalancer) { lb.Targets[0].Health = simcloud.TargetDraining },
	} {
		w.apply()
		leaving, staying := w.mustDial(), w.mustDial()
		if leaving.name != "i-1" {
			leaving, staying = staying, leaving
		}
		w.apply(change)
		if got := count(w.names(4)); got["i-2"] != 4 {
			t.Errorf("%s: new connections go to %v", name, got)
		}
		w.clock.advance(dataplane.DefaultDrainTimeout - time.Second)
		w.wantAlive(name+", before the time", leaving)
		w.apply()
		w.clock.advance(2 * dataplane.DefaultDrainTimeout)
		w.wantAlive(name+" and back", leaving)
		w.apply(change)
		w.clock.advance(dataplane.DefaultDrainTimeout + time.Second)
		if err := leaving.ended(); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%s, after the time: got %v, want a reset", name, err)
		}
		w.wantAlive(name+", the other target's", staying)
	}
}

// TestUnhealthyTargetKeepsItsConnections: a server that says it is about to go
// is given the time to end what it has begun.
func TestUnhealthyTargetKeepsItsConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.apply()
	c := w.mustDial()
	w.apply(func(lb *dataplane.LoadBalancer) { lb.Targets[0].Health = simcloud.TargetUnhealthy })
	w.clock.advance(4 * dataplane.DefaultDrainTimeout)
	w.wantAlive("the connection", c)
}

// TestListenerChanges: whatever comes, changes or goes, the connections of the others live on.
func TestListenerChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	other := freePort(t, w.vip)
	extra := dataplane.Listener{Protocol: simcloud.ProtocolTCP, Port: other, TargetPort: w.targetPort()}
	w.apply()
	old := w.mustDial()
	w.apply(func(lb *dataplane.LoadBalancer) { lb.Listeners = append(lb.Listeners, extra) })
	added := w.dialPort(other)
	w.wantAlive("the old listener's connection", old)
	w.apply(func(lb *dataplane.LoadBalancer) { lb.Listeners = []dataplane.Listener{extra} })
	w.wantAlive("the new listener's connection", added)
	if err := old.ended(); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the removed listener's connection: got %v, want a reset", err)
	}
	if _, err := w.dial(); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("the removed listener: got %v, want a refusal", err)
	}
	elsewhere := startServers(t, addresses(t, 2)[1:])
	extra.TargetPort = int(elsewhere[0].addr.Port())
	w.apply(func(lb *dataplane.LoadBalancer) { lb.Listeners = []dataplane.Listener{extra} })
	_ = w.servers[0].tcp.Close()
	w.wantAlive("the connection to the old port", added)
	w.wantAlive("one to the new port", w.dialPort(other))
	w.b.Apply(nil)
	if err := added.ended(); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the removed load balancer's connection: got %v, want a reset", err)
	}
	if got := w.b.Status(); len(got) != 0 {
		t.Errorf("status %v", got)
	}
}

// dialPort connects to another port of the VIP.
func (w *world) dialPort(port int) *client {
	w.t.Helper()
	before := w.port
	w.port = port
	defer func() { w.port = before }()
	return w.mustDial()
}

// TestVIPMoves: an address that goes from one load balancer to another is the
// other one's at once, with those of its connections that were there before.
func TestVIPMoves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	vips := addresses(t, 5)[3:]
	make2 := func(first, second netip.Addr) []dataplane.LoadBalancer {
		a, b := w.balancer(), w.balancer()
		a.VIPs, a.Targets = []netip.Addr{first}, a.Targets[:1]
		b.ID, b.VIPs, b.Targets = "lb-2", []netip.Addr{second}, b.Targets[1:]
		return []dataplane.LoadBalancer{a, b}
	}
	for i, want := range []string{"i-1", "i-2", "i-1"} {
		if i == 1 {
			w.b.Apply(make2(vips[1], vips[0]))
		} else {
			w.b.Apply(make2(vips[0], vips[1]))
		}
		w.vip = vips[0]
		if got := w.mustDial().name; got != want {
			t.Errorf("step %d: %s answers, want %s", i, got, want)
		}
		if got := w.udp().ask(t, "hello"); got != want {
			t.Errorf("step %d: %s answers by UDP, want %s", i, got, want)
		}
	}
}

// TestCannotListen: what cannot be listened on is said, harms nothing else,
// and is tried again.
func TestCannotListen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	taken, err := net.Listen("tcp", netip.AddrPortFrom(w.vip, uint16(w.port)).String())
	if err != nil {
		t.Fatal(err)
	}
	foreign, all := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("0.0.0.0")
	w.apply(func(lb *dataplane.LoadBalancer) { lb.VIPs = append(lb.VIPs, foreign, all) })
	for _, s := range w.b.Status() {
		want := ""
		switch {
		case s.Address == foreign:
			want = "this machine does not have the address"
		case s.Address == all:
			want = "cannot listen on 0.0.0.0"
		case s.Protocol == simcloud.ProtocolTCP:
			want = "listens there"
		}
		if (s.Error == nil) != (want == "") || s.Error != nil && !strings.Contains(s.Error.Error(), want) {
			t.Errorf("%s %s: %v, want %q", s.Protocol, s.Address, s.Error, want)
		}
	}
	w.udp().ask(t, "hello")
	_ = taken.Close()
	w.clock.advance(2 * time.Second)
	w.wantAlive("when the port is free", w.mustDial())
	if err := w.b.Status()[2].Error; err != nil {
		t.Errorf("and still: %v", err)
	}
}

// TestIPv6: a load balancer forwards from one family to the other when its
// target has none of the VIP's, and prefers the VIP's.
func TestIPv6(t *testing.T) {
	t.Parallel()
	six := netip.IPv6Loopback()
	if ln, err := net.Listen("tcp", "[::1]:0"); err != nil {
		t.Skipf("this machine has no IPv6 loopback: %v", err)
	} else {
		_ = ln.Close()
	}
	w := newWorld(t, 1)
	w.vip, w.port = six, freePort(t, six)
	w.apply()
	w.wantAlive("IPv6 to IPv4", w.mustDial())
	w.udp().ask(t, "hello")
	w.apply(func(lb *dataplane.LoadBalancer) {
		lb.Targets[0].Addresses = append(lb.Targets[0].Addresses, six)
		lb.Listeners[0].AllowedCIDRs = prefixes("::1/128")
	})
	if _, err := w.dial(); err == nil {
		t.Error("the IPv4 address gets a connection of IPv6, and there is one of IPv6")
	}
	w.apply(listeners(func(l *dataplane.Listener) { l.AllowedCIDRs = prefixes("0.0.0.0/0") }))
	if _, err := w.dial(); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("ranges of IPv4 alone: got %v, want a reset", err)
	}
}

// TestClose: nothing runs and nothing listens when a balancer is closed.
func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	w := newWorld(t, 2)
	d := newDoctor(t, w.servers[0], 200)
	w.apply(withCheck(d.check()), func(lb *dataplane.LoadBalancer) { lb.Targets = lb.Targets[:1] })
	w.untilHealth("i-1 healthy")
	open := w.mustDial()
	w.udp().ask(t, "hello")
	w.b.Close()
	w.b.Close()
	w.apply()
	if err := open.ended(); !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.EOF) {
		t.Errorf("an open connection: %v", err)
	}
	if _, err := w.dial(); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a new connection: %v, want a refusal", err)
	}
	if got := w.b.Status(); len(got) != 0 {
		t.Errorf("status %v", got)
	}
	d.Close()
	for _, s := range slices.All(w.servers) {
		s.close()
	}
	waittest.For(t, "all goroutines end", func() bool { return runtime.NumGoroutine() <= before })
}

// TestCloseWaits: what runs in the background has ended when Close returns.
func TestCloseWaits(t *testing.T) {
	t.Parallel()
	clock := &stubbornClock{fakeClock: newFakeClock(t), stopping: make(chan struct{}), release: make(chan struct{})}
	b := dataplane.NewBalancer(dataplane.BalancerConfig{Clock: clock})
	clock.await(1)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		b.Close()
	}()
	<-clock.stopping
	select {
	case <-closed:
		t.Error("closed while something still runs")
	case <-time.After(100 * time.Millisecond):
	}
	close(clock.release)
	<-closed
}

// stubbornClock holds who gives up a timer until it is released.
type stubbornClock struct {
	*fakeClock
	stopping, release chan struct{}
}

func (c *stubbornClock) NewTimer(d time.Duration) (<-chan time.Time, func() bool) {
	fired, stop := c.fakeClock.NewTimer(d)
	return fired, func() bool {
		close(c.stopping)
		<-c.release
		return stop()
	}
}
