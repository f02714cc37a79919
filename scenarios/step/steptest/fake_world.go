package steptest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// Controls are the controls of a fake cluster. They note what they are told.
type Controls struct {
	CCM, Standby *CCM
	Control      *Control
	Pods         *Pods
	NoPackets    bool
}

func NewControls() Controls {
	return Controls{CCM: &CCM{}, Standby: &CCM{}, Control: &Control{}, Pods: &Pods{}}
}

// Control controls the machines, the API and the cloud of a fake cluster.
type Control struct {
	mu          sync.Mutex
	did         []string
	Err         error
	CannotDelay bool
	// Restarted is called when the cloud starts again.
	Restarted func()
}

func (c *Control) note(format string, args ...any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.did = append(c.did, fmt.Sprintf(format, args...))
	return c.Err
}

func (c *Control) Said() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.did, ", ")
}

func (c *Control) Boot(_ context.Context, spec step.MachineSpec) error {
	return c.note("boot %+v", spec)
}

func (c *Control) Kill(name string) error { return c.note("kill %s", name) }

func (c *Control) Freeze(name string) error { return c.note("freeze %s", name) }

func (c *Control) Thaw(name string) error { return c.note("thaw %s", name) }

func (c *Control) Partition(name string) error { return c.note("partition %s", name) }

func (c *Control) Heal(name string) error { return c.note("heal %s", name) }

func (c *Control) RestartAPIServer(context.Context) error {
	return c.note("restart the API server")
}

func (c *Control) Allow(context.Context) error { return c.note("allow") }

func (c *Control) Forbid(_ context.Context, verbs, resources []string) error {
	return c.note("forbid %v of %v", verbs, resources)
}

func (c *Control) Delay(_ context.Context, verbs, resources []string, by time.Duration) error {
	return c.note("delay %v of %v by %s", verbs, resources, by)
}

func (c *Control) Undelay(context.Context) error { return c.note("undelay") }

func (c *Control) CanDelay() bool { return !c.CannotDelay }

func (c *Control) Reseed(_ context.Context, seed uint64) error { return c.note("seed %d", seed) }

func (c *Control) RestartCloud(context.Context) error {
	if c.Restarted != nil {
		c.Restarted()
	}
	return c.note("restart the cloud")
}
