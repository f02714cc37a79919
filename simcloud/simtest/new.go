// Package simtest gives tests a cloud of their own, and a client of it.
//
// The specification of the cloud, which runs on every implementation, is in the
// room spec.
package simtest

import (
	"context"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// Patience is how long one call, one test of the suite or the end of a cloud may
// take. It is much longer than any of them needs, because a busy machine must not fail a test.
const Patience = 10 * time.Minute

// Option changes the cloud that a test gets.
type Option func(*sim.Config)

// Seed sets what all chance of the cloud comes from.
func Seed(seed uint64) Option { return func(c *sim.Config) { c.Seed = seed } }

// Slow lets the operations of instances and load balancers take a time.
func Slow(duration time.Duration) Option {
	return func(c *sim.Config) {
		c.Progression = simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: simcloud.Duration(duration)}
	}
}

// ManualClock lets the cloud's clock stand still but for AdvanceClock.
func ManualClock() Option {
	return func(c *sim.Config) { c.Clock = simcloud.ClockSpec{Mode: simcloud.ClockManual} }
}

// New returns a client, with the role admin, of a cloud that the test has for
// itself and reaches over HTTP. When the test ends the cloud is checked and closed.
func New(t testing.TB, opts ...Option) *client.Client {
	t.Helper()
	_, c := Open(t, opts...)
	return c
}

// Open is New for a test that needs the cloud's own side too.
func Open(t testing.TB, opts ...Option) (*sim.Cloud, *client.Client) {
	t.Helper()
	cloud := openCloud(t, opts...)
	return cloud, newClient(t, client.Config{Endpoint: cloud.URL(), Token: cloud.Token(), CA: cloud.CAFile(), UserAgent: "simtest"})
}

// Dial returns a client of a cloud. It is closed when the test ends. A call may
// take [Patience] unless cfg has a timeout.
func Dial(t testing.TB, cfg client.Config) *client.Client {
	t.Helper()
	c := newClient(t, cfg)
	t.Cleanup(c.Close)
	return c
}

// newClient is [Dial] without the close.
func newClient(t testing.TB, cfg client.Config) *client.Client {
	t.Helper()
	if cfg.Timeout == 0 {
		cfg.Timeout = Patience
	}
	c, err := client.New(cfg)
	if err != nil {
		t.Fatalf("make a client: %v", err)
	}
	return c
}

// openCloud opens a cloud that ends with the test.
func openCloud(t testing.TB, opts ...Option) *sim.Cloud {
	t.Helper()
	// The cloud waits as long as its clients do: how fast a busy machine is is not what a test is about.
	cfg := sim.Config{Ephemeral: true, Seed: 1, Limits: sim.Limits{Body: Patience, Answer: Patience}}
	for _, opt := range opts {
		opt(&cfg)
	}
	cloud, err := sim.Open(t.Context(), cfg)
	if err != nil {
		t.Fatalf("open a cloud: %v", err)
	}
	t.Cleanup(func() { end(t, cloud) })
	return cloud
}

// end checks and closes the cloud of a test. The test's own context is over by then.
func end(t testing.TB, cloud *sim.Cloud) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), Patience)
	defer cancel()
	if err := cloud.Core().Check(ctx); err != nil {
		t.Errorf("the cloud breaks its invariants:\n%v", err)
	}
	if err := cloud.Close(ctx); err != nil {
		t.Errorf("close the cloud: %v", err)
	}
}
