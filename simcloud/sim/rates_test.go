package sim_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// TestRates: rates are set while the cloud runs, are there after a restart, and follow its clock.
func TestRates(t *testing.T) {
	t.Parallel()
	cfg := sim.Config{
		Data: filepath.Join(t.TempDir(), "cloud.db"), Token: "s3cret", Clock: simcloud.ClockSpec{Mode: simcloud.ClockManual},
	}
	first := open(t, cfg)
	rates := []simcloud.Rate{{Class: "write", PerSecond: 0.1, Burst: 2}}
	c := dial(t, client.Config{Endpoint: first.URL(), Token: "s3cret", Retries: -1})
	if _, err := c.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Rates: &rates}); err != nil {
		t.Fatal(err)
	}
	create := func(c *client.Client) error {
		_, err := c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "a"})
		return err
	}
	drain := func(c *client.Client) {
		t.Helper()
		for range 2 {
			if err := create(c); err != nil {
				t.Fatal(err)
			}
		}
		err := create(c)
		if !errors.Is(err, simcloud.RateLimited) || simcloud.RetryAfter(err) != 10*time.Second {
			t.Errorf("got %v, want RateLimited for 10 s", err)
		}
	}
	drain(c)
	if _, err := c.AdvanceClock(t.Context(), simcloud.Duration(10*time.Second)); err != nil {
		t.Errorf("the simulator's own call: %v", err)
	}
	if err := create(c); err != nil {
		t.Errorf("ten seconds later: %v", err)
	}
	if err := c.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Rates: &rates}); err != nil {
		t.Fatal(err)
	}
	drain(c)
	shut(t, first)
	drain(dial(t, client.Config{Endpoint: open(t, cfg).URL(), Token: "s3cret", Retries: -1}))
}

// TestClientsKeepToRates: who waits as long as it is asked to gets through.
func TestClientsKeepToRates(t *testing.T) {
	t.Parallel()
	cloud := open(t, sim.Config{Ephemeral: true, Clock: simcloud.ClockSpec{Mode: simcloud.ClockScaled, Factor: 100}})
	c := dial(t, client.Config{Endpoint: cloud.URL(), Token: cloud.Token(), Backoff: time.Millisecond})
	rates := []simcloud.Rate{{Class: "GetInstance", PerSecond: 1, Burst: 1}}
	if _, err := c.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Rates: &rates}); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := c.GetInstance(t.Context(), "i-1"); !errors.Is(err, simcloud.NotFound) {
			t.Fatalf("got %v, want NotFound", err)
		}
	}
}
