package dataplane_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// TestThousandsOfConnections: they are open at once, share the targets evenly,
// and leave nothing behind.
func TestThousandsOfConnections(t *testing.T) {
	n := min(3000, room(t)/4) // four descriptors each: the client's, two of the balancer, the server's
	n -= n % 4
	w := newWorld(t, 4)
	w.apply()
	clients, errs := make([]*client, n), make([]error, n)
	var dialing sync.WaitGroup
	for i := range 8 {
		dialing.Go(func() {
			for j := i; j < n; j += 8 {
				clients[j], errs[j] = w.dial()
			}
		})
	}
	dialing.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	s := w.status("tcp")
	if s.Connections != int64(n) || s.Accepted != int64(n) {
		t.Errorf("status %+v, want %d connections", s, n)
	}
	for _, target := range s.Targets {
		if target.Connections != int64(n/4) {
			t.Errorf("%s has %d connections, want %d", target.Instance, target.Connections, n/4)
		}
	}
	w.apply(func(lb *dataplane.LoadBalancer) { lb.Targets = lb.Targets[1:] })
	for _, c := range clients {
		w.wantAlive("one of thousands", c)
	}
	w.clock.advance(dataplane.DefaultDrainTimeout)
	waittest.For(t, "those of the removed target are cut", func() bool { return w.status("tcp").Connections == int64(n-n/4) })
	for _, c := range clients {
		_ = c.Close()
	}
	waittest.For(t, "all have ended", func() bool { return w.status("tcp").Connections == 0 })
	if s := w.status("tcp"); s.Received != int64(n*len("hello\n")) || s.Targets[0].Connections != 0 {
		t.Errorf("status %+v, want %d bytes", s, n*len("hello\n"))
	}
}

// room is how many more files this process may open.
func room(t *testing.T) int {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	return int(min(limit.Cur, 1<<20)) - 500
}

// TestChangesUnderLoad: while everything about it changes but one target, a
// listener refuses and loses no connection.
func TestChangesUnderLoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.apply()
	vips := addresses(t, 6)[4:]
	stop := make(chan struct{})
	var running sync.WaitGroup
	for _, work := range []func(){
		w.hammerTCP, w.hammerTCP, w.hammerUDP, w.hammerUDP,
		func() { w.b.Status() }, func() { w.b.Health() }, func() { gather(t, w.b) },
	} {
		running.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					work()
				}
			}
		})
	}
	chance := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < 300 || w.status("tcp").Accepted < 300; i++ {
		lb, other := w.balancer(), w.balancer()
		w.disturb(&lb, chance)
		other.ID, other.VIPs = "lb-2", vips[:chance.IntN(3)]
		w.b.Apply([]dataplane.LoadBalancer{lb, other}[:1+chance.IntN(2)])
		w.clock.jump(100 * time.Millisecond)
	}
	close(stop)
	running.Wait()
	w.apply()
	for _, s := range w.b.Status() {
		if s.Accepted < 50 {
			t.Errorf("%s: only %d clients", s.Protocol, s.Accepted)
		}
		for why, n := range s.Refused {
			if n > 0 {
				t.Errorf("%s: %d refused: %s", s.Protocol, n, why)
			}
		}
	}
}

// disturb changes a load balancer so that its first target still gets connections.
func (w *world) disturb(lb *dataplane.LoadBalancer, chance *rand.Rand) {
	health := []simcloud.TargetHealth{simcloud.TargetHealthy, simcloud.TargetUnhealthy, simcloud.TargetDraining}
	lb.Targets = lb.Targets[:1+chance.IntN(3)]
	for i := range lb.Targets[1:] {
		lb.Targets[1+i].Health = health[chance.IntN(3)]
		if chance.IntN(4) == 0 {
			lb.Targets[1+i].Addresses = nil
		}
	}
	if chance.IntN(2) == 0 {
		lb.Algorithm = simcloud.LeastConnections
	}
	lb.Affinity = simcloud.Affinity{ClientIP: chance.IntN(2) == 0}
	for i := range lb.Listeners {
		l := &lb.Listeners[i]
		if chance.IntN(2) == 0 {
			l.AllowedCIDRs = prefixes("127.0.0.0/8")
		}
		if chance.IntN(3) == 0 {
			l.HealthCheck = &simcloud.HealthCheck{
				Protocol: simcloud.HealthCheckTCP, Port: w.targetPort(), IntervalSeconds: 1 + chance.IntN(2), TimeoutSeconds: 60,
			}
		}
		l.IdleTimeout = time.Duration(1+chance.IntN(9)) * time.Hour
	}
}

func (w *world) hammerTCP() {
	c, err := w.dial()
	if err != nil {
		w.t.Errorf("a connection is refused: %v", err)
		return
	}
	w.wantAlive("a new connection", c)
	_ = c.Close()
}

func (w *world) hammerUDP() {
	c := w.udp()
	defer func() { _ = c.Close() }()
	c.insist(w.t, "hello")
}

func gather(t testing.TB, b *dataplane.Balancer) map[string]float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(b); err != nil {
		t.Error(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Error(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			name := family.GetName()
			for _, label := range metric.GetLabel() {
				if label.GetName() != "address" && label.GetName() != "port" {
					name += " " + label.GetValue()
				}
			}
			values[name] = metric.GetGauge().GetValue() + metric.GetCounter().GetValue()
		}
	}
	return values
}
