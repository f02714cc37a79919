package dataplane_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
)

// speaks makes the load balancer have one listener, of a protocol.
func (w *world) speaks(protocol simcloud.Protocol) {
	w.apply(func(lb *dataplane.LoadBalancer) {
		lb.Listeners = lb.Listeners[:1]
		lb.Listeners[0].Protocol = protocol
	})
}

// serves are the listeners, with the transports that they forward.
func (w *world) serves() string {
	var all []string
	for _, s := range w.b.Status() {
		text := strings.TrimRight(string(s.Listener), "0123456789") + " by " + string(s.Protocol)
		if s.Error != nil {
			text += ": " + s.Error.Error()
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// TestProtocols: listeners of http, https and tls forward TCP, those of tcp_udp
// both; one follows another on the same port.
func TestProtocols(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	for _, step := range []struct {
		protocol simcloud.Protocol
		want     string
	}{
		{simcloud.ProtocolTCP, "tcp- by tcp"},
		{simcloud.ProtocolHTTP, "http- by tcp"},
		{simcloud.ProtocolHTTPS, "https- by tcp"},
		{simcloud.ProtocolTLS, "tls- by tcp"},
		{simcloud.ProtocolTCPUDP, "tcp_udp- by tcp, tcp_udp- by udp"},
	} {
		w.speaks(step.protocol)
		if diff := cmp.Diff(step.want, w.serves()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.protocol, diff)
		}
		w.wantAlive(string(step.protocol), w.mustDial())
	}
	if got := w.udp().ask(t, "hello"); got != "i-1" {
		t.Errorf("by UDP %s answers, want i-1", got)
	}
}

// TestSCTP is not forwarded, and the status reports it.
func TestSCTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.speaks(simcloud.ProtocolSCTP)
	if want, got := "sctp- by sctp: unimplemented (load_balancer/lb-1): the data plane does not forward sctp", w.serves(); got != want {
		t.Errorf("status %q, want %q", got, want)
	}
	if _, err := w.dial(); err == nil {
		t.Error("the port accepts TCP")
	}
}
