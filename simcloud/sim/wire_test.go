package sim_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wire"
)

// onWire opens a cloud on a network, with a client that does not repeat calls.
func onWire(t *testing.T, network *wire.Network, cfg sim.Config) (*sim.Cloud, *client.Client) {
	t.Helper()
	cfg.Ephemeral, cfg.Sockets = true, network.Host("cloud")
	cloud := open(t, cfg)
	return cloud, dial(t, client.Config{Endpoint: cloud.URL(), Token: cloud.Token(), Retries: -1, Transport: network.Transport()})
}

// TestReopenOnWire: a cloud without a socket reopens at its address in the time
// of a bubble. A call that hangs breaks, and a stream that breaks resumes.
func TestReopenOnWire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := wire.New()
		first, c := onWire(t, network, sim.Config{})
		made, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node-1"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.AddFault(t.Context(), fault.Rule{Match: fault.Match{Operation: "StopInstance"}, Effect: fault.Effect{Hang: &fault.Hang{}}}); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() { _, err := c.StopInstance(t.Context(), made.Resource.ID); ended <- err }()
		go func() { ended <- lastOf(c.WatchEvents(t.Context(), made.Resource.Version)) }()
		synctest.Wait()

		began := time.Now()
		second, err := first.Reopen(t.Context(), 50*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { shut(t, second) })
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it reopened in %s of the bubble's time", took)
		}
		for range 2 {
			if err := <-ended; !errors.Is(err, simcloud.Unavailable) {
				t.Errorf("the call that hung, or the stream, ended with %v", err)
			}
		}
		if second.URL() != first.URL() {
			t.Errorf("at %s, was at %s", second.URL(), first.URL())
		}
		c.Close() // its idle connections lead to the first
		if _, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node-2"}); err != nil {
			t.Fatal(err)
		}
		for event, err := range c.WatchEvents(t.Context(), made.Resource.Version) {
			if err != nil {
				t.Fatalf("the stream that goes on: %v", err)
			}
			if event.ID == "i-2" {
				break
			}
		}
	})
}

// contested is a network on which another takes an address for ten seconds, before the cloud listens again.
type contested struct {
	*wire.Network

	calls int
}

func (c *contested) Listen(ctx context.Context, address string) (net.Listener, error) {
	if c.calls++; c.calls == 2 {
		thief, err := c.Network.Listen(ctx, address)
		if err != nil {
			return nil, err
		}
		time.AfterFunc(10*time.Second, func() { _ = thief.Close() })
	}
	return c.Network.Listen(ctx, address)
}

// TestReopenTakenOnWire: an address that another has taken meanwhile is waited for.
func TestReopenTakenOnWire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := &contested{Network: wire.New()}
		first, err := sim.Open(t.Context(), sim.Config{Ephemeral: true, Sockets: network})
		if err != nil {
			t.Fatal(err)
		}
		other := sim.Config{Ephemeral: true, Sockets: network.Network, Listen: strings.TrimPrefix(first.URL(), "http://")}
		if _, err := sim.Open(t.Context(), other); !errors.Is(err, simcloud.Unavailable) || !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("open at a taken address: %v", err)
		}
		began := time.Now()
		second, err := first.Reopen(t.Context(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < 10*time.Second || took > 11*time.Second || second.URL() != first.URL() {
			t.Errorf("it reopened at %s in %s, want at %s in 10s", second.URL(), took, first.URL())
		}
		shut(t, second)
	})
}

// TestCloseOnWire: a client that does not send the rest of a request keeps the cloud for a second at most.
func TestCloseOnWire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := wire.New()
		cloud, _ := onWire(t, network, sim.Config{Limits: sim.Limits{Header: long, Body: long, Answer: long}})
		half, err := network.DialContext(t.Context(), "tcp", strings.TrimPrefix(cloud.URL(), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(half, request(cloud, "POST /v1/instances", "Content-Length: 100\r\n\r\n{")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		began := time.Now()
		shut(t, cloud)
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it closed in %s", took)
		}
		answer, err := io.ReadAll(half)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 503") {
			t.Errorf("who had sent half a body was told %q, %v", answer, err)
		}
	})
}

// TestResetOnWire: the fault looks to a client as it does on TCP.
func TestResetOnWire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, c := onWire(t, wire.New(), sim.Config{})
		if _, err := c.AddFault(t.Context(), fault.Rule{Match: fault.Match{Operation: "ListZones"}, Effect: fault.Effect{Reset: &fault.Reset{When: fault.Before}}}); err != nil {
			t.Fatal(err)
		}
		_, err := c.ListZones(t.Context(), simcloud.ListOptions{})
		if !errors.Is(err, syscall.ECONNRESET) || !strings.Contains(err.Error(), "read: connection reset by peer") {
			t.Errorf("got %v, want that the connection was reset by the peer", err)
		}
	})
}
