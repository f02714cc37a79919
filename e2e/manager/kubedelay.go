package manager

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// delayRule holds back requests of the CCM to the cluster.
type delayRule struct {
	verbs, resources []string
	by               time.Duration
}

func (r delayRule) matches(verb, resource string) bool {
	named := func(list []string, name string) bool {
		return slices.Contains(list, name) || slices.Contains(list, "*")
	}
	return named(r.verbs, verb) && named(r.resources, resource)
}

// delays are the rules that hold at the moment.
type delays struct {
	mu      sync.Mutex
	rules   []delayRule
	changed chan struct{} // closed when the rules change
}

func newDelays() *delays { return &delays{changed: make(chan struct{})} }

func (d *delays) set(change func([]delayRule) []delayRule) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rules = change(d.rules)
	close(d.changed)
	d.changed = make(chan struct{})
}

// of is the longest delay that is meant for a request, and what closes when that may be another.
func (d *delays) of(verb, resource string) (longest time.Duration, changed <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.rules {
		if r.matches(verb, resource) {
			longest = max(longest, r.by)
		}
	}
	return longest, d.changed
}

// wait returns when what came at a time has been held back for as long as the
// rules say, which may change meanwhile; with an error when the caller gives up.
func (d *delays) wait(ctx context.Context, came time.Time, verb, resource string) error {
	for {
		by, changed := d.of(verb, resource)
		left := by - time.Since(came)
		if left <= 0 {
			return nil
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-changed:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

// CanDelay reports whether requests of the CCM can be delayed: not those of one
// that runs in a pod, which has its access from the cluster itself.
func (c *CCM) CanDelay() bool {
	switch c.launcher.(type) {
	case onHost, simulated:
		return true
	}
	return false
}

// Delay holds back the requests that the CCM, or its standby, makes of the
// cluster, for those verbs and resources (such as nodes or nodes/status; "*" is
// all), until Undelay. For the verb watch it is the news that are late, so that what
// the CCM believes is old. It answers Unimplemented for a CCM that was not configured
// to be Proxied.
func (c *CCM) Delay(_ context.Context, verbs, resources []string, by time.Duration) error {
	if !c.CanDelay() || !c.configured().Proxied {
		return simcloud.Errorf(simcloud.Unimplemented, "ccm", "its requests to the cluster do not go through the harness, so they cannot be delayed")
	}
	c.api.delays.set(func(rules []delayRule) []delayRule { return append(rules, delayRule{verbs, resources, by}) })
	return nil
}

// Undelay lets all requests through at once, those too that are being held back.
func (c *CCM) Undelay(context.Context) error {
	c.api.delays.set(func([]delayRule) []delayRule { return nil })
	return nil
}
