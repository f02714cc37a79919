package client_test

import (
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// TestWire: with a transport the client needs no socket. In a bubble a stream stays open by its
// heartbeats, ends when the client's host is cut off, and a call is repeated until the host is back.
func TestWire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud, network, admin := simtest.OpenWire(t, "admin")
		host := network.Host("client")
		c := simtest.Dial(t, client.Config{Endpoint: cloud.URL(), Token: cloud.Token(), Transport: host.Transport(), Backoff: time.Second})
		now, err := admin.ListInstances(t.Context(), simcloud.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		time.AfterFunc(time.Hour, func() {
			if _, err := admin.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "late"}); err != nil {
				t.Error(err)
			}
		})
		time.AfterFunc(2*time.Hour, host.Cut)
		time.AfterFunc(2*time.Hour+time.Second, host.Join)
		var last error
		var seen []time.Duration
		for event, err := range c.WatchEvents(t.Context(), now.Revision) {
			if last = err; event.Kind == simcloud.KindInstance {
				seen = append(seen, time.Since(began))
			}
		}
		if len(seen) == 0 || seen[0] != time.Hour {
			t.Errorf("the instance was seen after %v, want 1h", seen)
		}
		if took := time.Since(began); !errors.Is(last, simcloud.Unavailable) || !errors.Is(last, syscall.ECONNRESET) || took != 2*time.Hour {
			t.Errorf("the stream ended with %v after %s, want a reset after 2h", last, took)
		}
		if _, err := c.ListInstances(t.Context(), simcloud.ListOptions{}); err != nil {
			t.Errorf("a call that begins while the host is cut off: %v", err)
		}
	})
}
