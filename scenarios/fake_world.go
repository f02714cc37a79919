package scenarios

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// fakeControls are the controls of a fake cluster. They note what they are told.
type fakeControls struct {
	ccm, standby *fakeCCM
	controls     *fakeControl
	pods         *fakePods
	noPackets    bool
}

func newFakeControls() fakeControls {
	return fakeControls{ccm: &fakeCCM{}, standby: &fakeCCM{}, controls: &fakeControl{}, pods: &fakePods{}}
}

// fakeControl controls the machines, the API and the cloud of a fake cluster.
type fakeControl struct {
	mu          sync.Mutex
	did         []string
	err         error
	cannotDelay bool
	// restarted is called when the cloud starts again.
	restarted func()
}

func (c *fakeControl) note(format string, args ...any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.did = append(c.did, fmt.Sprintf(format, args...))
	return c.err
}

func (c *fakeControl) said() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.did, ", ")
}

func (c *fakeControl) Boot(_ context.Context, spec MachineSpec) error {
	return c.note("boot %+v", spec)
}

func (c *fakeControl) Kill(name string) error { return c.note("kill %s", name) }

func (c *fakeControl) Freeze(name string) error { return c.note("freeze %s", name) }

func (c *fakeControl) Thaw(name string) error { return c.note("thaw %s", name) }

func (c *fakeControl) Partition(name string) error { return c.note("partition %s", name) }

func (c *fakeControl) Heal(name string) error { return c.note("heal %s", name) }

func (c *fakeControl) RestartAPIServer(context.Context) error {
	return c.note("restart the API server")
}

func (c *fakeControl) Allow(context.Context) error { return c.note("allow") }

func (c *fakeControl) Forbid(_ context.Context, verbs, resources []string) error {
	return c.note("forbid %v of %v", verbs, resources)
}

func (c *fakeControl) Delay(_ context.Context, verbs, resources []string, by time.Duration) error {
	return c.note("delay %v of %v by %s", verbs, resources, by)
}

func (c *fakeControl) Undelay(context.Context) error { return c.note("undelay") }

func (c *fakeControl) CanDelay() bool { return !c.cannotDelay }

func (c *fakeControl) Reseed(_ context.Context, seed uint64) error { return c.note("seed %d", seed) }

func (c *fakeControl) RestartCloud(context.Context) error {
	if c.restarted != nil {
		c.restarted()
	}
	return c.note("restart the cloud")
}
