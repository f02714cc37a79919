package dataplane_test

import (
	"bufio"
	"context"
	"fmt"
	"hash/fnv"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// addresses returns n addresses of 127/8 that are a test's own.
func addresses(t testing.TB, n int) []netip.Addr {
	h := fnv.New32a()
	fmt.Fprint(h, t.Name(), os.Getpid())
	sum := h.Sum32()
	all := make([]netip.Addr, n)
	for i := range all {
		all[i] = netip.AddrFrom4([4]byte{127, byte(1 + sum>>8%250), byte(sum), byte(1 + i)})
	}
	return all
}

// world is a balancer with servers behind it.
type world struct {
	t       testing.TB
	clock   *fakeClock
	b       *dataplane.Balancer
	vip     netip.Addr
	port    int
	servers []*server
}

// newWorld starts n servers, which have one port, and a balancer.
func newWorld(t *testing.T, n int) *world {
	t.Helper()
	w := &world{t: t, clock: newFakeClock(t)}
	w.start(n, dataplane.BalancerConfig{Clock: w.clock, DialTimeout: time.Minute})
	return w
}

func (w *world) start(n int, cfg dataplane.BalancerConfig) {
	all := addresses(w.t, n+1)
	w.vip = all[0]
	w.port = freePort(w.t, w.vip)
	w.servers = startServers(w.t, all[1:])
	w.b = dataplane.NewBalancer(cfg)
	w.t.Cleanup(w.b.Close)
}

// balancer is what the world's balancer does unless a test changes it: TCP and UDP, to all servers.
func (w *world) balancer() dataplane.LoadBalancer {
	lb := dataplane.LoadBalancer{ID: "lb-1", VIPs: []netip.Addr{w.vip}}
	for _, protocol := range []simcloud.Protocol{simcloud.ProtocolTCP, simcloud.ProtocolUDP} {
		lb.Listeners = append(lb.Listeners, dataplane.Listener{Protocol: protocol, Port: w.port, TargetPort: w.targetPort()})
	}
	for _, s := range w.servers {
		lb.Targets = append(lb.Targets, dataplane.Target{Instance: s.id, Addresses: []netip.Addr{s.addr.Addr()}})
	}
	return lb
}

func (w *world) targetPort() int {
	if len(w.servers) == 0 {
		return 1
	}
	return int(w.servers[0].addr.Port())
}

// apply makes one load balancer of changes to the usual one.
func (w *world) apply(changes ...func(*dataplane.LoadBalancer)) {
	lb := w.balancer()
	for _, change := range changes {
		change(&lb)
	}
	w.b.Apply([]dataplane.LoadBalancer{lb})
}

// listeners changes both listeners.
func listeners(change func(*dataplane.Listener)) func(*dataplane.LoadBalancer) {
	return func(lb *dataplane.LoadBalancer) {
		for i := range lb.Listeners {
			change(&lb.Listeners[i])
		}
	}
}

func (w *world) status(protocol simcloud.Protocol) dataplane.ListenerStatus {
	w.t.Helper()
	for _, s := range w.b.Status() {
		if s.Protocol == protocol {
			return s
		}
	}
	w.t.Fatalf("no %s listener in %v", protocol, w.b.Status())
	return dataplane.ListenerStatus{}
}

// client is a connection through the load balancer.
type client struct {
	*net.TCPConn
	lines *bufio.Reader
	name  string // of the server
}

// patient waits long for each piece that it reads.
type patient struct{ *net.TCPConn }

func (p patient) Read(b []byte) (int, error) {
	if err := p.SetReadDeadline(time.Now().Add(waittest.Patience())); err != nil {
		return 0, err
	}
	return p.TCPConn.Read(b)
}

// dial connects from an address, or any, and learns who answers.
func (w *world) dial(from ...string) (*client, error) {
	var d net.Dialer
	if len(from) > 0 {
		d.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from[0])}
	}
	conn, err := d.DialContext(context.Background(), "tcp", netip.AddrPortFrom(w.vip, uint16(w.port)).String())
	if err != nil {
		return nil, err
	}
	tcp := conn.(*net.TCPConn)
	w.t.Cleanup(func() { _ = tcp.Close() })
	c := &client{TCPConn: tcp, lines: bufio.NewReader(patient{tcp})}
	name, err := c.lines.ReadString('\n')
	c.name = strings.TrimSpace(name)
	return c, err
}

func (w *world) mustDial(from ...string) *client {
	w.t.Helper()
	c, err := w.dial(from...)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// say sends a line and returns what comes back.
func (c *client) say(line string) (string, error) {
	if _, err := fmt.Fprintln(c, line); err != nil {
		return "", err
	}
	answer, err := c.lines.ReadString('\n')
	return strings.TrimSpace(answer), err
}

func (w *world) wantAlive(what string, c *client) {
	w.t.Helper()
	if answer, err := c.say("hello"); answer != "hello" {
		w.t.Errorf("%s: got %q, %v, want it to live", what, answer, err)
	}
}

// ended reports how a connection ends, waiting until it does.
func (c *client) ended() error {
	_, err := c.lines.ReadByte()
	return err
}

// names are those that answer n connections, each kept open.
func (w *world) names(n int, from ...string) []string {
	w.t.Helper()
	all := make([]string, n)
	for i := range all {
		all[i] = w.mustDial(from...).name
	}
	return all
}

func count(names []string) map[string]int {
	counts := map[string]int{}
	for _, name := range names {
		counts[name]++
	}
	return counts
}

// server says its name to who connects and then repeats what it is told. By
// UDP it answers with its name and the datagram.
type server struct {
	id   simcloud.ID
	addr netip.AddrPort
	tcp  *net.TCPListener
	udp  *net.UDPConn

	mu     sync.Mutex
	closed bool
	conns  []net.Conn
	group  sync.WaitGroup
}

// startServers starts a server at each address, all with the same port.
func startServers(t testing.TB, at []netip.Addr) []*server {
	t.Helper()
	for range 50 {
		if all, ok := tryServers(at); ok {
			for _, s := range all {
				s.run(t)
			}
			return all
		}
	}
	t.Fatal("no port is free at all addresses")
	return nil
}

func tryServers(at []netip.Addr) ([]*server, bool) {
	var all []*server
	port := uint16(0)
	for i, addr := range at {
		s := &server{id: simcloud.ID(fmt.Sprintf("i-%d", i+1))}
		tcp, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(addr, port)))
		if err == nil {
			s.tcp = tcp
			s.addr = tcp.Addr().(*net.TCPAddr).AddrPort()
			s.udp, err = net.ListenUDP("udp", net.UDPAddrFromAddrPort(s.addr))
		}
		all = append(all, s)
		if err != nil {
			for _, s := range all {
				s.close()
			}
			return nil, false
		}
		port = s.addr.Port()
	}
	return all, true
}

func (s *server) run(t testing.TB) {
	s.group.Go(s.accept)
	s.group.Go(s.receive)
	t.Cleanup(func() {
		s.close()
		s.group.Wait()
	})
}

func (s *server) close() {
	if s.tcp != nil {
		_ = s.tcp.Close()
	}
	if s.udp != nil {
		_ = s.udp.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, conn := range s.conns {
		_ = conn.Close()
	}
}

func (s *server) accept() {
	for {
		conn, err := s.tcp.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns = append(s.conns, conn)
		if s.closed {
			_ = conn.Close()
		}
		s.mu.Unlock()
		s.group.Go(func() { s.serve(conn) })
	}
}

func (s *server) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	if _, err := fmt.Fprintln(conn, s.id); err != nil {
		return
	}
	buf := make([]byte, 4096)
	for {
		n, err := conn.Read(buf)
		if err != nil {
			return
		}
		if _, err := conn.Write(buf[:n]); err != nil {
			return
		}
	}
}

func (s *server) receive() {
	buf := make([]byte, 64<<10)
	for {
		n, from, err := s.udp.ReadFromUDPAddrPort(buf)
		if err != nil {
			return
		}
		_, _ = s.udp.WriteToUDPAddrPort(append([]byte(s.id+":"), buf[:n]...), from)
	}
}

// freePort returns a port that is free at the address.
func freePort(t testing.TB, addr netip.Addr) int {
	t.Helper()
	ln, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(addr, 0)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	return ln.Addr().(*net.TCPAddr).Port
}
