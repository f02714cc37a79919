package dataplane_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// doctor answers health checks over HTTP at a server's address.
type doctor struct {
	*httptest.Server
	status atomic.Int64
	asked  atomic.Int64
	last   atomic.Pointer[http.Request]
}

func newDoctor(t *testing.T, s *server, status int) *doctor {
	t.Helper()
	d := &doctor{}
	d.status.Store(int64(status))
	ln, err := net.Listen("tcp", net.JoinHostPort(s.addr.Addr().String(), "0"))
	if err != nil {
		t.Fatal(err)
	}
	d.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := int(d.status.Load()) // before it counts as asked: then a test may change it
		d.last.Store(r)
		d.asked.Add(1)
		http.Redirect(w, r, "/elsewhere", status)
	}))
	_ = d.Listener.Close()
	d.Listener = ln
	d.Start()
	t.Cleanup(d.Close)
	return d
}

func (d *doctor) check() *simcloud.HealthCheck {
	return &simcloud.HealthCheck{
		Protocol: simcloud.HealthCheckHTTP, Port: d.Listener.Addr().(*net.TCPAddr).Port, Path: "/healthz?a=b", TimeoutSeconds: 60,
	}
}

// nextAnswer lets a check ask once more, and be answered.
func (w *world) nextAnswer(d *doctor) {
	w.t.Helper()
	before := d.asked.Load()
	w.clock.advance(5 * time.Second)
	waittest.For(w.clock.t, "the check asks", func() bool { return d.asked.Load() > before })
}

func withCheck(check *simcloud.HealthCheck) func(*dataplane.LoadBalancer) {
	return listeners(func(l *dataplane.Listener) { l.HealthCheck = check })
}

// health is how the only target is.
func (w *world) health() string {
	var all []string
	for _, h := range w.b.Health() {
		text := fmt.Sprintf("%s %s", h.Instance, h.Health)
		if !h.Known {
			text += "?"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func (w *world) untilHealth(want string) {
	w.t.Helper()
	waittest.For(w.clock.t, "health is "+want, func() bool { return w.health() == want })
}

// newChecked is a world whose only target a doctor has found healthy.
func newChecked(t *testing.T) (*world, *doctor) {
	t.Helper()
	w := newWorld(t, 1)
	d := newDoctor(t, w.servers[0], http.StatusOK)
	w.apply(withCheck(d.check()))
	w.untilHealth("i-1 healthy")
	return w, d
}

// listenSilently listens at the first server's address, and never answers.
func (w *world) listenSilently() net.Listener {
	w.t.Helper()
	silent, err := net.Listen("tcp", net.JoinHostPort(w.servers[0].addr.Addr().String(), "0"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = silent.Close() })
	return silent
}

// wantHealthyAfterThree wants the third good answer to make the only target healthy, and none before.
func (w *world) wantHealthyAfterThree(d *doctor) {
	w.t.Helper()
	for range 3 {
		if got := w.health(); got != "i-1 unhealthy" {
			w.t.Errorf("%s too early", got)
		}
		w.nextAnswer(d)
	}
	w.untilHealth("i-1 healthy")
}

// TestHTTPCheck: the first answer decides, then three in a row.
func TestHTTPCheck(t *testing.T) {
	t.Parallel()
	w, d := newChecked(t)
	w.wantAlive("a healthy target", w.mustDial())
	if r := d.last.Load(); r.URL.String() != "/healthz?a=b" || r.Method != http.MethodGet {
		t.Errorf("asked %s %s", r.Method, r.URL)
	}
	answers := func(status int, n int, want string) {
		t.Helper()
		d.status.Store(int64(status))
		for range n {
			w.nextAnswer(d)
			if got := w.health(); got == want {
				t.Fatalf("%s too early", got)
			}
		}
		w.nextAnswer(d)
		w.untilHealth(want)
	}
	answers(http.StatusServiceUnavailable, 2, "i-1 unhealthy")
	if _, err := w.dial(); err == nil {
		t.Error("an unhealthy target gets a connection")
	}
	if s := w.status("tcp").Targets[0]; !strings.Contains(s.Reason, "503") || !s.Checked {
		t.Errorf("status %+v, want the reason", s)
	}
	answers(http.StatusFound, 2, "i-1 healthy")
	w.mustDial()
	if got := w.status("tcp").Targets[0].Reason; got != "" {
		t.Errorf("a healthy target is unhealthy for %q", got)
	}
}

// TestCheckOneBadAnswer: answers that do not follow each other do not count together.
func TestCheckOneBadAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	d := newDoctor(t, w.servers[0], http.StatusOK)
	check := d.check()
	check.Threshold = 2
	w.apply(withCheck(check))
	w.untilHealth("i-1 healthy")
	for range 4 {
		for _, status := range []int64{http.StatusInternalServerError, http.StatusOK} {
			d.status.Store(status)
			w.nextAnswer(d)
			if got := w.health(); got != "i-1 healthy" {
				t.Fatalf("%s after a single bad answer", got)
			}
		}
	}
}

// TestTCPCheck: a target is healthy while it accepts connections, and one that
// was never asked gets none.
func TestTCPCheck(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	check := &simcloud.HealthCheck{
		Protocol: simcloud.HealthCheckTCP, Port: w.targetPort(), IntervalSeconds: 1, TimeoutSeconds: 60, Threshold: 1,
	}
	w.servers[1].close()
	w.apply(withCheck(check))
	w.untilHealth("i-1 healthy, i-2 unhealthy")
	if diff := cmp.Diff(map[string]int{"i-1": 4}, count(w.names(4))); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// TestCheckTimeout: silence is a bad answer.
func TestCheckTimeout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	silent := w.listenSilently()
	check := &simcloud.HealthCheck{
		Protocol: simcloud.HealthCheckHTTP, Port: silent.Addr().(*net.TCPAddr).Port, Path: "/", TimeoutSeconds: 1,
	}
	w.apply(withCheck(check))
	if got := w.health(); got != "i-1 unhealthy?" {
		t.Errorf("%s before the first answer", got)
	}
	w.untilHealth("i-1 unhealthy")
}

// TestFoundBefore: a target that was well when another balancer last asked it
// gets connections at once, until its first answer here; one that was not does not.
func TestFoundBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	silent := w.listenSilently()
	check := &simcloud.HealthCheck{Protocol: simcloud.HealthCheckHTTP, Port: silent.Addr().(*net.TCPAddr).Port, Path: "/", TimeoutSeconds: 60}
	found := func(health simcloud.TargetHealth) func(*dataplane.LoadBalancer) {
		return func(lb *dataplane.LoadBalancer) { lb.Targets[0].Found = health }
	}
	w.apply(withCheck(check), found(simcloud.TargetUnhealthy))
	if got := w.health(); got != "i-1 unhealthy" {
		t.Errorf("found unhealthy: %s", got)
	}
	w.b.Apply(nil)
	w.apply(withCheck(check), found(simcloud.TargetHealthy))
	if got := w.health(); got != "i-1 healthy" {
		t.Errorf("found healthy: %s", got)
	}
	w.wantAlive("a connection before the first answer", w.mustDial())
	_ = silent.Close() // which resets who waits for an answer
	w.untilHealth("i-1 unhealthy")
}

// TestCheckChange: another check cuts no target off before it has been answered,
// and decides alone from then on.
func TestCheckChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	good, bad := newDoctor(t, w.servers[0], http.StatusOK), newDoctor(t, w.servers[0], http.StatusServiceUnavailable)
	w.apply(withCheck(good.check()))
	w.untilHealth("i-1 healthy")
	slow := &simcloud.HealthCheck{Protocol: simcloud.HealthCheckTCP, Port: w.targetPort(), IntervalSeconds: 7, TimeoutSeconds: 60}
	w.apply(withCheck(slow))
	w.mustDial()
	w.apply(withCheck(bad.check()))
	w.untilHealth("i-1 unhealthy")
	w.apply(withCheck(nil))
	if got := w.health(); got != "i-1 healthy" {
		t.Errorf("%s without a check", got)
	}
}

// TestCheckIsShared: listeners with the same check ask once.
func TestCheckIsShared(t *testing.T) {
	t.Parallel()
	w, d := newChecked(t)
	w.nextAnswer(d)
	w.apply(withCheck(d.check()), func(lb *dataplane.LoadBalancer) { lb.Listeners = lb.Listeners[:1] })
	w.nextAnswer(d)
	if got := d.asked.Load(); got != 3 {
		t.Errorf("asked %d times at 3 times", got)
	}
}

// TestWorstListenerCounts: a target is as healthy as the worst of its listeners
// says, and each listener goes by its own check.
func TestWorstListenerCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	bad := newDoctor(t, w.servers[0], http.StatusServiceUnavailable)
	w.apply(func(lb *dataplane.LoadBalancer) { lb.Listeners[1].HealthCheck = bad.check() })
	w.untilHealth("i-1 unhealthy")
	w.wantAlive("the listener without a check", w.mustDial())
	if s := w.status("udp").Targets[0]; s.Health != simcloud.TargetUnhealthy {
		t.Errorf("the other listener: %+v", s)
	}
}

// TestGivenHealth goes before what checks say.
func TestGivenHealth(t *testing.T) {
	t.Parallel()
	w, d := newChecked(t)
	for health, want := range map[simcloud.TargetHealth]string{
		simcloud.TargetDraining: "i-1 draining", simcloud.TargetUnhealthy: "i-1 unhealthy", simcloud.TargetHealthy: "i-1 healthy",
	} {
		w.apply(withCheck(d.check()), given(health))
		w.untilHealth(want)
	}
}

// given is what the cloud knows of the first target.
func given(health simcloud.TargetHealth) func(*dataplane.LoadBalancer) {
	return func(lb *dataplane.LoadBalancer) { lb.Targets[0].Health = health }
}

// TestMachineWasOff: a machine that is on again has to answer before it gets
// connections, even if no check has seen that it was off.
func TestMachineWasOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	d := newDoctor(t, w.servers[0], http.StatusOK)
	off := func() { w.apply(withCheck(d.check()), given(simcloud.TargetUnhealthy)) }
	on := func() { w.apply(withCheck(d.check()), given(simcloud.TargetHealthy)) }
	on()
	w.untilHealth("i-1 healthy")
	off()
	d.status.Store(http.StatusServiceUnavailable) // it boots
	on()
	if c, err := w.dial(); err == nil {
		t.Errorf("%s gets a connection before it has answered", c.name)
	}
	w.untilHealth("i-1 unhealthy")
	waittest.For(t, "only the sweep and the new check wait", func() bool { return w.clock.armed() == 2 })
	d.status.Store(http.StatusOK)
	w.wantHealthyAfterThree(d)
	off()
	on()
	w.untilHealth("i-1 healthy") // its first answer decides: the clock stands
	w.wantAlive("a machine that is on again", w.mustDial())
}

// TestMachineWasOffLong: the checks that have seen it off need as many good answers as ever.
func TestMachineWasOffLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	d := newDoctor(t, w.servers[0], http.StatusServiceUnavailable)
	w.apply(withCheck(d.check()))
	w.untilHealth("i-1 unhealthy")
	w.apply(withCheck(d.check()), given(simcloud.TargetUnhealthy))
	d.status.Store(http.StatusOK)
	w.apply(withCheck(d.check()))
	w.wantHealthyAfterThree(d)
}

// TestHealthChanged: whoever waits hears of each change, and of nothing else.
func TestHealthChanged(t *testing.T) {
	t.Parallel()
	w, d := newChecked(t)
	heard := func() bool {
		select {
		case <-w.b.HealthChanged():
			return true
		default:
			return false
		}
	}
	waittest.For(t, "the change is told", heard)
	w.nextAnswer(d)
	w.nextAnswer(d)
	for heard() {
		t.Error("told of answers that change nothing")
	}
	d.status.Store(http.StatusServiceUnavailable)
	for range 3 {
		w.nextAnswer(d)
	}
	waittest.For(t, "the check's change is told", heard)
	w.untilHealth("i-1 unhealthy")
	w.apply(withCheck(d.check()), func(lb *dataplane.LoadBalancer) { lb.Targets[0].Health = simcloud.TargetUnhealthy })
	waittest.For(t, "the change is told", heard)
}
