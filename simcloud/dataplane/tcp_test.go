package dataplane_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

func TestTCPTakesTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.apply()
	if diff := cmp.Diff(map[string]int{"i-1": 4, "i-2": 4, "i-3": 4}, count(w.names(12))); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func TestTCPWeights(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.apply(func(lb *dataplane.LoadBalancer) {
		lb.Targets[0].Weight, lb.Targets[1].Weight = 4, 3
	})
	got := w.names(16)
	if diff := cmp.Diff(map[string]int{"i-1": 8, "i-2": 6, "i-3": 2}, count(got)); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	for i := range len(got) - 2 {
		if count(got[i : i+3])["i-1"] > 2 {
			t.Errorf("i-1 has three turns in a row: %v", got)
		}
	}
}

// TestTCPLeastConnections: who has lost connections gets the next ones.
func TestTCPLeastConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.apply(func(lb *dataplane.LoadBalancer) {
		lb.Algorithm = simcloud.LeastConnections
		lb.Targets[0].Weight = 2
	})
	held := map[string][]*client{}
	for range 8 {
		c := w.mustDial()
		held[c.name] = append(held[c.name], c)
	}
	if len(held["i-1"]) != 4 || len(held["i-2"]) != 2 || len(held["i-3"]) != 2 {
		t.Fatalf("got %d, %d, %d, want 4, 2, 2", len(held["i-1"]), len(held["i-2"]), len(held["i-3"]))
	}
	for _, c := range held["i-2"] {
		_ = c.Close()
	}
	waittest.For(t, "the load balancer sees them end", func() bool { return w.status("tcp").Connections == 6 })
	if diff := cmp.Diff([]string{"i-2", "i-2"}, w.names(2)); diff != "" {
		t.Errorf("next (-want +got):\n%s", diff)
	}
}

// TestTCPEnds: how one side ends is what the other one sees.
func TestTCPEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.apply()
	t.Run("the client has said all", func(t *testing.T) {
		c := w.mustDial()
		if _, err := io.WriteString(c, "last words"); err != nil {
			t.Fatal(err)
		}
		if err := c.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(c.lines)
		if string(got) != "last words" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})
	t.Run("the server resets", func(t *testing.T) {
		c := w.mustDial()
		for _, conn := range w.servers[0].conns {
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		}
		if err := c.ended(); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("got %v, want a reset", err)
		}
	})
	waittest.For(t, "nothing is open", func() bool { return w.status("tcp").Connections == 0 })
}

// TestTCPMovesEverything: what is sent both ways at once arrives, in any sizes
// and however slowly it is read.
func TestTCPMovesEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.apply()
	for name, size := range map[string]int{"a byte": 1, "a page": 4 << 10, "much": 24<<20 + 7} {
		t.Run(name, func(t *testing.T) {
			c := w.mustDial()
			data := make([]byte, size)
			_, _ = rand.NewChaCha8([32]byte{1}).Read(data)
			sent := make(chan error, 1)
			go func() {
				_, err := io.Copy(c.TCPConn, &pieces{data: bytes.NewReader(data), chance: rand.New(rand.NewPCG(1, 2))})
				sent <- errors.Join(err, c.CloseWrite())
			}()
			got := sha256.New()
			n, err := io.Copy(got, &pieces{data: c.lines, chance: rand.New(rand.NewPCG(3, 4))})
			if err := errors.Join(err, <-sent); err != nil {
				t.Fatal(err)
			}
			if want := sha256.Sum256(data); n != int64(size) || !bytes.Equal(got.Sum(nil), want[:]) {
				t.Errorf("got %d bytes, want the %d that were sent", n, size)
			}
		})
	}
	waittest.For(t, "the bytes are counted", func() bool {
		s := w.status("tcp")
		return s.Received == 24<<20+7+4<<10+1 && s.Sent == s.Received+3*int64(len("i-1\n"))
	})
}

// TestTCPQuietAfterMuch: a connection that has moved much and then nothing for
// a while is as good as before.
func TestTCPQuietAfterMuch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.apply()
	c := w.mustDial()
	for range 3 {
		if _, err := c.Write(make([]byte, 256<<10)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, c.lines, 256<<10); err != nil {
			t.Fatal(err)
		}
		<-time.After(250 * time.Millisecond) // the silence that this is about
		w.wantAlive("after a silence", c)
	}
}

// pieces gives what it has in sizes of chance.
type pieces struct {
	data   io.Reader
	chance *rand.Rand
}

func (p *pieces) Read(b []byte) (int, error) {
	return p.data.Read(b[:1+p.chance.IntN(len(b))])
}

// TestTCPRefusals: who cannot be served is reset at once, and counted.
func TestTCPRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	unused := netip.MustParseAddr("127.0.0.77")
	for _, step := range []struct {
		name   string
		change func(*dataplane.LoadBalancer)
		want   dataplane.Refusal
	}{
		{"no targets", func(lb *dataplane.LoadBalancer) { lb.Targets = nil }, dataplane.RefusedNoTarget},
		{"no address", func(lb *dataplane.LoadBalancer) { lb.Targets[0].Addresses = nil }, dataplane.RefusedNoTarget},
		{"unhealthy", func(lb *dataplane.LoadBalancer) { lb.Targets[0].Health = simcloud.TargetUnhealthy }, dataplane.RefusedNoTarget},
		{"draining", func(lb *dataplane.LoadBalancer) { lb.Targets[0].Health = simcloud.TargetDraining }, dataplane.RefusedNoTarget},
		{"deaf", func(lb *dataplane.LoadBalancer) { lb.Targets[0].Addresses = []netip.Addr{unused} }, dataplane.RefusedDial},
	} {
		w.apply(step.change)
		before := w.status("tcp").Refused[step.want]
		if c, err := w.dial(); err == nil {
			t.Errorf("%s: %s answers", step.name, c.name)
		} else if !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%s: got %v, want a reset", step.name, err)
		}
		if got := w.status("tcp").Refused[step.want]; got != before+1 {
			t.Errorf("%s: %d refused as %s, want one more than %d", step.name, got, step.want, before)
		}
	}
	w.apply()
	w.wantAlive("after all of it", w.mustDial())
}

func TestTCPSourceRanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	for _, step := range []struct {
		ranges  []string
		allowed map[string]bool
	}{
		{nil, map[string]bool{"127.0.0.9": true, "127.0.1.9": true}},
		{[]string{"127.0.0.0/24"}, map[string]bool{"127.0.0.9": true, "127.0.1.9": false}},
		{[]string{"127.0.0.9/32", "127.0.1.0/24"}, map[string]bool{"127.0.0.9": true, "127.0.0.8": false, "127.0.1.9": true}},
		{[]string{"fd00::/8"}, map[string]bool{"127.0.0.9": false}},
		{[]string{"0.0.0.0/0"}, map[string]bool{"127.0.0.9": true}},
	} {
		w.apply(listeners(func(l *dataplane.Listener) { l.AllowedCIDRs = prefixes(step.ranges...) }))
		for from, allowed := range step.allowed {
			if _, err := w.dial(from); (err == nil) != allowed {
				t.Errorf("ranges %v, from %s: got %v, want allowed=%t", step.ranges, from, err, allowed)
			}
		}
	}
	if got := w.status("tcp").Refused[dataplane.RefusedSource]; got != 3 {
		t.Errorf("%d refused for their source, want 3", got)
	}
}

func prefixes(texts ...string) []netip.Prefix {
	var all []netip.Prefix
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// TestTCPIdle: what moves nothing ends, what moves something does not.
func TestTCPIdle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.apply(listeners(func(l *dataplane.Listener) { l.IdleTimeout = 10 * time.Second }))
	silent, busy := w.mustDial(), w.mustDial()
	counted := func(said int64) {
		t.Helper()
		waittest.For(t, "the bytes are counted", func() bool {
			s := w.status("tcp")
			return s.Received == said*int64(len("hello\n")) && s.Sent == s.Received+2*int64(len("i-1\n"))
		})
	}
	counted(0)
	for i := range int64(3) {
		w.clock.advance(6 * time.Second)
		w.wantAlive("the busy connection", busy)
		counted(1 + i)
	}
	if err := silent.ended(); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the silent connection: got %v, want a reset", err)
	}
	w.clock.advance(9 * time.Second)
	w.wantAlive("the busy connection", busy)
}

func TestTCPMaxConnections(t *testing.T) {
	t.Parallel()
	w := &world{t: t, clock: newFakeClock(t)}
	w.start(1, dataplane.BalancerConfig{Clock: w.clock, MaxConnections: 2})
	w.apply()
	first := w.mustDial()
	w.mustDial()
	if _, err := w.dial(); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the third connection: got %v, want a reset", err)
	}
	_ = first.Close()
	waittest.For(t, "one is over", func() bool { return w.status("tcp").Connections == 1 })
	waittest.For(t, "there is room", func() bool { _, err := w.dial(); return err == nil })
}

// TestTCPDialTimeout: a target that neither takes a connection nor refuses it
// costs a client the dial timeout, and its target no connection.
func TestTCPDialTimeout(t *testing.T) {
	t.Parallel()
	w := &world{t: t, clock: newFakeClock(t)}
	w.start(0, dataplane.BalancerConfig{Clock: w.clock, DialTimeout: 50 * time.Millisecond})
	full := fullListener(t, addresses(t, 2)[1])
	w.apply(listeners(func(l *dataplane.Listener) { l.TargetPort = int(full.Port()) }), func(lb *dataplane.LoadBalancer) {
		lb.Targets = []dataplane.Target{{Instance: "i-1", Addresses: []netip.Addr{full.Addr()}}}
	})
	if _, err := w.dial(); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %v, want a reset", err)
	}
	waittest.For(t, "it is over", func() bool { return w.status("tcp").Targets[0].Connections == 0 })
	if got := w.status("tcp").Refused[dataplane.RefusedDial]; got != 1 {
		t.Errorf("%d refused", got)
	}
}

// fullListener returns where connections are neither taken nor refused: there is no room for one more that waits.
func fullListener(t *testing.T, at netip.Addr) netip.AddrPort {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(fd)
	t.Cleanup(func() { _ = syscall.Close(fd) })
	addr := &syscall.SockaddrInet4{Addr: at.As4()}
	if err := errors.Join(syscall.Bind(fd, addr), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	full := netip.AddrPortFrom(at, uint16(bound.(*syscall.SockaddrInet4).Port))
	for range 8 {
		conn, err := (&net.Dialer{Timeout: 3 * time.Second}).DialContext(t.Context(), "tcp", full.String())
		if err != nil {
			return full
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
	t.Skip("this system has room for any number of connections that wait")
	return full
}
