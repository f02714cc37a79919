package dataplane_test

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
)

// TestForeignTargets: nothing is sent to a target whose address may belong to
// another host, neither a check nor a connection, and the status says why.
func TestForeignTargets(t *testing.T) {
	w := &world{t: t, clock: newFakeClock(t)}
	w.start(1, dataplane.BalancerConfig{Clock: w.clock, TargetNetworks: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}})
	seen, err := net.Listen("tcp", netip.AddrPortFrom(w.servers[0].addr.Addr(), 0).String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = seen.Close() }()
	check := &simcloud.HealthCheck{Protocol: simcloud.HealthCheckTCP, Port: seen.Addr().(*net.TCPAddr).Port}
	for name, with := range map[string]*simcloud.HealthCheck{"with a check": check, "without": nil} {
		w.apply(listeners(func(l *dataplane.Listener) { l.HealthCheck = with }))
		target := w.status(simcloud.ProtocolTCP).Targets[0]
		if target.Health != simcloud.TargetUnhealthy || !strings.Contains(target.Reason, "not in the networks that targets may be in: 192.0.2.0/24") {
			t.Errorf("%s: the target is %+v", name, target)
		}
		if _, err := w.dial(); err == nil {
			t.Errorf("%s: a connection was forwarded", name)
		}
	}
	w.b.Close() // which waits for what it has begun
	if err := seen.(*net.TCPListener).SetDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := seen.Accept(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a check came to the target: %v", err)
	}
	s := w.servers[0]
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.conns); n != 0 {
		t.Errorf("%d connections came to the target", n)
	}
}
